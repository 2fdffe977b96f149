// Sessions: a cookie whose token is stored as a keyed digest only, and an operator's look at a cabinet.
// A session ends by idle time, by age or by its person; its token changes with every proof.

import { addSeconds } from "../../domain/moment.ts";
import { type App, perApp } from "../../platform/app.ts";
import type { Queryable, Tx } from "../../platform/db.ts";
import { HttpFailure } from "../../platform/failure.ts";
import { openThrottle } from "../../platform/throttle.ts";
import type { Visit } from "../../platform/web-page.ts";
import { recordAudit } from "../operators/doors.ts";
import type { Operator } from "../operators/operator.ts";
import type { PersonRow, SessionRow } from "./nouns.ts";
import {
  addSession,
  endSession,
  endSessionOf,
  keepDevice,
  knowsDevice,
  livingSession,
  livingSessions,
  lookFrom,
  renewSession,
  type SessionWithPerson,
  seeSession,
} from "./queries.ts";

const HOUR = 60 * 60;

/** How long it lives untouched, and at most: at the desk there is more to take. */
const AT_DESK = { idleSeconds: HOUR, wholeSeconds: 12 * HOUR };
const AT_CABINET = { idleSeconds: 24 * HOUR, wholeSeconds: 14 * 24 * HOUR };
const DEVICE_SECONDS = 365 * 24 * HOUR;

/** After a proof, for so long, what is dangerous is done without another one. */
const PROOF_SECONDS = 10 * 60;
const SEEN_SECONDS = 60;

function limitsOf({ desk_role }: Pick<PersonRow, "desk_role">) {
  return desk_role === null ? AT_CABINET : AT_DESK;
}

type Age = Pick<SessionRow, "created_at" | "seen_at">;

function idleSecondsOf({ seen_at }: Age, now: Date): number {
  return (now.getTime() - seen_at.getTime()) / 1000;
}

/** Too old, or left alone for too long. Who has come to the desk since then has the desk's hours. */
function isOver(session: Age, person: Pick<PersonRow, "desk_role">, now: Date): boolean {
  const { wholeSeconds, idleSeconds } = limitsOf(person);
  if (addSeconds(session.created_at, wholeSeconds) <= now) return true;
  return idleSecondsOf(session, now) > idleSeconds;
}

/** Of these sessions those that are not over. */
export async function livingOf(
  { db, clock }: App,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const now = clock.now();
  const rows = await livingSessions(db, ids, now);
  return new Set(rows.filter((row) => !isOver(row, row, now)).map(({ id }) => id));
}

/** Without https, which only a sandbox or a machine by itself has, browsers keep no cookie with that prefix. */
function cookieNames({ config }: App) {
  const isSecure = config.deskUrl.startsWith("https:");
  const prefix = isSecure ? "__Host-" : "";
  return { session: `${prefix}kopeck`, device: `${prefix}kopeck-device`, isSecure };
}

