// The witness outside of the gateway: merchants and payers who live through it over HTTP and keep in
// memory what they were told. After whatever has happened to the gateway they ask again. What was
// acknowledged must be there as it was told; what was never answered is wholly there or wholly absent,
// and asking again succeeds; and the ledger's money is the witness's own count, to the kopeck.

import type { Queryable } from "../src/platform/db.ts";
import type { Answer } from "../test/gateway.ts";
import type { Random } from "./random.ts";
import { type Heard, openAsker } from "./witness/ask.ts";
import { brokenInvariants, differencesOf } from "./witness/books.ts";
import {
  invoiceIdOf,
  type Life,
  minorOf,
  newLife,
  nextStep,
  operator,
  requestOf,
  type Step,
  USERS,
} from "./witness/life.ts";
import { type Load, openLoad } from "./witness/load.ts";
import { forgotten, isStored, wrongIn } from "./witness/memory.ts";
import { together } from "./witness/pace.ts";
import { balanceMinor, newTally, reckon } from "./witness/tally.ts";

interface WitnessOptions {
  /** What its orders' ids begin with; its own in a database that nobody else has used. */
  readonly name: string;
  /** Where to send the next request. */
  readonly url: () => string;
  readonly random: Random;
  readonly violation: (what: string) => void;
  /** Told of every request. */
  readonly heard?: (one: Heard) => void;
}

/** What the lives have met; questions asked while reconciling are not among them. */
interface Counts {
  lives: number;
  acknowledged: number;
  refused: number;
  /** Sent and never answered, or answered with a failure. */
  unknown: number;
  /** Of the unknown ones, by what was found. */
  stored: number;
  absent: number;
  /** Asked again after everything, and as they were told. */
  confirmed: number;
}

export interface Witness extends Pick<Load, "start" | "stop" | "answered"> {
  readonly counts: Readonly<Counts>;
  /** How many do not know at this moment whether what they asked for was done. */
  doubts(): number;
  /** Once, on a fresh sandbox: money that came by phone is not frozen, so that it can go back. */
  prepare(): Promise<void>;
  /** Asks nothing any more, whatever was left; for the end of a trial that has failed. */
  abandon(): void;
  /**
   * Needs a gateway that answers, and no load: clears every doubt, and has everything told again that
   * was told since the last time; of very much only some, by chance.
   */
  reconcile(atMost?: number): Promise<void>;
  /** At any moment: the invariants. */
  invariants(db: Queryable, now: Date): Promise<void>;
  /** After reconcile(): the invariants, and the ledger beside the witness's own count. */
  books(db: Queryable, now: Date): Promise<void>;
}

/** How many lives that were found in order are kept, and how many of them are asked again each time. */
const KEPT_LIVES = 2_000;
const ASKED_AGAIN = 40;

export function openWitness({ name, url, random, violation, heard }: WitnessOptions): Witness {
  const counts: Counts = {
    ...{ lives: 0, acknowledged: 0, refused: 0, unknown: 0, stored: 0, absent: 0, confirmed: 0 },
  };
  const tally = newTally();
  const orders = new Map<string, string>();
  /** Touched since they were last found in order. */
  const recent = new Set<Life>();
  const kept: Life[] = [];
  const doubtful = new Set<Life>();
  const choices = random.branch(-1);
  const ending = new AbortController();

  const { send, insist } = openAsker(url, violation, ending.signal, heard);

  const settle = (life: Life): void => {
    life.doubt = undefined;
    doubtful.delete(life);
  };

  /** Two refusals belong to a life: what is too small, and what is not there to be given back yet. */
  const take = (life: Life, step: Step, answer: Answer): void => {
    settle(life);
    if (answer.status === 200) {
      counts.acknowledged += 1;
      const wrong = wrongIn(life, step, answer.text);
      if (wrong.length > 0) violation(`${life.name}, ${step}: ${wrong} in ${answer.text}`);
      life.heard[step] = answer.text;
      reckon(tally, life, step);
      if (step === "create") orders.set(life.name, invoiceIdOf(life));
      return;
    }
    counts.refused += 1;
    life.over = true;
    const isDue =
      (life.ending === "too small" && step === "create" && answer.status === 422) ||
      (step === "refund" && /available balance is too small/.test(answer.text));
    if (!isDue) violation(`${life.name}, ${step}: ${answer.status} ${answer.text}`);
  };

  const clear = async (life: Life): Promise<void> => {
    const step = life.doubt;
    try {
      if (step === undefined) return;
      // One that is too small was in the same set as others, and would never have been stored.
      if (!(life.ending === "too small" && step === "create")) {
        counts[(await isStored(life, step, insist)) ? "stored" : "absent"] += 1;
      }
      take(life, step, await insist(requestOf(life, step)));
    } catch (error) {
      if (ending.signal.aborted) return;
      violation(`${life.name}, ${step} in doubt: ${String(error)}`);
      life.over = true;
      settle(life);
    }
  };

  const { halt, takeUp, ...load } = openLoad({
    ...{ send, take, clear },
    born: () => {
      counts.lives += 1;
      return newLife(`${name}.${counts.lives}`, random.branch(counts.lives));
    },
    failed: (error) => violation(String(error)),
    began: (life) => void recent.add(life),
    doubt: (life, step) => {
      counts.unknown += 1;
      life.doubt = step;
      doubtful.add(life);
    },
  });

  const confirm = async (life: Life): Promise<void> => {
    const wrong = await forgotten(life, insist).catch((error: unknown) => [String(error)]);
    if (wrong.length > 0) violation(`${life.name} (${life.ending}): ${wrong.join("; ")}`);
    else counts.confirmed += 1;
  };

  const checkBalances = async (): Promise<void> => {
    for (const { id, secret } of USERS) {
      const path = `/account/users/${id}/balance`;
      const { body, text } = await insist({ path, headers: { "x-api-signature-sha256": secret } });
      const [found, own] = [minorOf(body.data?.balance), balanceMinor(tally, id)];
      if (found !== own)
        violation(`user ${id} has ${own} kopecks by our count, and is told ${text}`);
    }
  };

  return {
    ...load,
    counts,
    doubts: () => doubtful.size,
    async prepare() {
      const body = { freeze_seconds: 0 };
      const answer = await insist({ path: "/manage/services/p2p_sbp", body, headers: operator });
      if (answer.status !== 200) throw new Error(`the freeze cannot be set: ${answer.text}`);
    },
    abandon() {
      halt();
      ending.abort();
    },
    async reconcile(atMost = Number.POSITIVE_INFINITY) {
      await together([...doubtful], async (life) => {
        await clear(life);
        if (nextStep(life) !== undefined) takeUp(life);
      });
      const older = choices.shuffle(kept).slice(0, ASKED_AGAIN);
      const newer = recent.size > atMost ? choices.shuffle([...recent]).slice(0, atMost) : recent;
      await together([...new Set([...newer, ...older])], confirm);
      for (const life of recent) {
        if (nextStep(life) !== undefined || life.ending === "never paid") continue;
        if (kept.length < KEPT_LIVES) kept.push(life);
        else kept[choices.below(KEPT_LIVES)] = life;
      }
      recent.clear();
      await checkBalances();
    },
    async invariants(db, now) {
      for (const one of await brokenInvariants(db, now)) violation(one);
    },
    async books(db, now) {
      for (const one of await brokenInvariants(db, now)) violation(one);
      for (const one of await differencesOf(db, tally, orders)) violation(one);
    },
  };
}
