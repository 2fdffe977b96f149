// A member of a merchant, proven by a token, and the kinds of endpoints under /cabinet. A token opens what
// the role of its membership allows, until the token, the membership or the person ends.

import type { Static, TObject, TProperties, TSchema } from "typebox";
import { Refusal, type RefusalCode } from "../../domain/refusal.ts";
import { type MemberRole, may, RIGHTS, type Right, whoMay } from "../../domain/role.ts";
import type { App } from "../../platform/app.ts";
import type { Queryable, Tx } from "../../platform/db.ts";
import type { KeysetPage, PageWish } from "../../platform/db-page.ts";
import { type Asked, type Credentials, endpoint, type Gate } from "../../platform/endpoint.ts";
import { pageFields, pageOf, Type, toPage } from "../../platform/field.ts";
import type { Secrets } from "../../platform/secret.ts";
import { audited, type Done, type Door, withPlainReason } from "../operators/doors.ts";
import type { Ways } from "../operators/noun.ts";
import { operatorOf } from "../people/person.ts";
import type { SessionWithPerson } from "../people/queries.ts";
import { type ShopRow, Shops, Users } from "./nouns.ts";
import { livingMembers, membershipsOf } from "./queries.ts";

export interface Member {
  readonly personId: string;
  readonly name: string;
  /** The merchant. */
  readonly userId: string;
  readonly role: MemberRole;
  /** Of who calls by a token, what is kept of it, and when it ends; null for never. */
  readonly digest?: Buffer;
  readonly tokenEndsAt?: Date | null;
  /** None of the merchant's people, but an operator who sees what its owner sees, and changes nothing. */
  readonly onlyLooks?: true;
}

export function memberTokenDigest(secrets: Secrets, token: string): Buffer {
  return secrets.digest("member token", token);
}

async function prove(
  { db, clock, secrets }: App,
  presented: readonly Credentials[],
): Promise<(Member | undefined)[]> {
  const sent = new Set(presented.map(({ secret }) => secret));
  const digests = new Map(
    [...sent].map((secret) => [secret, memberTokenDigest(secrets, tokenOf(secret))]),
  );
  const rows = await livingMembers(db, [...digests.values()], clock.now());
  // As with operators: the token itself is never looked for, only its keyed digest.
  const byDigest = new Map(rows.map((member) => [member.digest.toString("hex"), member]));
  return presented.map(({ secret }) => byDigest.get(digests.get(secret)?.toString("hex") ?? ""));
}

function tokenOf(header: string): string {
  return /^Bearer +(\S+)$/i.exec(header)?.[1] ?? "";
}

/** Of one that its caller has to have; for what depends on more than the door. */
export function refuseWithout(right: Right, { role }: Pick<Member, "role">): void {
  if (!may(role, right)) throw new Refusal("role_cannot", whoMay(right));
}

function gateFor(right: Right): Gate<Member> {
  const admits = ({ role, onlyLooks }: Member, method: "GET" | "POST" = "GET") => {
    if (onlyLooks && method !== "GET") return new Refusal("looker_cannot_change");
    return may(role, right) ? undefined : new Refusal("role_cannot", whoMay(right));
  };
  return {
    name: "member",
    header: "authorization",
    description: "Bearer and a personal token of somebody who works for a merchant.",
    callers: "cabinet",
    accountOf: ({ userId }) => userId,
    forbids: `The role is none of: ${RIGHTS[right].join(", ")}.`,
    refusal: (missing) => new Refusal("unauthorized", {}, missing),
    admits,
    async lookUp(app, presented) {
      const members = await prove(app, presented);
      return members.map((member) => member && (admits(member) ?? member));
    },
  };
}

/** One for each right, however many doors ask for it. */
const GATES = new Map((Object.keys(RIGHTS) as Right[]).map((right) => [right, gateFor(right)]));

export function memberGateFor(right: Right): Gate<Member> {
  return GATES.get(right) ?? gateFor(right);
}

/** A member who has signed in, and where else they are one. */
export interface Cabinet extends Member {
  readonly merchant: string;
  readonly all: readonly { readonly userId: string; readonly merchant: string }[];
}

/** Of the merchants that a person works for the one they have chosen, or the first. */
async function chosenMember(
  { db }: App,
  personId: string,
  userId: string | null,
): Promise<Cabinet | undefined> {
  const all = await membershipsOf(db, [personId]);
  const chosen = all.find((one) => one.userId === userId) ?? all[0];
  return chosen && { ...chosen, all };
}

/** Of an operator who looks at a merchant's cabinet, while they are one and their hour lasts. */
async function lookerOf(
  app: App,
  { person, session }: SessionWithPerson,
): Promise<Cabinet | undefined> {
  const { looks_at: userId, looks_until: until } = session;
  if (userId === null || until === null || until <= app.clock.now()) return undefined;
  if ((await operatorOf(app, person)) === undefined) return undefined;
  const { name: merchant } = await Users.find(app.db, userId);
  const { id: personId, name } = person;
  return { personId, name, userId, role: "owner", onlyLooks: true, merchant, all: [] };
}

/** As whom somebody who has signed in sees the cabinet. */
export async function cabinetOf(app: App, signed: SessionWithPerson): Promise<Cabinet | undefined> {
  const looker = await lookerOf(app, signed);
  return looker ?? chosenMember(app, signed.person.id, signed.session.user_id);
}

/** Who somebody is at a merchant, in a word: another one with another role. */
export function memberMark({ personId, userId, role }: Member): string {
  return `${personId} ${userId} ${role}`;
}

export async function memberMarks({ db }: App, personIds: readonly string[]): Promise<string[]> {
  return (await membershipsOf(db, personIds)).map(memberMark);
}

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
