// POST /intake/:source_id: what a phone reports, from the message to money, in one transaction
// each. A message is money once at most; a code, or an unread text, is not kept.

import type { Static } from "typebox";
import { maskNumbers } from "../../domain/card-number.ts";
import { addSeconds, momentFormat } from "../../domain/moment.ts";
import {
  type Income,
  type Notification,
  normalised,
  type Readable,
  readNotification,
  toldAt,
  withoutComment,
} from "../../domain/notification.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { endpoint } from "../../platform/endpoint.ts";
import { Type, uuid } from "../../platform/field.ts";
import { tellSeldom } from "../../platform/log.ts";
import { recordAudit } from "../operators/doors.ts";
import { holdSecretKey } from "../operators/installation.ts";
import { type RequisiteRow, Requisites, requisiteToWire } from "../requisites/nouns.ts";
import {
  requisitesById,
  restingAmong,
  setResting,
  updateRequisite,
} from "../requisites/queries.ts";
import { type MaskedNumber, maskedNumbers } from "../requisites/wallet.ts";
import type { NumberKind } from "../requisites/wallet-queries.ts";
import { acceptTransfers } from "../transfers/transfers.ts";
import { type Channel, type Report, readReports } from "./adapters.ts";
import { floatMoney, followBalance, holdRequisites } from "./balances.ts";
import { type Source, sourceGate } from "./source-gate.ts";
import { FATES, type MessageRow, sealText } from "./source-nouns.ts";
import {
  addMessage,
  type NewMessage,
  noteHeard,
  readChain,
  type Settled,
  sameBalance,
  settleMessages,
  wasTold,
} from "./source-queries.ts";

/** 200 of the longest that banks write; one text of 200 KB is read to its end as well, and ignored. */
const MAX_BODY_BYTES = 768 * 1024;

const any = (description: string, ...examples: unknown[]) =>
  Type.Optional(
    Type.Unsafe<unknown>({ description, ...(examples.length > 0 ? { examples } : {}) }),
  );

/** Of every app's form: which of them count, the source says. */
const Input = Type.Object({
  source_id: uuid({
    description: "The source.",
    examples: ["00000000-0000-4000-8000-000000000301"],
  }),
  sender: any("Who sent the message: a number, a name, or an app's package.", "900"),
  text: any("The message.", "VISA0007 12:00 Перевод 500р от Иван П. Баланс: 1500р"),
  title: any("The title of a notification."),
  sent_at: any("When it was sent: ISO 8601, or seconds or milliseconds since 1970."),
  received_at: any("Or when the phone got it."),
  channel: any("sms or push, where it is another than the source's."),
  messages: any("Instead of one: up to 200 of them. An empty list is a heartbeat."),
  message: any("The message, in the form of p2p-processing."),
  timestamp: any("When, in the forms of p2p-processing, device and sms-forwarder."),
  packageName: any("The app's package, in the form of device."),
  content: any("The message, in the forms of device and sms-forwarder."),
  event: any("What happened, in the form of sms-gateway."),
  payload: any("The message and its sender, in the form of sms-gateway."),
  from: any("Who sent it, in the forms of income-sms-webhook and sms-forwarder."),
  sentStamp: any("When it was sent, in the form of income-sms-webhook."),
  receivedStamp: any("When the phone got it, in the form of income-sms-webhook."),
});

const ANSWERS = ["accepted", "duplicate", "ignored"] as const;

const count = (description: string) => Type.Integer({ description });

const Data = Type.Object({
  accepted: count("Messages that were new and could be read."),
  duplicate: count("Messages that were known already."),
  ignored: count("Messages that are not about money, or not from a sender that counts."),
  messages: Type.Array(Type.Unsafe<(typeof ANSWERS)[number]>({ type: "string", enum: ANSWERS }), {
    description: "The same for each of them, in their order.",
  }),
});

export const reportMessages = endpoint({
  method: "POST",
  path: "/intake/:source_id",
  summary: "Report what a phone has received",
  description:
    "In the form of the app that the source was added for. The same again changes nothing; what is not for the gateway is ignored, and nothing is kept of it.",
  gate: sourceGate,
  identifier: "source_id",
  input: Input,
  data: Data,
  problems: "first",
  maxBodyBytes: MAX_BODY_BYTES,
  async handle(app, { input, principal: source }): Promise<Static<typeof Data>> {
    const { source_id: _id, ...body } = input;
    const reports = readReports(source.adapter, body);
    const bound = await boundTo(app, source);
    const outcomes: Outcome[] = [];
    for (const report of reports) outcomes.push(await take(app, source, bound, report));
    const unread = outcomes.filter((one) => one === "unread").length;
    await hear(app, source, reports.length === 0, unread);
    countMessages(app, outcomes);
    const messages = outcomes.map(answerTo);
    const times = (answer: string) => messages.filter((one) => one === answer).length;
    return {
      accepted: times("accepted"),
      duplicate: times("duplicate"),
      ignored: times("ignored"),
      messages,
    };
  },
});

