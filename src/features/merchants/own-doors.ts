// The kinds of doors that a merchant's own people have: a view, a list, a change, each with the right that it
// needs. Guards that they are asked in the name of one merchant, and that a change and its row in the audit log
// are there together or not at all. What a door reads it filters by `member.userId` itself: what is another
// merchant's is answered as what is not there.

import type { Static, TObject, TProperties, TSchema } from "typebox";
import { Refusal, type RefusalCode } from "../../domain/refusal.ts";
import type { Right } from "../../domain/role.ts";
import type { App } from "../../platform/app.ts";
import type { Queryable, Tx } from "../../platform/db.ts";
import type { KeysetPage, PageWish } from "../../platform/db-page.ts";
import { type Asked, endpoint } from "../../platform/endpoint.ts";
import { pageFields, pageOf, Type, toPage } from "../../platform/field.ts";
import { audited, type Done, type Door, withPlainReason } from "../operators/doors.ts";
import type { Ways } from "../operators/noun.ts";
import { type Member, memberGateFor, memberMark } from "./member.ts";
import { livingMembers, membershipsOf } from "./member-queries.ts";
import { type ShopRow, Shops } from "./nouns.ts";

interface OwnDoor<Input extends TObject, Data extends TSchema> extends Door<Input, Data> {
  /** Whose role has it not is refused. */
  readonly right: Right;
}

interface OwnView<Input extends TObject, Data extends TSchema> extends OwnDoor<Input, Data> {
  read(app: App, input: Static<Input>, member: Member): Promise<Static<Data>>;
}

/** A door that only looks. */
export function ownView<Input extends TObject, Data extends TSchema>(
  definition: OwnView<Input, Data>,
): Asked<Static<Input>, Static<Data>> {
  const { read, right, ...door } = definition;
  return endpoint<Input, Data, Member>({
    ...door,
    method: "GET",
    gate: memberGateFor(right),
    problems: "all",
    refusesUnknown: true,
    handle: (app, { input, principal }) => read(app, input, principal),
  });
}

interface OwnList<Filters extends TProperties, Row, Item extends TSchema> {
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly notFound?: string;
  readonly right: Right;
  readonly noun: {
    readonly wire: Item;
    list(db: Queryable, wish: PageWish, ways?: Ways): Promise<KeysetPage<Row>>;
    toWire(row: Row): unknown;
  };
  readonly filters: Filters;
  /** How the merchant's own are found, and by what is asked for among them. */
  ways(app: App, input: Static<TObject<Filters>>, member: Member): Ways | Promise<Ways>;
}

type Wish<Filters extends TProperties> = Static<TObject<Filters & typeof pageFields>>;

interface Page<Item extends TSchema> {
  readonly items: readonly Static<Item>[];
  readonly next: string | null;
}

/** A door to all of a noun that is the merchant's, page by page. */
export function ownList<Filters extends TProperties, Row, Item extends TSchema>(
  definition: OwnList<Filters, Row, Item>,
): Asked<Wish<Filters>, Page<Item>> {
  const { noun, filters, ways, ...door } = definition;
  return ownView<TObject, TSchema>({
    ...door,
    input: Type.Object({ ...pageFields, ...filters }),
    data: pageOf(noun.wire),
    async read(app, input, member) {
      const found = await ways(app, input as Static<TObject<Filters>>, member);
      return toPage(await noun.list(app.db, input, found), noun.toWire);
    },
  }) as Asked<Wish<Filters>, Page<Item>>;
}

interface OwnChange<Input extends TObject, Data extends TSchema> extends OwnDoor<Input, Data> {
  /** What the audit log calls it: "shop.update". */
  readonly act: string;
  /** Where it may end the place of who calls, or their token: it asks refuseGoneMember itself before that. */
  readonly mayEndOwn?: true;
  make(tx: Tx, app: App, input: Static<Input>, member: Member): Promise<Done<Static<Data>>>;
}

/** A door that changes something, in a transaction of its own. */
export function ownChange<Input extends TObject, Data extends TSchema>(
  definition: OwnChange<Input, Data>,
): Asked<Static<Input>, Static<Data>> {
  const { make, act, right, mayEndOwn, ...door } = definition;
  return endpoint<Input, Data, Member>({
    ...door,
    method: "POST",
    gate: memberGateFor(right),
    problems: "all",
    refusesUnknown: true,
    handle: (app, { input, principal }) =>
      audited(app, { by: principal.name, userId: principal.userId, act }, async (tx) => {
        const done = await make(tx, app, withPlainReason(input), principal);
        if (!mayEndOwn) await refuseGoneMember(tx, app, principal);
        return done;
      }),
  });
}

/** As of operators, see refuseGone: an owner who was let go meanwhile, or whose token was, has asked for nothing. */
export async function refuseGoneMember(tx: Tx, { clock }: App, member: Member): Promise<void> {
  const { digest, personId } = member;
  const still = digest
    ? await livingMembers(tx, [digest], clock.now())
    : await membershipsOf(tx, [personId]);
  const mark = memberMark(member);
  if (!still.some((one) => memberMark(one) === mark)) throw new Refusal("unauthorized");
}

/** What is another merchant's sounds like what nobody has. */
export function ofMember<Row extends { readonly user_id: string | null }>(
  row: Row,
  { userId }: Member,
  missing: RefusalCode,
): Row {
  if (row.user_id !== userId) throw new Refusal(missing);
  return row;
}

export async function findOwnShop(db: Queryable, id: string, member: Member): Promise<ShopRow> {
  return ofMember(await Shops.find(db, id), member, "shop_not_found");
}

/** It is theirs before it is locked: nobody waits for, or holds, a row of somebody else. */
export async function lockOwnShop(tx: Tx, id: string, member: Member): Promise<ShopRow> {
  return Shops.lock(tx, (await findOwnShop(tx, id, member)).id);
}

/** The shops that a list is of: the one that is asked for, or all of the merchant's. */
export async function ownShopIds(
  db: Queryable,
  member: Member,
  asked: string | undefined,
): Promise<readonly string[]> {
  if (asked !== undefined) return [(await findOwnShop(db, asked, member)).id];
  return (await Shops.all(db, { "row.user_id": member.userId })).map(({ id }) => id);
}
