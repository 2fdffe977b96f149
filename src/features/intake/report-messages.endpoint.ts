// POST /intake/:source_id: what a phone reports, in the form of its app. Guards that what is not for us is
// answered as kindly as what is, so that no app repeats it for ever; that a one-time code, or a text that no
// template reads, is not kept; and that one message's trouble is not another's.

import type { Static } from "typebox";
import { type Notification, readNotification } from "../../domain/notification.ts";
import type { App } from "../../platform/app.ts";
import { endpoint } from "../../platform/endpoint.ts";
import { Type, uuid } from "../../platform/field.ts";
import { tellSeldom } from "../../platform/log.ts";
import { holdSecretKey } from "../operators/installation.ts";
import { restingAmong, setResting } from "../requisites/queries.ts";
import { type Report, readReports } from "./adapters.ts";
import { type BoundRequisite, boundTo } from "./bound.ts";
import { countMessages, type Outcome, UNTAKEN } from "./count.ts";
import { type Source, sourceGate } from "./source-gate.ts";
import { noteHeard } from "./source-queries.ts";
import { takeMessage } from "./take-message.ts";

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
