// Letters wait in memory until the operator's mail server takes them; no request waits for one.

import { type App, perApp } from "./app.ts";
import { codeOf } from "./failure.ts";
import { openThrottle } from "./throttle.ts";

export interface Letter {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

interface Waiting {
  readonly letter: Letter;
  readonly failures: number;
  readonly dueAt: number;
}

/** Past this the newest are left out: a mail server that is away fills no memory. */
const MAX_WAITING = 1_000;
/** What one address gets, whoever writes: nobody is buried in our letters. */
const TO_ONE = { burst: 10, perSecond: 1 / 360 };
/** After each failure; after the last of them it is given up. */
const PAUSES_MS = [30_000, 300_000];
const PATIENCE_MS = 5_000;
/** So many at a time: a server that hangs holds the job for less than what is called hanging. */
const SET = 3;

const letterBox = perApp(({ clock }) => ({
  waiting: [] as Waiting[],
  underWay: 0,
  toOne: openThrottle(clock, TO_ONE),
}));

/** Once what they tell of is committed; without a mail server nothing happens. */
export function postLetters(app: App, letters: readonly Letter[]): void {
  if (app.config.mail === undefined) return;
  const { waiting, toOne } = letterBox(app);
  for (const letter of letters) {
    const isTaken = waiting.length < MAX_WAITING && toOne.allows(letter.to);
    if (isTaken) waiting.push({ letter, failures: 0, dueAt: app.clock.now().getTime() });
    else count(app, "left_out");
  }
}

/**
 * Tries some that are due, one after the other; an end of the process is not kept waiting. The answer is 0 where no
 * more are due.
 */
export async function sendLetters(app: App): Promise<number> {
  const now = app.clock.now().getTime();
  const due = letterBox(app)
    .waiting.filter(({ dueAt }) => dueAt <= now)
    .slice(0, SET);
  if (due.length === 0) return 0;
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  app.ending.addEventListener("abort", () => end(), { once: true });
  for (const one of due) {
    if (app.ending.aborted) return 0;
    await Promise.race([attempt(app, one), ended]);
  }
  return due.length < SET ? 0 : SET;
}

async function attempt(app: App, one: Waiting): Promise<void> {
  const box = letterBox(app);
  const at = box.waiting.indexOf(one);
  if (at < 0) return;
  box.waiting.splice(at, 1);
  box.underWay += 1;
  try {
    await deliver(app, one.letter);
    count(app, "sent");
  } catch (error) {
    const pauseMs = PAUSES_MS[one.failures];
    // The words of the server may hold the address; its number and the kind of failure are enough.
    const status = (error as { responseCode?: unknown }).responseCode;
    const about = { reason: codeOf(error) || "failed", status, attempt: one.failures + 1 };
    if (pauseMs === undefined) {
      count(app, "given_up");
      app.log.warn(about, "a letter was given up");
      return;
    }
    app.log.info(about, "a letter was not taken");
    const dueAt = app.clock.now().getTime() + pauseMs;
    box.waiting.push({ letter: one.letter, failures: one.failures + 1, dueAt });
  } finally {
    box.underWay -= 1;
  }
}

async function deliver({ config }: App, { to, subject, text }: Letter): Promise<void> {
  if (config.mail === undefined) return;
  // Only who writes letters loads what sends them.
  const { createTransport } = await import("nodemailer");
  const { host, port, isSecure, needsTls, auth, from } = config.mail;
  const transport = createTransport({
    host,
    port,
    secure: isSecure,
    requireTLS: needsTls,
    auth,
    connectionTimeout: PATIENCE_MS,
    greetingTimeout: PATIENCE_MS,
    dnsTimeout: PATIENCE_MS,
    socketTimeout: PATIENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  await transport.sendMail({ from, to: { name: "", address: to }, subject, text });
}

function count({ metrics }: App, outcome: "sent" | "given_up" | "left_out"): void {
  metrics.count("kopeck_letters_total", "Letters, by what came of them.", 1, { outcome });
}

/** How many are lost with the process; of one that is under way nobody knows. */
export function countWaitingLetters(app: App): number {
  const { waiting, underWay } = letterBox(app);
  return waiting.length + underWay;
}
