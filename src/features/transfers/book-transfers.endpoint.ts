// POST /manage/transfers: money that arrived, one transfer or a list. A list is safe to repeat, one
// refusal changes nothing for the others, and a call has one row in the audit log.

import type { Static } from "typebox";
import { needsTwo } from "../../domain/approval.ts";
import { minorFromNumber } from "../../domain/money.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { LockTimeout } from "../../platform/db-failure.ts";
import { type Call, hotEndpoint } from "../../platform/endpoint.ts";
import { butErrors, isFailure } from "../../platform/failure.ts";
import { decimal, moment, Type, text, uuid } from "../../platform/field.ts";
import { type InvalidInput, judgeOf } from "../../platform/input.ts";
import type { Proven } from "../../platform/remember.ts";
import { type Audit, RefusedItem, recordAudits, toRefusedItem } from "../operators/doors.ts";
import { bankGate, type Operator } from "../operators/operator.ts";
import { requisitesById } from "../requisites/queries.ts";
import { ownersByWallet, recallOwners } from "../requisites/wallet.ts";
import { Transfers } from "./nouns.ts";
import { type Accepted, type Arrival, acceptTransfers } from "./transfers.ts";

const MOST_ITEMS = 500;
/** So many of the longest items, in letters of two bytes. */
const MAX_BODY_BYTES = 768 * 1024;

const WORDS = {
  wallet: "The card or phone that the money arrived on.",
  requisite_id: "Or its requisite.",
  amount: "How much arrived.",
  reference: "The bank's own reference.",
  made_at:
    "When the money was paid (ISO 8601): a moment with its offset, as exact as it is known, or a day " +
    "of the service's time zone. Without it the moment of telling counts.",
  payer: "Who sent it, as the bank says.",
} as const;

const OneTransfer = Type.Object({
  wallet: Type.Optional(
    text({ max: 64 }, { description: WORDS.wallet, examples: ["2202200000000015"] }),
  ),
  requisite_id: Type.Optional(uuid({ description: WORDS.requisite_id })),
  amount: decimal({ min: 0.01 }, { description: WORDS.amount, examples: [500] }),
  reference: text({ max: 255 }, { description: WORDS.reference, examples: ["bank-1"] }),
  made_at: Type.Optional(moment({ description: WORDS.made_at })),
  payer: Type.Optional(text({ max: 255 }, { description: WORDS.payer, examples: ["Иван П."] })),
});

/** What no program should send refuses the whole list; what a bank may say is judged item by item. */
const Item = Type.Object({
  wallet: Type.Optional(Type.String({ description: WORDS.wallet })),
  requisite_id: Type.Optional(Type.String({ description: WORDS.requisite_id })),
  amount: Type.Number({ description: WORDS.amount }),
  reference: Type.String({ description: WORDS.reference }),
  made_at: Type.Optional(Type.String({ description: WORDS.made_at })),
  payer: Type.Optional(Type.String({ description: WORDS.payer })),
});

const Input = Type.Object({
  ...Type.Partial(OneTransfer).properties,
  items: Type.Optional(
    Type.Array(Item, {
      minItems: 1,
      maxItems: MOST_ITEMS,
      description: "Instead of one: up to 500, answered in their order.",
    }),
  ),
});

const Booked = Type.Object({
  ...Transfers.wire.properties,
  fresh: Type.Boolean({ description: "Whether it was new; false for a repeated one." }),
  joined: Type.Boolean({
    description: "Whether a statement or a phone had told of it before: it is the same money.",
  }),
});

const Data = Type.Union([
  Booked,
  Type.Object({ items: Type.Array(Type.Union([Booked, RefusedItem])) }),
]);

type Answer = Static<typeof Data> | Error;
type BookingOutcome = Accepted | Error;

/** One call: what it tells of, each already judged by itself. */
interface Ask {
  readonly operator: Operator;
  readonly isList: boolean;
  readonly told: readonly (Told | InvalidInput)[];
}

const judge = judgeOf(OneTransfer);