function answerTo(outcome: Outcome): (typeof ANSWERS)[number] {
  if (UNTAKEN.some((one) => one === outcome)) return "ignored";
  return outcome === "duplicate" ? "duplicate" : "accepted";
}

async function take(
  app: App,
  source: Source,
  bound: readonly BoundRequisite[],
  report: Report | undefined,
): Promise<Outcome> {
  if (report === undefined) return "ignored";
  if (!isAllowed(source, report)) {
    const words = "a message is not from a sender of its source, and is not read";
    tellSeldom(app)("warn", source.id, { source: source.id }, words);
    return "stranger";
  }
  const { read, words } = readReport(source, report);
  if (read.kind === "code") return "ignored";
  if (read.kind === "nothing") return "unread";
  return app.db.transaction(async (tx) => {
    await holdSecretKey(tx, app);
    return takeMessage(tx, app, { source, bound, report, read, words });
  });
}

function isAllowed({ senders }: Source, { sender }: Report): boolean {
  return senders.some((one) => one.toLowerCase() === sender.toLowerCase());
}

/** By itself, or as what its title goes on with; and what of it was read. */
function readReport(
  { banks }: Source,
  { title, text }: Report,
): { readonly read: Notification; readonly words: string } {
  const read = readNotification(text, banks);
  if (read.kind !== "nothing" || title === null) return { read, words: text };
  const words = `${title} ${text}`;
  return { read: readNotification(words, banks), words };
}

/** Its requisites do not rest any longer. */
async function hear(app: App, source: Source, isBeat: boolean, unread: number): Promise<void> {
  const ids = source.requisites.map(({ requisite_id }) => requisite_id);
  await app.db.transaction(async (tx) => {
    await noteHeard(tx, source.id, { now: app.clock.now(), isBeat, unread });
    await setResting(tx, await restingAmong(tx, ids), null);
  });
}

/** A bank's second wording with the same balance comes within this. */
const SAME_BALANCE_SECONDS = 10 * 60;
/** A text that says the minute and not the day is told again within this, if at all. */
const REPEAT_SECONDS = 72 * 60 * 60;
/** A phone that was not answered sends the same again within this, also past midnight. */
const RESENT_SECONDS = 10 * 60;

interface Taking {
  readonly source: Source;
  readonly bound: readonly BoundRequisite[];
  readonly report: Report;
  readonly read: Readable;
  /** What of the report that was read from: nothing else of it is kept. */
  readonly words: string;
}

/** What became of it; a repeat leaves nothing. Whoever calls holds the secret key. */
async function takeMessage(tx: Tx, app: App, taking: Taking): Promise<MessageRow["fate"]> {
  const { source, bound, report, read, words } = taking;
  const now = app.clock.now();
  const zone = momentFormat(app.config.timeZone);
  const { sentAt, sender } = report;
  const printed = read.kind === "blocked" ? NOTHING_PRINTED : read;
  const told = toldAt({ ...printed, sentAt, receivedAt: now }, zone);
  const text = normalised([report.title, report.text].filter((part) => part !== null).join(" "));
  const digest = app.secrets.digest("message", `${source.id}\0${sender.toLowerCase()}\0${text}`);
  const isDayless = printed.printedTime !== null && printed.printedDay === null;
  const repeatSeconds = isDayless ? REPEAT_SECONDS : RESENT_SECONDS;
  if (await wasTold(tx, source.id, digest, addSeconds(now, -repeatSeconds))) return "duplicate";
  const id = app.newId();
  const requisite = read.kind === "blocked" ? undefined : requisiteFor(read, bound);
  const message: NewMessage = {
    id,
    source_id: source.id,
    text_digest: digest,
    day: zone.day(told?.at ?? now),
    sender,
    channel: channelOf(taking),
    text_sealed: sealText(app.secrets, id, maskNumbers(withoutComment(normalised(words)))),
    kind: read.kind,
    requisite_id: requisite?.id ?? null,
    amount_minor: read.kind === "blocked" ? null : read.amountMinor,
    change_minor: changeOf(read),
    balance_minor: read.kind === "blocked" ? null : read.balanceMinor,
    made_at: told?.madeAt ?? null,
    told_at: told?.at ?? now,
    received_at: now,
  };
  if (!(await addMessage(tx, message))) return "duplicate";
  if (read.kind === "blocked") {
    await stopBlocked(tx, app, source, bound, text);
    return settle(tx, { id, fate: "noted" });
  }
  if (told === undefined) return settle(tx, { id, fate: "waiting" });
  if (requisite === undefined) return settle(tx, { id, fate: "unclear" });
  await holdRequisites(tx, [requisite.id]);
  const around = {
    from: addSeconds(told.at, -SAME_BALANCE_SECONDS),
    to: addSeconds(told.at, SAME_BALANCE_SECONDS),
  };
  // The same amount may come, leave and come again: what follows is no repeat.
  const fits = await doesFollow(tx, app, message, requisite.id);
  const same =
    fits || message.balance_minor === null ? undefined : await sameBalance(tx, message, around);
  if (same === "itself") return settle(tx, { id, fate: "duplicate" });
  // Whether the other's balance has followed is not written down, and a text of the network can be made up to match.
  const isRepeat = read.kind !== "income" || channelOf(taking) === "push";
  const follows = fits || (same === "another" && isRepeat);
  if (read.kind !== "income") return settle(tx, { id, fate: follows ? "noted" : "broken" });
  return settle(tx, await tell(tx, app, taking, message, { read, requisite, follows }));
}

