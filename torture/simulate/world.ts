// The world of one history: its clock, its receivers, two processes of the gateway on one database, and
// the model that everything is held against after every step.

import { findViolations } from "../../src/features/ledger/queries.ts";
import type { Db } from "../../src/platform/db.ts";
import type { NewId } from "../../src/platform/id.ts";
import type { Random } from "../random.ts";
import { type Books, differences, essenceOf, readBooks } from "./books.ts";
import type { Hit } from "./faulty-db.ts";
import { Model } from "./model.ts";
import type { Counted } from "./names.ts";
import { type Network, openNetwork } from "./network.ts";
import type { Answer, Process, Request, WorldClock } from "./process.ts";
import { drawSetting, emptyTables, furnish } from "./setting.ts";
import { ToldShops } from "./told.ts";

/** What must never happen has happened. */
export class Broken extends Error {}

export interface Stage {
  readonly engine: Db;
  readonly clock: WorldClock;
  readonly processes: readonly [Process, Process];
}

const BEGINNING_MS = Date.parse("2026-03-01T18:00:00.000Z");
const KEPT_WHILE_RUNNING = 17;
/** So long may something live past its end while the jobs run. */
const GRACE_MS = 5_000;

export class World {
  readonly stage: Stage;
  readonly model: Model;
  readonly network: Network;
  readonly told = new ToldShops();
  readonly count: (name: Counted) => void;
  armed: Process | undefined;
  /** When all jobs have last run. */
  jobsDoneAt = Number.NEGATIVE_INFINITY;
  /** Whether something failed while events were on their way. */
  eventsAreUncertain = false;
  #essence = "";
  /** The books after a lost answer: they must turn out to be those before or those after the step. */
  #between: string | undefined;

  private constructor(
    stage: Stage,
    model: Model,
    network: Network,
    count: (name: Counted) => void,
  ) {
    this.stage = stage;
    this.model = model;
    this.network = network;
    this.count = count;
  }

  static async open(
    stage: Stage,
    random: Random,
    thoroughly: boolean,
    count: (name: Counted) => void,
  ): Promise<World> {
    const { engine, clock, processes } = stage;
    clock.ms = BEGINNING_MS + random.below(86_400_000);
    const network = openNetwork(() => clock.ms);
    const newId = seededIds(clock, random.branch(1));
    for (const process of processes) process.enter({ network, newId });
    await emptyTables(engine, thoroughly);
    const setting = drawSetting(random);
    await furnish(engine, processes[0].app, setting, clock.now());
    const { users, shops, requisites } = setting;
    const days = new Intl.DateTimeFormat("sv-SE", {
      timeZone: processes[0].app.config.timeZone,
      dateStyle: "short",
    });
    const model = new Model(users, shops, requisites, (ms) => days.format(ms));
    const world = new World(stage, model, network, count);
    await world.check();
    return world;
  }

  get now(): number {
    return this.stage.clock.ms;
  }

  /** The one that is about to fail, if one is. */
  process(random: Random): Process {
    return this.armed ?? random.pick(this.stage.processes);
  }

  break(what: string): never {
    const complaints = this.stage.processes.map((one) => one.complaints()).join("");
    throw new Broken(complaints === "" ? what : `${what}\n${complaints}`);
  }

  expect(isRight: boolean, what: string): void {
    if (!isRight) this.break(what);
  }

  /** What was hit is counted, and a dead process replaced. */
  note(process: Process, hit: Hit | undefined): Hit | undefined {
    if (hit === undefined) return undefined;
    const { outcome, committed } = hit;
    if (outcome === "repeat") this.count("transaction repeated");
    else if (outcome === "crash") {
      this.count(committed ? "crash after a commit" : "crash before a commit");
      process.restart();
    } else this.count(committed ? "answer lost after a commit" : "error before a commit");
    return outcome === "repeat" ? undefined : hit;
  }

  /** Asks, and where the answer is lost asks again, as a client would; the answer that came at last. */
  async insist(process: Process, request: Request): Promise<Answer> {
    const { answer, hit } = await this.#once(process, request);
    if (hit === undefined) return answer;
    await this.#look(hit);
    const again = await this.#again(process, request);
    // What is refused leaves no row, also where its transaction was committed.
    const isDone = hit.committed && hit.inTransaction && again.status === 200;
    if (isDone && isChange(request)) this.model.audits += 1;
    return again;
  }

  /** For what cannot be asked twice: an answer, or that it was done though nobody said so. */
  async attempt(process: Process, request: Request): Promise<Answer | "done"> {
    const { answer, hit } = await this.#once(process, request);
    if (hit === undefined) return answer;
    if (hit.committed && hit.inTransaction) {
      this.model.audits += 1;
      return "done";
    }
    await this.#look(hit);
    return this.#again(process, request);
  }

  async #again(process: Process, request: Request): Promise<Answer> {
    const [first, second] = this.stage.processes;
    const other = process === first ? second : first;
    const { answer } = await this.#once(other, request);
    return answer;
  }

  async #once(process: Process, request: Request): Promise<{ answer: Answer; hit?: Hit }> {
    const answer = await process.ask(request);
    const hit = this.note(process, process.db.disarm());
    if (hit === undefined) {
      if (isChange(request) && answer.status === 200) this.model.audits += 1;
      return { answer };
    }
    this.expect(answer.status >= 500, `an answer of ${answer.status} though its work had failed`);
    return { answer, hit };
  }

  async #look({ committed }: Hit): Promise<void> {
    const essence = essenceOf(await readBooks(this.stage.engine));
    if (committed) this.#between = essence;
    else this.expect(essence === this.#essence, "something was left behind before the commit");
  }

  /** All invariants, and that books, receivers and model agree. */
  async check(): Promise<Books> {
    const { engine, clock } = this.stage;
    const books = await readBooks(engine);
    const wrong = [
      ...differences(this.model, books),
      ...this.told.problems(this.model, books, this.network, this.eventsAreUncertain),
    ];
    this.eventsAreUncertain = false;
    const violations = await findViolations(engine, clock.now());
    for (const { invariant, detail } of violations) {
      if (invariant === KEPT_WHILE_RUNNING && this.now - this.jobsDoneAt > GRACE_MS) continue;
      wrong.push(`invariant ${invariant}: ${detail}`);
    }
    const essence = essenceOf(books);
    if (this.#between !== undefined && ![this.#essence, essence].includes(this.#between)) {
      wrong.push("a lost answer left half of its work behind");
    }
    this.#between = undefined;
    this.#essence = essence;
    if (wrong.length > 0) this.break(wrong.slice(0, 12).join("\n"));
    return books;
  }
}

/** Changes by operators leave a row in the audit log; looks do not, nor does what shops do. */
function isChange({ method, path }: Request): boolean {
  return method === "POST" && path.startsWith("/manage/");
}

/** In the form of the real ones, so that they sort by their moment; the rest is chance from the seed. */
function seededIds(clock: WorldClock, random: Random): NewId {
  const hex = (digits: number): string =>
    random
      .below(16 ** digits)
      .toString(16)
      .padStart(digits, "0");
  return (home = 0) => {
    const at = home.toString(16).padStart(3, "0");
    const ms = clock.ms.toString(16).padStart(12, "0");
    return `${ms.slice(0, 8)}-${ms.slice(8)}-7${at}-8${hex(3)}-${hex(6)}${hex(6)}`;
  };
}