export const bookTransfers = hotEndpoint({
  method: "POST",
  path: "/manage/transfers",
  summary: "Add a transfer, or a list of them",
  description:
    "The same reference on the same requisite counts once: a repeated call changes nothing, and " +
    "one with another amount is refused. In a list each item gets its own answer.",
  gate: bankGate,
  input: Input,
  data: Data,
  notFound: "There is no such requisite.",
  problems: "all",
  refusesUnknown: true,
  maxBodyBytes: MAX_BODY_BYTES,
  lanes: 2,
  async handleSet(app, calls: readonly Call<Static<typeof Input>, Operator>[]) {
    return butErrors(calls.map(askOf), async (asks) => {
      const answers: Answer[] = [];
      for (const part of inParts(asks)) answers.push(...(await book(app, part)));
      return answers;
    });
  },
});

function askOf({ input, principal: operator }: Call<Static<typeof Input>, Operator>): Ask | Error {
  const { items, ...one } = input;
  const isByOperator = operator.role !== "bank";
  const by = { channel: isByOperator ? "hand" : "api", isByOperator } as const;
  if (items === undefined) {
    const problem = judge(one);
    return problem ?? { operator, isList: false, told: [{ ...(one as Told), ...by }] };
  }
  if (Object.keys(one).length > 0) return new Refusal("one_transfer_or_list");
  return { operator, isList: true, told: items.map((item) => judge(item) ?? { ...item, ...by }) };
}

/** Calls that share a transaction, of about as many transfers as one list may have. */
function inParts(asks: readonly Ask[]): Ask[][] {
  const parts: Ask[][] = [];
  let room = 0;
  for (const ask of asks) {
    if (ask.told.length > room) {
      parts.push([]);
      room = MOST_ITEMS;
    }
    parts.at(-1)?.push(ask);
    room -= ask.told.length;
  }
  return parts;
}

/**
 * Nothing is thrown: the set would be run again as a whole, and a part that was booked would be told as
 * a repeat. Where a part fails for a reason of one of its calls, each runs alone.
 */
async function book(app: App, asks: readonly Ask[]): Promise<Answer[]> {
  const [settled] = await Promise.allSettled([
    ownersIn(app, asks).then((known) =>
      app.db.transaction((tx) => bookTogether(tx, app, asks, known), "one plan"),
    ),
  ]);
  if (settled.status === "fulfilled") return settled.value;
  const { reason } = settled;
  const error = reason instanceof Error ? reason : new Error(String(reason));
  if (asks.length === 1 || (isFailure(error) && !(error instanceof LockTimeout))) {
    return asks.map(() => error);
  }
  const answers: Answer[] = [];
  for (const ask of asks) answers.push(...(await book(app, [ask])));
  return answers;
}

/** By the settings that their callers were proven by; of a person at a page nothing is kept. */
async function ownersIn(app: App, asks: readonly Ask[]): Promise<Owners> {
  const callers = asks.map(({ operator }) => operator).filter(isProven);
  if (callers.length < asks.length) return new Map();
  const told = asks.flatMap((ask) => ask.told).filter((one) => "amount" in one);
  return recallOwners(app, callers, walletsIn(told));
}

function isProven(operator: Operator): operator is Operator & Proven {
  return operator.settingsVersion !== undefined;
}

async function bookTogether(
  tx: Tx,
  app: App,
  asks: readonly Ask[],
  known: Owners,
): Promise<Answer[]> {
  const told = asks.flatMap((ask) => ask.told);
  const outcomes = await butErrors(told, (right) => bookTold(tx, app, right, known));
  const done = asks.map((ask) => ({ ask, outcomes: outcomes.splice(0, ask.told.length) }));
  await recordAudits(
    tx.closing,
    app,
    done.flatMap(({ ask, outcomes }) => auditOf(ask, outcomes)),
  );
  return done.map(({ ask, outcomes }) => (ask.isList ? listed(outcomes) : alone(outcomes)));
}

