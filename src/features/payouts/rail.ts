// Programs that send payouts: the operator's own over HTTP (docs/rails.md), and the sandbox's. Only
// an answer as documented counts; everything else leaves the outcome open.

import { createHmac } from "node:crypto";
import type { Static } from "typebox";
import { Compile } from "typebox/schema";
import { addSeconds } from "../../domain/moment.ts";
import { toDecimalText } from "../../domain/money.ts";
import {
  attemptKey,
  type Finding,
  type PayoutService,
  type RailAnswer,
} from "../../domain/payout.ts";
import type { App } from "../../platform/app.ts";
import { oneOf, Type, text } from "../../platform/field.ts";
import { requestTrusted, type TrustedAnswer, whyUnanswered } from "../../platform/outgoing.ts";
import type { Secrets } from "../../platform/secret.ts";
import type { AttemptKey } from "./attempt-queries.ts";
import { recordAnswers } from "./attempts.ts";
import { openDestination, sealedDestinations } from "./destination-queries.ts";
import { type Payout, returnLater } from "./queries.ts";
import type { RailKind, RailRow } from "./rail-queries.ts";

export interface RailOrder extends AttemptKey {
  /** What the rail knows it by. */
  readonly key: string;
  readonly service: PayoutService;
  /** A card, or a phone. */
  readonly wallet: string;
  readonly bankId: string | null;
  /** What arrives. */
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly comment: string | null;
  readonly dispatchedAt: Date;
}

/** Whatever it throws is no answer. */
interface RailProgram {
  send(app: App, rail: RailRow, order: RailOrder, signal: AbortSignal): Promise<Finding>;
  look(app: App, rail: RailRow, order: RailOrder, signal: AbortSignal): Promise<Finding>;
}

export const SECRET_PREFIX = "whsec_";

export function railSecretSeal(code: string): string {
  return `${code} rail secret`;
}

export function sealRailSecret(secrets: Secrets, code: string, secret: string): Buffer {
  return secrets.seal(railSecretSeal(code), secret);
}

export function openRailSecret(secrets: Secrets, code: string, sealed: Buffer): string {
  return secrets.open(railSecretSeal(code), sealed);
}

interface SignedMessage {
  readonly id: string;
  readonly seconds: string;
  readonly body: string;
}

export function railSignature(secret: string, { id, seconds, body }: SignedMessage): Buffer {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), "base64");
  return createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest();
}

/** Such an answer says nothing: one of its states could give back money that has left. */
export function namesTwoStates(written: string): boolean {
  return (written.match(/"state"\s*:/g)?.length ?? 0) > 1;
}

const word = (description: string, ...examples: string[]) =>
  Type.Optional(text({ max: 255 }, { description, ...(examples.length > 0 && { examples }) }));

/** What a rail says of an attempt, in answers and in notices alike. */
export const saidFields = {
  state: oneOf(["sent", "accepted", "not_sent"], {
    description:
      "sent: the money has left. accepted: it will be sent, or is being sent. not_sent: it has not left and will not, for certain.",
  }),
  id: word("What the rail calls it.", "op-1"),
  bank_reference: word("What the bank calls it; no other payout may have it.", "A5320213306467"),
  reason: word("Why it was not sent; only and always with not_sent."),
  retry: Type.Optional(
    Type.Boolean({ description: "Of not_sent: whether another attempt may succeed." }),
  ),
};

const Said = Type.Object(saidFields);
const isSaid = Compile(Said);
const isNotFound = Compile(Type.Object({ state: Type.Literal("not_found") }));

/** Undefined where it says less than it has to. */
export function answerIn(said: Static<typeof Said>): RailAnswer | undefined {
  const { state: kind, id, bank_reference: reference, reason, retry = false } = said;
  if (kind === "not_sent") {
    const isPlain = reason !== undefined && reason.trim() !== "" && reference === undefined;
    return isPlain ? { kind, reason, retry } : undefined;
  }
  const named = id === undefined ? {} : { railId: id };
  if (kind === "accepted") return { kind, ...named };
  return { kind, ...named, ...(reference === undefined ? {} : { reference }) };
}

