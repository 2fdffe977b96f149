// What a managed noun is: fields that are declared once. From them come the row as it is read, its columns,
// what the wire shows of it, and finding, locking and listing it. Guards that nothing is shown which is not
// declared to be.

import type { Static, TObject, TSchema, TUnsafe } from "typebox";
import { isoOrNull } from "../../domain/moment.ts";
import { toDecimalNumber } from "../../domain/money.ts";
import { Refusal, type RefusalCode } from "../../domain/refusal.ts";
import type { Queryable, Tx } from "../../platform/db.ts";
import { type PageSource, type PageWish, page } from "../../platform/db-page.ts";
import { findRows, type RowSource } from "../../platform/db-row.ts";
import { numberOrNull, Type, textOrNull, uuid } from "../../platform/field.ts";

/** A column, and how the wire shows it. */
interface Field<Value, Shown, Column> {
  /** Undefined for what is read and not shown. */
  readonly schema: TSchema | undefined;
  /** Undefined where the column is called as the field. */
  readonly column: Column;
  show(value: Value): Shown;
}

type Fields = Readonly<Record<string, Field<never, unknown, string | undefined>>>;

type Row<All extends Fields> = {
  readonly [Name in keyof All as All[Name]["column"] extends string
    ? All[Name]["column"]
    : Name]: Parameters<All[Name]["show"]>[0];
};

type Wire<All extends Fields> = TObject<{
  [Name in keyof All as ReturnType<All[Name]["show"]> extends undefined ? never : Name]: TUnsafe<
    ReturnType<All[Name]["show"]>
  >;
}>;

/** The ways into a list that its filters open, and what else it is read from. */
export type Ways = Partial<PageSource>;

/** The row of a noun: `RowOf<typeof Shop>`. */
export type RowOf<One> = One extends { toWire(row: infer Of): unknown } ? Of : never;

interface Source extends Omit<RowSource, "columns"> {
  /** Where a join brings some of them; else they are the table's own. */
  readonly columns?: string;
  /** What is answered where there is none; without it they are only listed. */
  readonly missing?: RefusalCode;
}

/** What fields make: the columns to read, the schema of what is shown, and from a row to that. */
export function shape<All extends Fields>(fields: All) {
  const all = Object.entries(fields).map(([name, { schema, column: named = name, show }]) => ({
    name,
    schema,
    column: named,
    show: show as (value: unknown) => unknown,
  }));
  const seen = all.filter(({ schema }) => schema !== undefined);
  const properties = Object.fromEntries(seen.map(({ name, schema }) => [name, schema]));
  return {
    columns: [...new Set(all.map((one) => `row.${one.column}`))].join(", "),
    wire: Type.Object(properties as Record<string, TSchema>) as unknown as Wire<All>,
    toWire(row: Row<All>): Static<Wire<All>> {
      const values: Readonly<Record<string, unknown>> = row;
      const wire: Record<string, unknown> = {};
      for (const one of seen) wire[one.name] = one.show(values[one.column]);
      return wire as Static<Wire<All>>;
    },
  };
}

/** The same for the rows of a table, and how they are found. */
export function noun<All extends Fields>({ missing, ...from }: Source, fields: All) {
  const { columns, wire, toWire } = shape(fields);
  const source = { columns, ...from };
  const key = `row.${from.keyColumn ?? "id"}`;
  const only = ([row]: readonly Row<All>[]): Row<All> => {
    if (row !== undefined) return row;
    throw missing === undefined ? new Error(`No row of ${from.from}.`) : new Refusal(missing);
  };
  return {
    wire,
    toWire,
    find: async (db: Queryable, id: string) => only(await findRows(db, source, { [key]: id })),
    /** It stays as it is until the transaction ends, and so does what it is joined with. */
    lock: async (tx: Tx, id: string) =>
      only(await findRows(tx, source, { [key]: id }, "for no key update")),
    /** All that have these values, of the table or of what it is joined with. */
    all: (db: Queryable, values: Readonly<Record<string, string>> = {}) =>
      findRows<Row<All>>(db, source, values),
    list: (db: Queryable, wish: PageWish, ways: Ways = {}) =>
      page<Row<All>>(db, wish, { ...source, ...ways }),
  };
}

function field<Value, Shown, Column extends string | undefined>(
  schema: TSchema | undefined,
  column: Column,
  show: (value: Value) => Shown,
): Field<Value, Shown, Column> {
  return { schema, column, show };
}

const same = <Value>(value: Value): Value => value;

/** The kinds of columns that nouns are made of; the words are the description's. */
export const column = {
  /** As it is. */
  as: <Schema extends TSchema>(schema: Schema) => field(schema, undefined, same<Static<Schema>>),
  /** Under another name, or shown otherwise than it is. */
  shown: field,
  /** Read, and never shown. */
  unseen: <Value>() => field(undefined, undefined, (_value: Value) => undefined),
  /** The key of its table. */
  id: (description: string) => field(uuid({ description }), "id", same<string>),
  /** The id of something else. */
  uuid: (description: string) => column.as(uuid({ description })),
  uuidOrNull: (description: string) => column.as(textOrNull({ description }, "uuid")),
  text: (description: string, ...examples: string[]) =>
    column.as(Type.String({ description, ...shown(examples) })),
  textOrNull: (description: string) => column.as(textOrNull({ description })),
  urlOrNull: (description: string) => column.as(textOrNull({ description }, "uri")),
  integer: (description: string, ...examples: number[]) =>
    column.as(Type.Integer({ description, ...shown(examples) })),
  yesNo: (description: string) => column.as(Type.Boolean({ description })),
  moment: (description: string) => field(isoMoment(description), undefined, isoOf),
  momentOrNull: (description: string) =>
    field(textOrNull({ description }, "date-time"), undefined, isoOrNull),
  /** Minor units in the column, a number with two decimals on the wire. */
  amount: <Column extends string>(name: Column, description: string, ...examples: number[]) =>
    field(Type.Number({ description, ...shown(examples) }), name, toDecimalNumber),
  amountOrNull: <Column extends string>(name: Column, description: string) =>
    field(numberOrNull({ description }), name, amountOrNull),
};

/** Of the answers in the API's description. */
function shown(examples: readonly unknown[]): { examples?: readonly unknown[] } {
  return examples.length === 0 ? {} : { examples };
}

/** ISO 8601, in UTC. */
export function isoMoment(description: string) {
  return Type.String({ format: "date-time", description });
}

function isoOf(at: Date): string {
  return at.toISOString();
}

function amountOrNull(minor: bigint | null): number | null {
  return minor === null ? null : toDecimalNumber(minor);
}
