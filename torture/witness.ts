// The witness outside of the gateway: merchants and payers who live through it over HTTP and keep in
// memory what they were told. What was acknowledged must be there as it was told; what was never answered
// is wholly there or wholly absent, and asking again succeeds; the ledger's money is the witness's own
// count, to the kopeck; and each shop has heard of every order that was paid.

import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "../src/platform/db.ts";
import { OTHER_SHOP, OTHER_USER, SHOP, USER } from "../test/cast.ts";
import type { Answer } from "../test/gateway.ts";
import { eventually } from "./eventually.ts";
import type { Trial } from "./part.ts";
import type { Random } from "./random.ts";
import { AGAIN_AFTER_MS, type Heard, openAsker, wasUnheard } from "./witness/ask.ts";
import {
  balanceMinor,
  brokenInvariants,
  differencesOf,
  reckon,
  type Tally,
} from "./witness/books.ts";
import { openEar } from "./witness/ear.ts";
import {
  forgotten,
  invoiceIdOf,
  type Life,
  minorOf,
  newLife,
  nextStep,
  operator,
  rulesOf,
  type Step,
  wrongIn,
} from "./witness/life.ts";

interface WitnessOptions {
  /** What its orders' ids begin with; its own in a database that nobody else has used. */
  readonly name: string;
  /** Whom to ask, in turns. */
  readonly urls: () => readonly string[];
  readonly random: Random;
  readonly violation: (what: string) => void;
  /** Told of every request. */
  readonly heard?: (one: Heard) => void;
}

const ASKED_AT_ONCE = 12;
/** Past the leases of those who died while they delivered, and past the retry after a failure. */
const HOOKS_ADVANCE_SECONDS = 400;

export type Witness = ReturnType<typeof openWitness>;

/** One who is ready to live, and asks nothing after the trial's end. */
export async function bringWitness(
  trial: Trial,
  options: Omit<WitnessOptions, "random" | "violation">,
): Promise<Witness> {
  const { random, violation } = trial;
  const witness = openWitness({ ...options, violation, random: random.branch(0) });
  trial.later(() => witness.close());
  await witness.prepare();
  return witness;
}