const httpRail: RailProgram = {
  async send(app, rail, order, signal) {
    const { key, service, wallet: number, bankId: bank_id, currency, comment } = order;
    const amount = toDecimalText(order.amountMinor);
    const body = JSON.stringify({ key, service, number, bank_id, amount, currency, comment });
    const found = findingIn(await ask(app, rail, order, signal, body));
    // It was just told of it.
    return found.kind === "not_found" ? undocumented("not_found") : found;
  },
  look: async (app, rail, order, signal) => findingIn(await ask(app, rail, order, signal)),
};

/** With a body it is told to send, without one what came of it is asked. */
function ask(
  { clock, secrets }: App,
  { code, url, secret_sealed: sealed }: RailRow,
  { key }: RailOrder,
  signal: AbortSignal,
  body?: string,
): Promise<TrustedAnswer> {
  if (url === null || sealed === null) throw new Error(`The rail ${code} has no address.`);
  const seconds = String(Math.floor(clock.now().getTime() / 1000));
  const signed = { id: key, seconds, body: body ?? "" };
  const signature = railSignature(openRailSecret(secrets, code, sealed), signed);
  return requestTrusted({
    method: body === undefined ? "GET" : "POST",
    signal,
    url: `${url.replace(/\/+$/, "")}/payouts${body === undefined ? `/${key}` : ""}`,
    headers: {
      accept: "application/json",
      "user-agent": "Kopeck",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      "webhook-id": key,
      "webhook-timestamp": seconds,
      "webhook-signature": `v1,${signature.toString("base64")}`,
    },
    ...(body === undefined ? {} : { body }),
  });
}

function findingIn({ status, text: written }: TrustedAnswer): Finding {
  if (status !== 200) return undocumented(`HTTP ${status}`);
  const said = read(written);
  if (isNotFound.Check(said)) return { kind: "not_found" };
  return (isSaid.Check(said) ? answerIn(said) : undefined) ?? undocumented("other words");
}

function read(written: string): unknown {
  try {
    return namesTwoStates(written) ? undefined : JSON.parse(written);
  } catch {
    return undefined;
  }
}

function undocumented(what: string): RailAnswer {
  return { kind: "unknown", detail: `The rail's answer is none that is documented: ${what}.` };
}

const ACCEPTED_SECONDS = 60;
const RETURNED_SECONDS = 60 * 60;

interface Ending {
  send(app: App, order: RailOrder): RailAnswer | Promise<RailAnswer>;
  look(app: App, order: RailOrder): Finding;
}

const sent = ({ key }: RailOrder): RailAnswer => ({
  kind: "sent",
  railId: key,
  reference: `sandbox-${key}`,
});
const notSent = (reason: string): RailAnswer => ({ kind: "not_sent", reason, retry: false });
const LOST: RailAnswer = { kind: "unknown", detail: "The answer was lost." };

const DONE: Ending = { send: (_app, order) => sent(order), look: (_app, order) => sent(order) };
const NO_RECIPIENT = () => notSent("recipient_not_found");

