// The world of one history: its clock, its receivers, three processes of the gateway on one database, and
// the model that everything is held against after every step.

import { findViolations } from "../../src/features/ledger/queries.ts";
import type { Db } from "../../src/platform/db.ts";
import type { NewId } from "../../src/platform/id.ts";
import { OPERATOR_TOKEN } from "../../test/manage.ts";
import type { Random } from "../random.ts";
import {
  CLOCKS_MS,
  decimal,
  type Invoice,
  keyOf,
  Model,
  mayHaveExpired,
  type User,
} from "./model.ts";
import type { Answer, Process, Request } from "./process.ts";
import { Receivers } from "./receivers.ts";

/** What must never happen has happened. */
export class Broken extends Error {}

export interface Stage {
  readonly engine: Db;
  readonly clock: { ms: number };
  readonly processes: readonly Process[];
}

const BEGINNING_MS = Date.parse("2026-03-01T18:00:00.000Z");
/** What is live past its end: only while the jobs run is it wrong. */
const KEPT_WHILE_RUNNING = 17;
/** The books wait 5 s; whoever ran the jobs may be behind by a clock's distance. */
const GRACE_MS = 5_000 - CLOCKS_MS;

export function operatorRequest(path: string, body: object): Request {
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
  return { method: "POST", path: `/manage/${path}`, headers, body };
}

/** An answer, by the clock of the process that has done the work; perhaps before an answer that got lost. */
export type Done = Answer & { readonly at: number; readonly wasDone: boolean };

export class World {
  readonly stage: Stage;
  readonly model = new Model();
  readonly receivers: Receivers;
  readonly count: (name: string) => void;
  armed: Process | undefined;
  /** In this step the same request goes to two processes at once. */
  isDoubled = false;
  /** Chance of its own for who is asked after every step. */
  readonly #look: Random;
  /** How each thing is that an operator's answers have told of. */
  readonly #told = new Map<string, unknown>();

  constructor(stage: Stage, random: Random, count: (name: string) => void) {
    const { clock, processes } = stage;
    this.stage = stage;
    this.count = count;
    this.#look = random.branch(2);
    this.receivers = new Receivers(this.model, () => clock.ms);
    clock.ms = BEGINNING_MS + random.below(86_400_000);
    const newId = seededIds(clock, random.branch(1));
    const aheads = random.shuffle([0, random.pick([0, 1_900]), random.pick([0, -1_900])]);
    for (const [n, process] of processes.entries()) {
      process.enter({ http: this.receivers.outgoing, newId }, aheads[n] ?? 0);
    }
  }

  get now(): number {
    return this.stage.clock.ms;
  }

  break(what: string): never {
    const complaints = this.stage.processes.map((one) => one.complaints()).join("");
    throw new Broken(complaints === "" ? what : `${what}\n${complaints}`);
  }

  expect(isRight: boolean, what: string): void {
    if (!isRight) this.break(what);
  }

  /** What has struck a process, counted. */
  disarm(process: Process): ReturnType<Process["disarm"]> {
    const hit = process.disarm();
    if (hit !== undefined) this.count(`${hit.outcome} ${hit.side} a commit`);
    return hit;
  }

  /** Asks, at two places at once or one, and where the answer is lost again elsewhere, as a client would. */
  async ask(random: Random, request: Request, isSafeTwice = true): Promise<Done> {
    const [first, second] = random.shuffle(this.stage.processes) as [Process, Process];
    if (this.isDoubled && isSafeTwice && this.armed === undefined) {
      return this.#askTwice(first, second, request);
    }
    const process = this.armed ?? first;
    const answer = await process.ask(request);
    const hit = this.disarm(process);
    if (hit === undefined) {
      this.#countAudits(request, answer);
      return { ...answer, at: process.now(), wasDone: false };
    }
    this.expect(answer.status >= 500, `an answer of ${answer.status} though its work had failed`);
    const wasDone = hit.side === "after" && hit.inTransaction;
    const other = process === first ? second : first;
    const again = await other.ask(request);
    // What is refused leaves no row, also where its transaction was committed.
    const first200 =
      wasDone && (again.status === 200 || !isSafeTwice) ? [{ ...again, status: 200 }] : [];
    this.#countAudits(request, again, ...first200);
    return { ...again, at: wasDone ? process.now() : other.now(), wasDone };
  }

