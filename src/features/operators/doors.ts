// The kinds of doors that managing the gateway has: a view, a list, a change. Guards that a change is made by
// an operator (or, of money, a cashier), and that the change and its row in the audit log are there together or not at all.

import { isDeepStrictEqual } from "node:util";
import type { Static, TObject, TProperties, TSchema } from "typebox";
import { withoutCard } from "../../domain/card-number.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Queryable, Tx } from "../../platform/db.ts";
import type { KeysetPage, PageWish } from "../../platform/db-page.ts";
import { type Asked, endpoint } from "../../platform/endpoint.ts";
import { isFailure } from "../../platform/failure.ts";
import { pageFields, pageOf, Type, toPage } from "../../platform/field.ts";
import { InvalidInput } from "../../platform/input.ts";
import { type Letter, postLetters } from "../../platform/mail.ts";
import type { Ways } from "./noun.ts";
import { cashierGate, type Operator, operatorGate, viewerGate } from "./operator.ts";
import { addAudits, operatorsOf } from "./queries.ts";

export interface Door<Input extends TObject, Data extends TSchema> {
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly input: Input;
  readonly data: Data;
  readonly notFound?: string;
}

interface View<Input extends TObject, Data extends TSchema> extends Door<Input, Data> {
  read(app: App, input: Static<Input>, operator: Operator): Promise<Static<Data>>;
}

/** A door that only looks. */
export function view<Input extends TObject, Data extends TSchema>(
  definition: View<Input, Data>,
): Asked<Static<Input>, Static<Data>> {
  const { read, ...door } = definition;
  return endpoint<Input, Data, Operator>({
    ...door,
    method: "GET",
    gate: viewerGate,
    problems: "all",
    refusesUnknown: true,
    handle: (app, { input, principal }) => read(app, input, principal),
  });
}

interface List<Filters extends TProperties, Row, Item extends TSchema> {
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly noun: {
    readonly wire: Item;
    list(db: Queryable, wish: PageWish, ways?: Ways): Promise<KeysetPage<Row>>;
    toWire(row: Row, app: App): unknown;
  };
  /** What it can be searched by, and the ways in that this opens. */
  readonly filters: Filters;
  ways?(app: App, input: Static<TObject<Filters>>): Ways | Promise<Ways>;
}

/** What a list takes: its filters, and which page. */
type Wish<Filters extends TProperties> = Static<TObject<Filters & typeof pageFields>>;

interface Page<Item extends TSchema> {
  readonly items: readonly Static<Item>[];
  readonly next: string | null;
}

/** A door to all of a noun, page by page. */
export function list<Filters extends TProperties, Row, Item extends TSchema>(
  definition: List<Filters, Row, Item>,
): Asked<Wish<Filters>, Page<Item>> {
  const { noun, filters, ways, ...door } = definition;
  return view<TObject, TSchema>({
    ...door,
    input: Type.Object({ ...pageFields, ...filters }),
    data: pageOf(noun.wire),
    async read(app, input) {
      const found = await ways?.(app, input as Static<TObject<Filters>>);
      return toPage(await noun.list(app.db, input, found), (row) => noun.toWire(row, app));
    },
  }) as Asked<Wish<Filters>, Page<Item>>;
}

/** The way to the rows of these ids, where a list is asked for them. */
export function byIds(ids: string | undefined): NonNullable<Ways["by"]> {
  return { "id = any(?::uuid[])": ids?.split(",") };
}

/** What was done, for whoever asks later. Neither side may hold a secret or a whole card number. */
export interface Done<Data> {
  readonly data: Data;
  /** The id of what was changed. */
  readonly subject: string;
  readonly before: unknown;
  readonly after: unknown;
  /** What the audit log calls it, where the door did something else than it is for. */
  readonly act?: string;
  /** What somebody is written once it is done. */
  readonly letters?: readonly Letter[];
}

/** What a change door answers after a row became another. */
export function changed<Row extends { readonly id: string }, Wire>(
  noun: { toWire(row: Row): Wire },
  row: Row,
  next: Row,
): Done<Wire> {
  const after = noun.toWire(next);
  return { data: after, subject: row.id, before: noun.toWire(row), after };
}