/** What changed nothing because it was refused, was known, or has to come again, leaves no row. */
function auditOf({ operator, isList, told }: Ask, outcomes: readonly BookingOutcome[]): Audit[] {
  const accepted = outcomes.flatMap((one) => (one instanceof Error ? [] : [one]));
  const [first] = accepted.filter((one) => one.fresh);
  if (first === undefined) return [];
  const act = { operator, act: "transfer.add" };
  if (!isList) {
    // Who sent it stands in the transfer, from where it can be removed: the log keeps what it has.
    const { payer: _payer, ...after } = Transfers.toWire(first.transfer);
    return [{ ...act, subject: first.transfer.id, before: null, after }];
  }
  const fresh = accepted.filter((one) => one.fresh).map(({ transfer }) => transfer.id);
  const known = accepted.length - fresh.length;
  const refused = told.length - accepted.length;
  const after = { told: told.length, refused, fresh, known };
  return [{ ...act, subject: `${told.length} transfers`, before: null, after }];
}

function alone([outcome]: readonly BookingOutcome[]): Answer {
  if (outcome === undefined) return new Error("A transfer got no outcome.");
  return outcome instanceof Error ? outcome : toBooked(outcome);
}

function listed(outcomes: readonly BookingOutcome[]): Answer {
  return {
    items: outcomes.map((one) => (one instanceof Error ? toRefusedItem(one) : toBooked(one))),
  };
}

function toBooked({ transfer, fresh, joined }: Accepted): Static<typeof Booked> {
  return { ...Transfers.toWire(transfer), fresh, joined };
}

export interface Told {
  readonly wallet?: string | undefined;
  readonly requisite_id?: string | undefined;
  readonly amount: number;
  readonly reference: string;
  readonly made_at?: string | undefined;
  readonly payer?: string | undefined;
  /** Whether a person tells of it, as in the sandbox, or a bank's program. */
  readonly channel?: "hand" | "api";
  /** Whether that person is an operator at work, whose word alone is not enough from a sum on. */
  readonly isByOperator?: boolean;
}

/** Numbers whose owners the caller knows are not asked about. */
export async function bookTold(
  tx: Tx,
  app: App,
  told: readonly Told[],
  known: Owners = new Map(),
): Promise<(Accepted | Error)[]> {
  const receiverOf = await receivers(tx, app, told, known);
  const arrivals = told.map((one): Arrival | Refusal => {
    const receiver = receiverOf(one);
    if (receiver instanceof Refusal) return receiver;
    const { amount, reference, made_at: madeAt, payer = null, channel = "hand" } = one;
    const amountMinor = minorFromNumber(amount) ?? 0n;
    const needsSecond = one.isByOperator && needsTwo(amountMinor, app.config.fourEyesFrom);
    return {
      requisiteId: receiver.id,
      currency: receiver.currency,
      reference,
      payer,
      channel,
      amountMinor,
      hold: needsSecond ? "told_by_hand" : undefined,
      ...(madeAt === undefined ? {} : { madeAt }),
    };
  });
  return butErrors(arrivals, (known) => acceptTransfers(tx, app, known));
}

interface Receiver {
  readonly id: string;
  readonly currency: string;
}

type Owners = ReadonlyMap<string, Receiver>;

/** Where each arrived. Who names both the number and the requisite means one and the same. */
async function receivers(
  tx: Tx,
  { secrets }: App,
  told: readonly Told[],
  known: Owners,
): Promise<(one: Told) => Receiver | Refusal> {
  const wallets = walletsIn(told).filter((wallet) => !known.has(wallet));
  const ids = [...new Set(told.flatMap(({ requisite_id: id }) => id?.toLowerCase() ?? []))];
  const [owners, rows] = await Promise.all([
    wallets.length === 0 ? known : ownersByWallet(tx, secrets, wallets),
    ids.length === 0 ? [] : requisitesById(tx, ids),
  ]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ({ wallet, requisite_id: id }) => {
    const named = id === undefined ? undefined : byId.get(id.toLowerCase());
    if (id !== undefined && named === undefined) return new Refusal("requisite_not_found");
    if (wallet === undefined && named !== undefined) return named;
    const owner = known.get(wallet ?? "") ?? owners.get(wallet ?? "");
    const isOther = owner === undefined || (named !== undefined && named.id !== owner.id);
    return isOther ? new Refusal("wallet_unknown") : owner;
  };
}

function walletsIn(told: readonly Pick<Told, "wallet">[]): string[] {
  return [...new Set(told.flatMap(({ wallet }) => wallet ?? []))];
}