export function openWitness(options: WitnessOptions) {
  const { name, urls, random, violation, heard } = options;
  const counts = {
    lives: 0,
    acknowledged: 0,
    refused: 0,
    confirmed: 0,
    /** Answered 503. */
    unavailable: 0,
    /** Sent and never answered, or answered with a failure; of these, still being asked for. */
    unknown: 0,
    doubts: 0,
    /** What was found of these, where the answer tells: of money. */
    stored: 0,
    absent: 0,
  };
  const tally: Tally = new Map();
  const orders = new Map<string, string>();
  const paid: string[] = [];
  /** Touched since they were last found in order. */
  const recent = new Set<Life>();
  const unfinished: Life[] = [];
  const underWay = new Set<Promise<unknown>>();
  const choices = random.branch(-1);
  const ending = new AbortController();
  let workers: Promise<void>[] = [];
  let stopping = false;
  const ear = openEar(violation);
  const hear = (one: Heard): void => {
    if (one.why === "503") counts.unavailable += 1;
    heard?.(one);
  };
  let turn = 0;
  const url = (): string => {
    const all = urls();
    turn += 1;
    return all[turn % all.length] ?? "";
  };
  const { send, insist } = openAsker(url, violation, ending.signal, hear);

  /** Two refusals belong to a life: what is too small, and what is not there to be given back yet. */
  const take = (life: Life, step: Step, answer: Answer): void => {
    if (answer.status === 200) {
      counts.acknowledged += 1;
      const wrong = wrongIn(life, step, answer.text);
      if (wrong.length > 0) violation(`${life.name}, ${step}: ${wrong} in ${answer.text}`);
      life.heard[step] = answer.text;
      reckon(tally, life, step);
      if (step === "create") orders.set(life.name, invoiceIdOf(life));
      if (step === "transfer") paid.push(invoiceIdOf(life));
      return;
    }
    counts.refused += 1;
    life.over = true;
    const isDue =
      (life.ending === "too small" && step === "create" && answer.status === 422) ||
      (step === "refund" && /available balance is too small/.test(answer.text));
    if (!isDue) violation(`${life.name}, ${step}: ${answer.status} ${answer.text}`);
  };

  const clear = async (life: Life, step: Step): Promise<void> => {
    counts.unknown += 1;
    counts.doubts += 1;
    try {
      const answer = await insist(rulesOf(life, step).request);
      if (answer.text.includes('"fresh":false')) counts.stored += 1;
      if (answer.text.includes('"fresh":true')) counts.absent += 1;
      take(life, step, answer);
    } catch (error) {
      if (!ending.signal.aborted) violation(`${life.name}, ${step} in doubt: ${String(error)}`);
      life.over = true;
    }
    counts.doubts -= 1;
  };

  const live = async (life: Life): Promise<void> => {
    recent.add(life);
    for (let step = nextStep(life); step !== undefined; step = nextStep(life)) {
      if (stopping) return void unfinished.push(life);
      const sent = send(rulesOf(life, step).request);
      underWay.add(sent);
      const one = await sent.finally(() => underWay.delete(sent));
      if (one.answer !== undefined) take(life, step, one.answer);
      else if (wasUnheard(one)) await sleep(AGAIN_AFTER_MS);
      else await clear(life, step);
    }
  };

  const newcomer = (): Life => {
    counts.lives += 1;
    return newLife(`${name}.${counts.lives}`, random.branch(counts.lives));
  };

  const confirm = async (life: Life): Promise<void> => {
    const wrong = await forgotten(life, insist).catch((error: unknown) => [String(error)]);
    if (wrong.length > 0) violation(`${life.name} (${life.ending}): ${wrong.join("; ")}`);
    else counts.confirmed += 1;
  };

  const manage = async (path: string, body: Readonly<Record<string, unknown>>): Promise<void> => {
    const { status, text } = await insist({ path, body, headers: operator });
    if (status !== 200) throw new Error(`${path}: ${text}`);
  };

  return {
    counts,
    hooks: ear.counts,
    /** Once, on a fresh sandbox: money by phone is not frozen, so that it can go back; shops listen. */
    async prepare(): Promise<void> {
      const hook_url = await ear.open();
      await manage("/manage/services/p2p_sbp", { freeze_seconds: 0 });
      for (const { id } of [SHOP, OTHER_SHOP]) await manage(`/manage/shops/${id}`, { hook_url });
    },
    /** So many lives at once; each worker pauses between two. What is not answered is asked again. */
    start(count: number, pauseMs = 0): void {
      stopping = false;
      const work = async (): Promise<void> => {
        while (!stopping) {
          await live(unfinished.pop() ?? newcomer());
          if (pauseMs > 0) await sleep(pauseMs);
        }
      };
      workers = Array.from({ length: count }, () => work().catch((error) => violation(`${error}`)));
    },
    /** Resolves when nobody waits for an answer any more, and nobody is in doubt. */
    async stop(): Promise<void> {
      stopping = true;
      await Promise.all(workers);
    },
    /** Resolves when so many more are acknowledged. */
    async acknowledges(more: number): Promise<void> {
      const wanted = counts.acknowledged + more;
      await eventually("answers", () => counts.acknowledged >= wanted);
    },
    /** Resolves when whoever waits now has an answer, or knows that there is none. */
    answered: () => Promise.all(underWay),
    /** Has everything told again that was told since the last time; of very much only some, by chance. */
    async reconcile(atMost = Number.POSITIVE_INFINITY): Promise<void> {
      const asked = [...recent];
      const some = asked.length > atMost ? choices.shuffle(asked).slice(0, atMost) : asked;
      recent.clear();
      const waiting = some.values();
      const asking = async (): Promise<void> => {
        for (const life of waiting) await confirm(life);
      };
      await Promise.all(Array.from({ length: ASKED_AT_ONCE }, asking));
      for (const { id, secret } of [USER, OTHER_USER]) {
        const path = `/account/users/${id}/balance`;
        const { body, text } = await insist({
          path,
          headers: { "x-api-signature-sha256": secret },
        });
        const own = balanceMinor(tally, id);
        if (minorOf(body.data?.balance) === own) continue;
        violation(`user ${id} has ${own} kopecks by our count, and is told ${text}`);
      }
    },
    /** After reconcile(): the invariants, and the ledger beside the witness's own count. */
    async books(db: Db, now = new Date()): Promise<void> {
      for (const one of await brokenInvariants(db, now)) violation(one);
      for (const one of await differencesOf(db, tally, orders)) violation(one);
    },
    /** At the very end, for it moves the sandbox's clock: every paid order's shop was told of it. */
    async listenToTheEnd(withinMs = 30_000): Promise<void> {
      await manage("/sandbox/clock", { advance_seconds: HOOKS_ADVANCE_SECONDS });
      const untold = () => paid.filter((invoiceId) => !ear.has("success", invoiceId));
      await eventually("webhooks", () => untold().length === 0, withinMs).catch(() => {});
      for (const invoiceId of untold()) violation(`no shop was told that ${invoiceId} is paid`);
    },
    /** Asks nothing any more, whatever was left. */
    close(): void {
      stopping = true;
      ending.abort();
      ear.close();
    },
  };
}