  async #askTwice(first: Process, second: Process, request: Request): Promise<Done> {
    const [one, two] = (await Promise.all([first, second].map((each) => each.ask(request)))) as [
      Answer,
      Answer,
    ];
    // A page says how much time is left.
    const essence = ({ status, text }: Answer): string =>
      request.form ? String(status) : text.replace(/"fresh":\w+/g, "");
    // By one clock a slot is still held or an order open, by the other no longer: who got something has it.
    const isGiven = ({ status }: Answer): boolean => status === (request.form ? 303 : 200);
    const isBetween =
      first.now() !== second.now() && !(isGiven(one) && isGiven(two)) && this.#isNearAnEnd();
    const isSame = essence(one) === essence(two) || isBetween;
    this.expect(isSame, `the same at once got ${one.text} and ${two.text}`);
    this.#countAudits(request, one, two);
    this.count("same request twice at once");
    const isSecond = two.text.includes('"fresh":true') || (isBetween && isGiven(two));
    return { ...(isSecond ? two : one), at: (isSecond ? second : first).now(), wasDone: false };
  }

  #isNearAnEnd(): boolean {
    const isNear = (end: number): boolean => Math.abs(end - this.now) <= CLOCKS_MS;
    const { payments, invoices } = this.model;
    return (
      payments.some(({ endsAt, slotUntil }) => isNear(endsAt) || isNear(slotUntil)) ||
      invoices.some(({ expiresAt }) => isNear(expiresAt))
    );
  }

  #countAudits({ method, path }: Request, ...answers: readonly Answer[]): void {
    if (method !== "POST" || !path.startsWith("/manage/")) return;
    // Of two that were asked at once, those whose money was new come first: to the others it was known.
    const isFresh = ({ text }: Answer): number => Number(text.includes('"fresh":true'));
    for (const { status, data } of answers.toSorted((one, two) => isFresh(two) - isFresh(one))) {
      if (status !== 200) continue;
      const news = tracesOf(path, data).filter((one) => this.#isNews(...one));
      if (news.length > 0) this.model.audits += 1;
    }
  }

  /** What is as it was last told leaves no row: the same settings, money or refund again. */
  #isNews(thing: string, state: unknown, isFresh = false): boolean {
    const isNews = isFresh || this.#told.get(thing) !== state;
    this.#told.set(thing, state);
    return isNews;
  }

  /** All invariants, the ledger's sums, and what somebody is told who asks now. */
  async check(): Promise<void> {
    const { model, now } = this;
    const { engine } = this.stage;
    const wrong: (string | undefined)[] = this.receivers.problems.splice(0);
    for (const { invariant, detail } of await findViolations(engine, new Date(now))) {
      if (invariant === KEPT_WHILE_RUNNING && now - model.jobsDoneAt > GRACE_MS) continue;
      wrong.push(`invariant ${invariant}: ${detail}`);
    }
    const [books] = await engine.query<{ books: string }>(BOOKS, []);
    const right = this.#books();
    if (books?.books !== right) wrong.push(`the books have ${books?.books} instead of ${right}`);
    if (model.invoices.length > 0) {
      const invoice = this.#look.pick(model.invoices);
      wrong.push(await this.lookAt(invoice), await this.balanceProblem(invoice.shop.user));
    }
    const told = wrong.filter((one) => one !== undefined);
    if (told.length > 0) this.break(told.slice(0, 8).join("\n"));
  }

  /** By what became of every transfer; users' own are asked for at their door. */
  #books(): string {
    const { transfers, audits, payments } = this.model;
    const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0);
    const amounts = (...states: string[]): number[] =>
      transfers.flatMap(({ state, money }) => (states.includes(state) ? [money.amount] : []));
    const bank = -sum(amounts("matched", "suspense", "returned"));
    const fees = sum(transfers.map(({ payment }) => payment?.fee ?? 0));
    const out = sum([...payments.map(({ refunded }) => refunded), ...amounts("returned")]);
    return `bank ${bank}, out ${out}, suspense ${sum(amounts("suspense"))}, fees ${fees}, audit ${audits}`;
  }

  /** What a shop is told of an invoice by its information and its webhooks, and a payer by the page. */
  async lookAt(invoice: Invoice): Promise<string | undefined> {
    const { paid, shop, id, mustExpire, isCanceled, content } = invoice;
    const { data, text } = await this.#look.pick(this.stage.processes).ask({
      method: "GET",
      path: `/invoice/info?shop_id=${shop.id}&invoice_id=${id}`,
      headers: { "x-api-key": keyOf(shop, this.now) },
    });
    const { credit, refunded, fee = 0 } = paid ?? {};
    const unpaid = mustExpire ? ["expired"] : ["created", "expired"];
    if (!mayHaveExpired(invoice, this.now)) unpaid.pop();
    const ended = isCanceled ? ["fail"] : unpaid;
    const right = credit ? [refunded === credit.net ? "refund" : "success"] : ended;
    const sums = credit ? [credit.net / 100, fee / 100] : [null, data?.commission_amount];
    const isRight = right.includes(data?.status) && data.order_id === content["order_id"];
    const isSame = String([data?.credited, data?.commission_amount]) === String(sums);
    if (!isRight || !isSame) return `info on ${id} says ${text}, not ${right} and ${sums}`;
    return (
      this.receivers.storyProblem(invoice, this.now, false) ?? (await this.#pageProblem(invoice))
    );
  }

  /** A page shows where to pay while the details hold, and no card that was switched off. */
  async #pageProblem(invoice: Invoice): Promise<string | undefined> {
    const { id, type, payments, paid, isCanceled, service } = invoice;
    if (type === "direct") return undefined;
    const page = await this.#look
      .pick(this.stage.processes)
      .ask({ method: "GET", path: `/pay/${id}` });
    const copied = [...page.text.matchAll(/data-copy="([^"]+)"/g)]
      .slice(0, 2)
      .map(([, one]) => one);
    const last = payments.at(-1);
    const isEdge = last !== undefined && Math.abs(last.endsAt - this.now) <= CLOCKS_MS;
    const holds = last && !paid && !isCanceled && last.endsAt > this.now && last.requisite.enabled;
    const wallet = last?.requisite[service === "p2p_card" ? "card" : "phone"];
    const right = holds ? [decimal(last.toPay), wallet] : [];
    if (isEdge || String(copied) === String(right)) return undefined;
    return `the page of ${id} says ${copied} instead of ${right}`;
  }

  async balanceProblem(user: User): Promise<string | undefined> {
    const { data, text } = await this.#look.pick(this.stage.processes).ask({
      method: "GET",
      path: `/account/users/${user.id}/balance`,
      headers: { "x-api-signature-sha256": user.secret },
    });
    const { all, least, most } = this.model.balanceOf(user, this.now);
    const [balance, active, frozen] = ["balance", "active_balance", "freeze_balance"].map((name) =>
      Math.round(Number(data?.[name]) * 100),
    ) as [number, number, number];
    const isRight = balance === all && active + frozen === all && active >= least && active <= most;
    return isRight ? undefined : `${text} instead of ${all}, free from ${least} to ${most}`;
  }
}