function cookie(app: App, name: string, value: string, seconds: number): string {
  const { isSecure } = cookieNames(app);
  const flags = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}`;
  return `${name}=${value}; ${flags}${isSecure ? "; Secure" : ""}`;
}

/** With a host for each site, a token counts on the host that gave it: elsewhere its digest is unknown. */
function digestOf({ secrets, config }: App, token: string, { host }: Visit): Buffer {
  const isSplit = config.deskUrl !== config.cabinetUrl;
  return secrets.digest(isSplit ? `session at ${host}` : "session", token);
}

function deviceDigest({ secrets }: App, token: string): Buffer {
  return secrets.digest("device", token);
}

/** What a browser shows for its session; nothing is proven by it yet. */
function tokenOf(app: App, { cookies }: Visit): string | undefined {
  const token = cookies[cookieNames(app).session];
  return token === undefined || token.length > 100 ? undefined : token;
}

const MAX_PAGES_UNDER_WAY = 16;
const pagesUnderWay = perApp(() => new Map<string, number>());

/** Refuses a page past the limit of its session, before anything is looked up. */
export async function limitPages<Result>(
  app: App,
  visit: Visit,
  work: () => Promise<Result>,
): Promise<Result> {
  const token = tokenOf(app, visit);
  if (token === undefined) return work();
  const counts = pagesUnderWay(app);
  const count = counts.get(token) ?? 0;
  if (count >= MAX_PAGES_UNDER_WAY) throw new HttpFailure("overloaded");
  counts.set(token, count + 1);
  try {
    return await work();
  } finally {
    const left = (counts.get(token) ?? 1) - 1;
    if (left === 0) counts.delete(token);
    else counts.set(token, left);
  }
}

export async function signedIn(app: App, visit: Visit): Promise<SessionWithPerson | undefined> {
  const token = tokenOf(app, visit);
  if (token === undefined) return undefined;
  const now = app.clock.now();
  const found = await livingSession(app.db, digestOf(app, token, visit), now);
  if (found === undefined) return undefined;
  const { session, person } = found;
  if (isOver(session, person, now)) return undefined;
  // A page that shows what is new would else keep a session for whoever comes by.
  const isUsed = !visit.isByScript && idleSecondsOf(session, now) > SEEN_SECONDS;
  if (isUsed) await seeSession(app.db, session.id, now);
  return found;
}

export function isProven({ clock }: App, { proven_at }: SessionRow): boolean {
  return clock.now() < addSeconds(proven_at, PROOF_SECONDS);
}

/** A new session; the answer is its cookies, and that of the browser, which is known from now on. */
export async function openSession(
  tx: Tx,
  app: App,
  person: PersonRow,
  visit: Visit,
): Promise<string[]> {
  const now = app.clock.now();
  const { wholeSeconds } = limitsOf(person);
  const names = cookieNames(app);
  const token = app.secrets.fresh("");
  // The one that this browser had before is known to it no more, and so to nobody who should.
  const before = visit.cookies[names.session];
  if (before !== undefined) await endSessionOf(tx, digestOf(app, before, visit), now);
  await addSession(tx, {
    id: app.newId(),
    person_id: person.id,
    digest: digestOf(app, token, visit),
    user_id: null,
    address: visit.address,
    agent: visit.userAgent.slice(0, 300).replaceAll("\0", ""),
    created_at: now,
    seen_at: now,
    proven_at: now,
    ends_at: addSeconds(now, wholeSeconds),
    ended_at: null,
  });
  const device = visit.cookies[names.device];
  const known = device !== undefined && (await isKnown(tx, app, device, person.id));
  const kept = known ? device : app.secrets.fresh("");
  await keepDevice(tx, deviceDigest(app, kept), person.id, now);
  return [
    cookie(app, names.session, token, wholeSeconds),
    cookie(app, names.device, kept, DEVICE_SECONDS),
  ];
}

/** Whether this browser has signed in as them before. */
export async function isKnownBrowser(
  tx: Tx,
  app: App,
  visit: Visit,
  personId: string,
): Promise<boolean> {
  const token = visit.cookies[cookieNames(app).device];
  return token !== undefined && isKnown(tx, app, token, personId);
}

/** So often such a browser may be wrong, too: it may have been stolen with its cookies. */
const DEVICE_TRIES = { burst: 10, perSecond: 1 / 60 };
const deviceTries = perApp(({ clock }) => openThrottle(clock, DEVICE_TRIES));

/** Whether this browser has signed in as them before, and has not tried too often since. */
export async function isOwnDevice(app: App, visit: Visit, personId: string): Promise<boolean> {
  const token = visit.cookies[cookieNames(app).device];
  if (token === undefined || !(await isKnown(app.db, app, token, personId))) return false;
  return deviceTries(app).allows(deviceDigest(app, token).toString("base64url"));
}

function isKnown(db: Queryable, app: App, token: string, personId: string): Promise<boolean> {
  return knowsDevice(db, deviceDigest(app, token), personId);
}

/** Who they are was proven anew. */
export async function proveSession(
  tx: Tx,
  app: App,
  person: PersonRow,
  session: SessionRow,
  visit: Visit,
): Promise<string[]> {
  const token = app.secrets.fresh("");
  await renewSession(tx, session.id, digestOf(app, token, visit), app.clock.now());
  return [cookie(app, cookieNames(app).session, token, limitsOf(person).wholeSeconds)];
}

export async function signOut(app: App, { session }: SessionWithPerson): Promise<string[]> {
  await endSession(app.db, session.person_id, session.id, app.clock.now());
  return [cookie(app, cookieNames(app).session, "", 0)];
}

const LOOK_SECONDS = 60 * 60;

/** One merchant at a time: whoever looks at another one looks at the first no more. */
export async function startLook(
  app: App,
  { id }: Pick<SessionRow, "id">,
  operator: Operator,
  userId: string,
): Promise<void> {
  const until = addSeconds(app.clock.now(), LOOK_SECONDS);
  await app.db.transaction(async (tx) => {
    await lookFrom(tx, id, userId, until);
    const what = { act: "user.look", subject: userId, before: null, after: { ends_at: until } };
    await recordAudit(tx, app, { operator, userId, ...what });
  });
}