interface Change<Input extends TObject, Data extends TSchema> extends Door<Input, Data> {
  /** What the audit log calls it: "shop.create". */
  readonly act: string;
  /** Where cashiers may as well; without it, only operators. */
  readonly by?: "cashier";
  /** Where it brings a file or a long list. */
  readonly maxBodyBytes?: number;
  /** Where it may end the place of who calls: of themselves it asks refuseGone before that, once it has their row. */
  readonly mayEndOwn?: true;
  make(tx: Tx, app: App, input: Static<Input>, operator: Operator): Promise<Done<Static<Data>>>;
}

/** A door that changes something, in a transaction of its own. */
export function change<Input extends TObject, Data extends TSchema>(
  definition: Change<Input, Data>,
): Asked<Static<Input>, Static<Data>> {
  const { make, act, by, mayEndOwn, ...door } = definition;
  return endpoint<Input, Data, Operator>({
    ...door,
    method: "POST",
    gate: by === "cashier" ? cashierGate : operatorGate,
    problems: "all",
    refusesUnknown: true,
    handle: (app, { input, principal }) =>
      audited(app, { operator: principal, act }, async (tx) => {
        const done = await make(tx, app, withPlainReason(input), principal);
        if (!mayEndOwn || done.subject !== principal.id) await refuseGone(tx, app, principal);
        return done;
      }),
  });
}

/**
 * Who calls was proven before anything was locked: what somebody does counts only where they are still who they were
 * once it has waited for whoever had its rows.
 */
export async function refuseGone(tx: Tx, { clock }: App, { id, role }: Operator): Promise<void> {
  const [still] = await operatorsOf(tx, [id], clock.now());
  if (still?.role !== role) throw new Refusal("unauthorized");
}

/** Why somebody does something is kept for good and shown to others: a card's whole number is masked in it. */
export function withPlainReason<Input extends object>(input: Input): Input {
  if (!("reason" in input) || typeof input.reason !== "string") return input;
  return { ...input, reason: withoutCard(input.reason) };
}

/** A change and its row in the log, in one transaction. */
export async function audited<Data>(
  app: App,
  who: Omit<Audit, Exclude<keyof Done<unknown>, "act">>,
  make: (tx: Tx) => Promise<Done<Data>>,
): Promise<Data> {
  const made = await app.db.transaction(async (tx) => {
    const { data, letters = [], ...done } = await make(tx);
    // What changed nothing, such as a repeated call, leaves no row.
    const isRepeat = done.before !== null && isDeepStrictEqual(done.before, done.after);
    if (!isRepeat) await recordAudit(tx, app, { ...who, ...done });
    return { data, letters };
  });
  postLetters(app, made.letters);
  return made.data;
}

export interface Audit extends Omit<Done<unknown>, "data" | "letters" | "act"> {
  /** Without one it was the command line on the machine itself, or whoever is named. */
  readonly operator?: Operator;
  readonly by?: string;
  /** The merchant whose member it was. */
  readonly userId?: string;
  readonly act: string;
}

export function recordAudit(tx: Tx, app: App, audit: Audit): Promise<void> {
  return recordAudits(tx, app, [audit]);
}

export async function recordAudits(tx: Tx, app: App, audits: readonly Audit[]): Promise<void> {
  const rows = audits.map(({ operator, by = "command line", userId, ...audit }) => ({
    id: app.newId(),
    ...audit,
    user_id: userId ?? null,
    operator_id: operator?.id ?? null,
    operator_name: operator?.name ?? by,
  }));
  await addAudits(tx, rows, app.clock.now());
}

export const RefusedItem = Type.Object({
  error: Type.Array(Type.String(), { description: "Why this one is not done." }),
  code: Type.String({ description: "The same, for programs." }),
  status: Type.Integer({ description: "What it would have been answered with alone." }),
});

/** What is no refusal is nobody's item: it is thrown. */
export function toRefusedItem(error: unknown): Static<typeof RefusedItem> {
  if (!isFailure(error)) throw error;
  return {
    error: [error.words("en")].flat(),
    code: error instanceof InvalidInput ? "invalid_input" : error.code,
    status: error.status,
  };
}