/** What an answer tells of, and how it is; what is counted of a card by itself is no setting. */
// biome-ignore lint/suspicious/noExplicitAny: an answer may be anything.
function tracesOf(path: string, data: any): [thing: string, state: unknown, isFresh?: boolean][] {
  // Done, and then refused to whoever asked again.
  if (data == null) return [[path, {}]];
  if (path === "/manage/transfers") {
    const items: { transfer_id?: string; fresh?: boolean }[] = data.items ?? [data];
    return items.flatMap(({ transfer_id: id, fresh = false }) => (id ? [[id, "", fresh]] : []));
  }
  if (path === "/manage/refunds") return [[data.refund_id, ""]];
  const { live_payments, day, day_payments, day_sum, last_used_at, ...settings } = data;
  const state = JSON.stringify(settings.shop ?? settings);
  const made = settings.shop?.shop_id ?? (path === "/manage/requisites" && settings.requisite_id);
  const tariff = path === "/manage/tariffs" ? ` ${settings.shop_id} ${settings.service}` : "";
  const thing: [string, unknown] = [made ? `${path}/${made}` : `${path}${tariff}`, state];
  // Each secret is another one.
  const isSecret = "secret" in data || "webhook_secret" in data;
  return isSecret ? [thing, [path, {}]] : [thing];
}

const BOOKS = `select format('bank %s, out %s, suspense %s, fees %s, audit %s',
    coalesce(sum(bank_minor), 0), coalesce(sum(bank_out_minor), 0), coalesce(sum(suspense_minor), 0),
    coalesce(sum(fees_minor), 0), (select count(*) from audit_log)) as books from ledger_postings`;

/** In the form of the real ones, so that they sort by their moment; the rest is chance from the seed. */
function seededIds(clock: { readonly ms: number }, random: Random): NewId {
  const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, "0");
  return () => {
    const ms = hex(clock.ms, 12);
    const rest = `8${hex(random.below(2 ** 12), 3)}-${hex(random.below(2 ** 48), 12)}`;
    return `${ms.slice(0, 8)}-${ms.slice(8)}-7000-${rest}`;
  };
}
