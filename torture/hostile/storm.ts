// Requests by the thousand: first each operation once as it is meant, then all of them in any order,
// most of them harmed. They go out a handful at a time, and what is learnt from a handful is used for
// the next, so that the same seed makes the same requests.

import { gzipSync } from "node:zlib";
import type { Trial } from "../part.ts";
import type { Random } from "../random.ts";
import { type Draft, draftOf, toBytes } from "./draft.ts";
import { CONTENT_HARMS, type Harm } from "./harm-content.ts";
import { REQUEST_HARMS } from "./harm-request.ts";
import type { Installation } from "./installation.ts";
import { faultOf } from "./judge-answer.ts";
import { Known } from "./known.ts";
import { type Operation, readOperations } from "./operations.ts";
import { Lane, type WireAnswer } from "./wire.ts";

const HARMS = Object.entries<Harm>({ ...CONTENT_HARMS, ...REQUEST_HARMS });

export const HARM_NAMES: readonly string[] = HARMS.map(([name]) => name);

const LANES = 12;
const UNHARMED = 0.25;
/** Far more than are needed: which of them succeeds is chance, and the last to do so ends them. */
const ROUNDS = 100;
const DEADLINE_MS = 10_000;

/** What brings the others something to work on comes more often than its turn. */
const FREQUENT: Readonly<Record<string, number>> = {
  ...{ "POST /invoice/create": 6, "POST /invoice/h2h": 5, "POST /sandbox/transfers": 3 },
  ...{ "POST /pay/{invoice}": 2, "POST /manage/transfers": 2, "GET /invoice/info": 2 },
};

interface Asked {
  readonly draft: Draft;
  readonly bytes: Buffer;
  readonly answer: WireAnswer | undefined;
  readonly fault: string | undefined;
  readonly ms: number;
}

export class Storm {
  readonly #trial: Trial;
  readonly #installation: Installation;
  readonly #random: Random;
  readonly #hookUrl: string;
  readonly #known = new Known();
  readonly #lanes: readonly Lane[];
  readonly #operations = readOperations();
  readonly #reached = new Set<string>();
  #unharmed = 0;
  #taken = 0;
  #slowestMs = 0;

  constructor(trial: Trial, installation: Installation, random: Random, hookUrl: string) {
    this.#trial = trial;
    this.#installation = installation;
    this.#random = random;
    this.#hookUrl = hookUrl;
    this.#lanes = Array.from({ length: LANES }, () => new Lane(installation.port));
  }

  /** Every operation is answered as it should be at least once, or the rest would mean little. */
  async reachAll(passTime: (seconds: number) => Promise<void>): Promise<void> {
    for (let round = 0; round < ROUNDS && !this.#hasReachedAll(); round += 1) {
      // Money is free to be given back once its freeze is over; nobody waits for the rest any more.
      if (round % 6 === 5) {
        await passTime(2 * 24 * 60 * 60);
        this.#known.details.length = 0;
      }
      const random = this.#random.branch(round);
      for (const operation of this.#operations) {
        await this.#askAll([this.#draft(operation, random)]);
      }
    }
    for (const { name } of this.#operations) {
      if (!this.#reached.has(name)) this.#trial.violation(`nothing gets through to ${name}`);
    }
    this.#trial.fact("operations", this.#operations.length);
  }

  #hasReachedAll(): boolean {
    return this.#operations.every(({ name }) => this.#reached.has(name));
  }