const ENDINGS: Readonly<Record<string, Ending>> = {
  "02": { send: NO_RECIPIENT, look: NO_RECIPIENT },
  // Accepted, and sent a minute later.
  "03": {
    send: (_app, { key }) => ({ kind: "accepted", railId: key }),
    look({ clock }, order) {
      const isSent = addSeconds(order.dispatchedAt, ACCEPTED_SECONDS) <= clock.now();
      return isSent ? sent(order) : { kind: "accepted" };
    },
  },
  // The answer is lost: it was sent; it was not; nobody ever knows.
  "04": { send: () => LOST, look: DONE.look },
  "05": { send: () => LOST, look: () => notSent("not_sent_after_all") },
  "08": { send: () => LOST, look: () => ({ kind: "not_found" }) },
  // The bank sends the money back an hour later.
  "06": {
    async send({ db, clock }, order) {
      await returnLater(db, order.payoutId, addSeconds(clock.now(), RETURNED_SECONDS));
      return sent(order);
    },
    look: DONE.look,
  },
  // What a notice would tell comes before the answer.
  "07": {
    async send(app, order) {
      const { payoutId, number } = order;
      const answer = sent(order);
      await app.db.transaction((tx) => recordAnswers(tx, app, [{ payoutId, number, answer }]));
      return answer;
    },
    look: DONE.look,
  },
};

const endingOf = ({ wallet }: RailOrder): Ending => ENDINGS[wallet.slice(-2)] ?? DONE;

const sandboxRail: RailProgram = {
  send: async (app, _rail, order) => endingOf(order).send(app, order),
  look: async (app, _rail, order) => endingOf(order).look(app, order),
};

export const ANSWER_WITHIN_SECONDS = 30;
const LOOK_WITHIN_SECONDS = 5;

/** The sandbox's plays with no real money. */
function programsOf({ config }: App): Partial<Record<RailKind, RailProgram>> {
  return config.mode === "sandbox" ? { http: httpRail, sandbox: sandboxRail } : { http: httpRail };
}

export function programKinds(app: App): RailKind[] {
  return Object.keys(programsOf(app)) as RailKind[];
}

export async function askRail(
  app: App,
  what: keyof RailProgram,
  rail: RailRow,
  order: RailOrder,
  stop: AbortSignal,
): Promise<Finding> {
  // A rail that hangs when it is asked must not hold up asking the others.
  const seconds = what === "look" ? LOOK_WITHIN_SECONDS : ANSWER_WITHIN_SECONDS;
  const signal = AbortSignal.any([stop, AbortSignal.timeout(seconds * 1000)]);
  const found = await programsOf(app)
    [rail.kind]?.[what](app, rail, order, signal)
    .catch((error: unknown): Finding => {
      const { key: attempt } = order;
      app.log.warn({ err: error, attempt, rail: rail.code }, `a rail did not answer to ${what}`);
      return { kind: "unknown", detail: `The rail gave ${whyUnanswered(error, signal)}.` };
    });
  const answer = found ?? { kind: "unknown", detail: "Nobody can be asked." };
  const labels = { rail: rail.code, asked: what, answer: answer.kind };
  app.metrics.count("kopeck_rail_answers_total", "What rails have said of payouts.", 1, labels);
  return answer;
}

interface Sending {
  readonly payout: Payout;
  readonly number: number;
  readonly dispatchedAt: Date;
}

/** What rails are told of these; one whose number does not open is left out, and told of. */
export async function ordersOf(app: App, sendings: readonly Sending[]): Promise<RailOrder[]> {
  if (sendings.length === 0) return [];
  const ids = sendings.map(({ payout }) => payout.destinationId);
  const sealed = new Map((await sealedDestinations(app.db, ids)).map((one) => [one.id, one]));
  return sendings.flatMap(({ payout, number, dispatchedAt }) => {
    const { id: payoutId, service, bankId, currency, comment } = payout;
    try {
      const destination = sealed.get(payout.destinationId);
      if (destination === undefined) throw new Error("A payout goes nowhere.");
      const wallet = openDestination(app.secrets, destination);
      const key = attemptKey({ payoutId, number });
      const amountMinor = payout.receiveMinor;
      return [
        {
          payoutId,
          number,
          key,
          service,
          wallet,
          bankId,
          amountMinor,
          currency,
          comment,
          dispatchedAt,
        },
      ];
    } catch (error) {
      app.log.error({ err: error, payout: payoutId }, "a payout cannot be sent");
      return [];
    }
  });
}