const NOTHING_PRINTED = { printedTime: null, printedDay: null };

async function settle(tx: Tx, settled: Settled): Promise<MessageRow["fate"]> {
  await settleMessages(tx, [settled]);
  return settled.fate;
}

function channelOf({ source, report }: Taking): Channel {
  return report.channel ?? source.channel;
}

/** What the balance changes by; below zero for money that leaves. */
function changeOf(read: Readable): bigint | null {
  if (read.kind === "blocked") return null;
  return read.kind === "outflow" ? -(read.amountMinor + read.feeMinor) : read.amountMinor;
}

/** A message that tells no balance follows from anything. */
async function doesFollow(
  tx: Tx,
  app: App,
  { change_minor: changeMinor, balance_minor: balanceMinor, told_at }: NewMessage,
  requisiteId: string,
): Promise<boolean> {
  if (changeMinor === null || balanceMinor === null) return true;
  return followBalance(tx, app, requisiteId, { changeMinor, balanceMinor, toldAt: told_at });
}

interface ClearIncome {
  readonly read: Income;
  readonly requisite: BoundRequisite;
  readonly follows: boolean;
}

async function tell(
  tx: Tx,
  app: App,
  taking: Taking,
  { id, made_at: madeAt }: NewMessage,
  { read, requisite, follows }: ClearIncome,
): Promise<Settled> {
  const channel = channelOf(taking);
  const second = read.role === "companion" ? ":companion" : "";
  // Without a balance that only the bank knew when it was told, nothing about it can be held against anything.
  const isHardToForge =
    follows && read.balanceMinor !== null && !(await readChain(tx, requisite.id))?.isGuessable;
  const [accepted] = await acceptTransfers(tx, app, [
    {
      requisiteId: requisite.id,
      currency: requisite.currency,
      amountMinor: read.amountMinor,
      payer: read.payer,
      ...(madeAt === null ? {} : { madeAt }),
      told: {
        channel,
        teller: `${channel}:${taking.source.id}${second}`,
        key: id,
        needsProof: taking.source.needs_statement || !isHardToForge,
        hold: follows ? null : "balance_break",
      },
    },
  ]);
  if (accepted === undefined || accepted instanceof Error) return { id, fate: "waiting" };
  const { transfer, fresh } = accepted;
  if (fresh && read.balanceMinor === null) await floatMoney(tx, requisite.id, read.amountMinor);
  return { id, fate: fresh && !follows ? "broken" : "accepted", transfer_id: transfer.id };
}

interface BoundRequisite {
  readonly id: string;
  readonly currency: string;
  /** Current and former ones. */
  readonly numbers: readonly MaskedNumber[];
  /** Digits that the bank prints for it beside those of its numbers. */
  readonly endings: readonly string[];
}

/** The requisites that a source tells of, with what may be known of their numbers. */
async function boundTo(app: App, { requisites }: Source): Promise<BoundRequisite[]> {
  const ids = requisites.map(({ requisite_id }) => requisite_id);
  const [rows, numbers] = await Promise.all([requisitesById(app.db, ids), maskedNumbers(app, ids)]);
  const endings = new Map(requisites.map((bound) => [bound.requisite_id, bound.endings]));
  return rows.map((row) => ({
    id: row.id,
    currency: row.currency,
    endings: endings.get(row.id) ?? [],
    numbers: numbers.filter(({ requisiteId }) => requisiteId === row.id),
  }));
}

