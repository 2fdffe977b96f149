// A rail that is a program of the operator's own, asked over HTTP (docs/rails.md). Guards that an answer is taken
// for one only where it is exactly as written down there; everything else leaves open what came of it.

import type { Static } from "typebox";
import { Compile } from "typebox/schema";
import { toDecimalText } from "../../domain/money.ts";
import type { Finding, RailAnswer } from "../../domain/payout.ts";
import type { App } from "../../platform/app.ts";
import { oneOf, Type, text } from "../../platform/field.ts";
import { requestTrusted, type TrustedAnswer } from "../../platform/outgoing.ts";
import type { RailOrder, RailProgram } from "./rail.ts";
import type { RailRow } from "./rail-queries.ts";
import { namesTwoStates, openRailSecret, railSignature } from "./rail-secret.ts";

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

export const httpRail: RailProgram = {
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
