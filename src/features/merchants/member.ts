// Who works for a merchant, proven by a token of their own. Guards that a token opens only what the role of its
// membership may do, and nothing once the token, the membership or the person is over.

import { Refusal } from "../../domain/refusal.ts";
import { type MemberRole, may, RIGHTS, type Right, whoMay } from "../../domain/role.ts";
import type { App } from "../../platform/app.ts";
import type { Credentials, Gate } from "../../platform/endpoint.ts";
import type { Secrets } from "../../platform/secret.ts";
import { operatorOf } from "../people/person.ts";
import type { SessionWithPerson } from "../people/session-queries.ts";
import { livingMembers, membershipsOf } from "./member-queries.ts";
import { Users } from "./nouns.ts";

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