type Printed = Pick<Income, "last4" | "last4Of">;

/** What the texts tell that are read: no wording of another currency is known. */
const CURRENCY = "RUB";

/** Money of another currency it is not, whatever digits say: a payer could send as many roubles. */
function requisiteFor(
  printed: Printed,
  bound: readonly BoundRequisite[],
): BoundRequisite | undefined {
  const meant = meantBy(printed, bound);
  return meant?.currency === CURRENCY ? meant : undefined;
}

/** The only one that has these digits; or the only one there is, where none of its numbers says otherwise. */
function meantBy(printed: Printed, bound: readonly BoundRequisite[]): BoundRequisite | undefined {
  const { last4 } = printed;
  const ending = last4 === null ? [] : bound.filter((one) => hasEnding(one, last4));
  if (ending.length > 0) return ending.length === 1 ? ending[0] : undefined;
  const [only, ...others] = bound;
  return only !== undefined && others.length === 0 && !isOther(only, printed) ? only : undefined;
}

function hasEnding(one: BoundRequisite, digits: string): boolean {
  const numbers = [...one.numbers.map(({ masked }) => masked), ...one.endings];
  return numbers.some((number) => number.endsWith(digits));
}

/** Whether the digits are of a kind that is known of it: then they are another card's or account's. */
function isOther({ numbers, endings }: BoundRequisite, { last4, last4Of }: Printed): boolean {
  if (last4 === null) return false;
  if (endings.length > 0) return true;
  const has = (wanted: NumberKind) => numbers.some(({ kind }) => kind === wanted);
  if (last4Of === "card") return has("card");
  if (last4Of === "account") return has("account");
  return has("card") || has("account");
}

/** Of a card alone, and neither of its account, which is what is arrested, nor of a law. */
const OF_A_CARD = /^(?!.*(?:сч[её]т|операци|доступ|арест|\d-ФЗ)).*(?<!\p{L})карт[аыу]/iu;

function withoutFormer(one: BoundRequisite): BoundRequisite {
  return { ...one, numbers: one.numbers.filter(({ isCurrent }) => isCurrent) };
}

/**
 * Those that the text names by their digits; all of the source's, where it names none. A bank that issues a card anew
 * blocks the former one: that is no trouble of the present one.
 */
async function stopBlocked(
  tx: Tx,
  app: App,
  source: Source,
  bound: readonly BoundRequisite[],
  text: string,
): Promise<void> {
  const digits = text.match(/(?<!\d)\d{4}(?!\d)/g) ?? [];
  const isNamed = (one: BoundRequisite) => digits.some((four) => hasEnding(one, four));
  const named = bound.filter(isNamed);
  const inUse = OF_A_CARD.test(text) ? named.filter((one) => isNamed(withoutFormer(one))) : named;
  const stopped = (named.length > 0 ? inUse : bound).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  for (const { id } of stopped) {
    const row: RequisiteRow = await Requisites.lock(tx, id);
    if (!row.enabled) continue;
    const next = { ...row, enabled: false };
    await updateRequisite(tx, next);
    const [before, after] = [row, next].map((one) => requisiteToWire(one, app));
    const by = `source ${source.name}`;
    await recordAudit(tx, app, { by, act: "requisite.block", subject: id, before, after });
    tx.onCommit(() => {
      countBlocked(app, 1);
      const about = { requisite: id, source: source.id };
      app.log.warn(about, "the bank has blocked a requisite: it is given out no more");
    });
  }
}

/**
 * What became of a message, or that nothing did: no template reads it, its sender is none of the source's, or it
 * is none of our business.
 */
const UNTAKEN = ["unread", "stranger", "ignored"] as const;
const OUTCOMES = [...FATES, ...UNTAKEN] as const;
type Outcome = (typeof OUTCOMES)[number];

export function countMessages({ metrics }: App, outcomes: readonly Outcome[]): void {
  for (const outcome of OUTCOMES) {
    const times = outcomes.filter((one) => one === outcome).length;
    const help = "Messages that phones have reported, by what became of them.";
    metrics.count("kopeck_messages_total", help, times, { outcome });
  }
}

export function countBlocked({ metrics }: App, by: number): void {
  metrics.count("kopeck_requisites_blocked_total", "Requisites that a bank blocked.", by);
}