  async rage(count: number): Promise<void> {
    const weighted = this.#operations.flatMap((operation) =>
      Array.from({ length: FREQUENT[operation.name] ?? 1 }, () => operation),
    );
    for (let done = 0; done < count; done += LANES) {
      const size = Math.min(LANES, count - done);
      const drafts = Array.from({ length: size }, (_, lane) => {
        const random = this.#random.branch(1_000 + done + lane);
        const draft = this.#draft(random.pick(weighted), random);
        if (!random.chance(UNHARMED)) harm(draft, random);
        return draft;
      });
      await this.#askAll(drafts);
      if (done % 3_000 < LANES && done > 0) this.#trial.say(`${this.#where()}: ${done} requests`);
    }
  }

  /** Where most of what is meant well is refused, the harmed ones reach nothing either. */
  sumUp(): void {
    const share = Math.round((this.#taken / this.#unharmed) * 100);
    this.#trial.fact(`unharmed that were taken, ${this.#where()}`, `${share} %`);
    this.#trial.fact(`slowest answer, ${this.#where()}`, `${Math.round(this.#slowestMs)} ms`);
    if (share < 75) this.#trial.violation(`only ${share} % of the unharmed requests were taken`);
  }

  close(): void {
    for (const lane of this.#lanes) lane.close();
  }

  #draft(operation: Operation, random: Random): Draft {
    return draftOf(operation, { random, known: this.#known, hookUrl: this.#hookUrl });
  }

  async #askAll(drafts: readonly Draft[]): Promise<void> {
    const all = await Promise.all(
      drafts.map((draft, index) => ask(this.#lanes[index] ?? this.#lanes[0], draft)),
    );
    for (const one of all) this.#take(one);
    const end = this.#installation.ended();
    if (end === undefined) return;
    for (const { bytes } of all) this.#trial.say(`one of the last: ${replayable(bytes)}`);
    throw new Error(`the gateway ended with ${end.code}: ${end.stderr.slice(-2_000)}`);
  }

  #take({ draft, bytes, answer, fault, ms }: Asked): void {
    const { operation, harms } = draft;
    for (const name of harms) this.#trial.count(name);
    this.#slowestMs = Math.max(this.#slowestMs, ms);
    const wrong = fault ?? (answer && faultOf(draft, answer));
    if (wrong !== undefined) {
      const how = harms.length === 0 ? "unharmed" : `harmed by ${harms.join(" and ")}`;
      this.#trial.violation(
        `${this.#where()}: ${operation.name}, ${how}: ${wrong}\n    ${replayable(bytes)}${this.#logged()}`,
      );
      return;
    }
    this.#count(draft, answer?.status ?? 0);
    if (harms.length > 0 || answer === undefined || answer.status >= 400) return;
    this.#reached.add(operation.name);
    if (operation.kind === "json") {
      const { data } = JSON.parse(answer.text) as { readonly data: unknown };
      this.#known.learn(operation, draft.fields, data);
    }
  }

  #count({ operation, harms }: Draft, status: number): void {
    const isTaken = status < 400;
    if (isTaken && operation.kind === "page") this.#trial.count("pages shown");
    if (harms.length === 0) {
      this.#unharmed += 1;
      this.#taken += isTaken ? 1 : 0;
      this.#trial.count(isTaken ? "unharmed, taken" : "unharmed, refused");
    } else this.#trial.count(isTaken ? "harmed, taken" : "harmed, refused");
  }

  #where(): string {
    return this.#installation.engine;
  }

  /** What the gateway itself has to say of it. */
  #logged(): string {
    const lines = this.#installation.running.output().split("\n");
    const last = lines.findLast((line) => line.startsWith("{"));
    return last === undefined ? "" : `\n    logged last: ${last.slice(0, 1_500)}`;
  }
}

async function ask(lane: Lane | undefined, draft: Draft): Promise<Asked> {
  const bytes = toBytes(draft);
  const startedAt = performance.now();
  const outcome = await lane
    ?.ask(bytes, draft.method === "HEAD", DEADLINE_MS)
    .catch((error: unknown) => String(error));
  const ms = performance.now() - startedAt;
  const answer = typeof outcome === "object" ? outcome : undefined;
  const fault = typeof outcome === "string" ? outcome : undefined;
  return { draft, bytes, answer, fault, ms };
}

function harm(draft: Draft, random: Random): void {
  const wanted = random.chance(0.3) ? 2 : 1;
  for (let tries = 0; draft.harms.length < wanted && tries < 12; tries += 1) {
    const [name, hurt] = random.pick(HARMS);
    if (!draft.harms.includes(name) && hurt(draft, random)) draft.harms.push(name);
  }
}

/** The bytes themselves, for a shell: whatever the seed does, they can be sent again. */
export function replayable(bytes: Buffer): string {
  const packed = gzipSync(bytes).toString("base64");
  const shown = bytes.toString("utf8").slice(0, 400);
  return `echo ${packed} | base64 -d | gunzip | nc -q 1 127.0.0.1 8080   # ${JSON.stringify(shown)}`;
}
