// Is this webhook really from the gateway? Both signatures cover exactly the bytes of the body, so it
// is checked before it is parsed; comparing is left to WebCrypto, which takes the same time always.

import { type Bytes, bytesOf, bytesOfBase64 } from "./bytes.ts";
import { WebhookError } from "./failure.ts";
import type { PayoutEvent, TestEvent, WebhookEvent } from "./webhook-event.ts";

export type WebhookHeaders =
  | Headers
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface WebhookRequest {
  /** As it came: parsed and written again it would not be the same bytes. */
  readonly body: string | Uint8Array | ArrayBuffer;
  readonly headers: WebhookHeaders;
  /** The webhook key of the shop, or of the user for payouts: checks x-api-sha256-signature. */
  readonly key?: string | undefined;
  /** Their whsec_… secret: checks the Standard Webhooks headers, the time included. */
  readonly secret?: string | undefined;
  /** The receiver's clock, for tests. */
  readonly now?: (() => Date) | undefined;
}

const TOLERANCE_SECONDS = 5 * 60;

/**
 * The event, or a WebhookError. Given a key and a secret, it checks both signatures. An address that was given
 * with payouts hears of these: `verifyWebhook<PayoutEvent>`. One that is tried by hand hears of a TestEvent.
 */
export async function verifyWebhook<
  Event extends WebhookEvent | PayoutEvent | TestEvent = WebhookEvent,
>(request: WebhookRequest): Promise<Event> {
  const { headers, key, secret, now = () => new Date() } = request;
  // An empty one is a setting that was forgotten, and anybody can sign with it.
  if (key === "" || secret === "" || (key ?? secret) === undefined)
    throw new TypeError("Give the webhook key, or the whsec_ secret.");
  const body = bytesOf(request.body);
  if (key) await checkKey(body, headers, key);
  if (secret) await checkSecret(body, headers, secret, now());
  return parseEvent(body);
}

async function checkKey(body: Bytes, headers: WebhookHeaders, key: string): Promise<void> {
  // While the keys are being changed, one is by the old key and one by the new.
  const signatures = [
    header(headers, "x-api-sha256-signature"),
    readHeader(headers, "x-api-sha256-signature-other"),
  ].map(bytesOfHex);
  if (!(await isSigned(body, bytesOf(key), signatures))) refuseSignature();
}

async function checkSecret(
  body: Bytes,
  headers: WebhookHeaders,
  secret: string,
  now: Date,
): Promise<void> {
  const id = header(headers, "webhook-id");
  const timestamp = header(headers, "webhook-timestamp");
  // Several while a secret is being changed, each with its version before it.
  const signatures = header(headers, "webhook-signature")
    .split(" ")
    .filter((one) => one.startsWith("v1,"))
    .map((one) => bytesOfBase64(one.slice(3)));
  const key = bytesOfBase64(secret.replace(/^whsec_/, ""));
  if (!key?.length) throw new TypeError("The secret is whsec_ and base64.");
  const signed = join(bytesOf(`${id}.${timestamp}.`), body);
  if (!(await isSigned(signed, key, signatures))) refuseSignature();
  const ageSeconds = Math.floor(now.getTime() / 1000) - Number(timestamp);
  // Written so that a timestamp that is no number is refused, too.
  if (!(Math.abs(ageSeconds) <= TOLERANCE_SECONDS)) {
    throw new WebhookError("wrong_time", `The webhook was sent ${ageSeconds} seconds ago.`);
  }
}

async function isSigned(
  content: Bytes,
  keyBytes: Bytes,
  signatures: readonly (Bytes | undefined)[],
): Promise<boolean> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", keyBytes, algorithm, false, ["verify"]);
  const verdicts = signatures.map(
    (one) => one !== undefined && crypto.subtle.verify("HMAC", key, one, content),
  );
  return (await Promise.all(verdicts)).includes(true);
}

function refuseSignature(): never {
  throw new WebhookError("wrong_signature", "The signature does not belong to this body.");
}

function parseEvent<Event>(body: Bytes): Event {
  try {
    const event: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
    if (typeof event === "object" && event !== null && !Array.isArray(event)) return event as Event;
  } catch {
    // It is refused below, like a number or a text.
  }
  throw new WebhookError("not_an_event", "The body is no JSON object.");
}

function header(headers: WebhookHeaders, name: string): string {
  const text = readHeader(headers, name);
  if (text === "") throw new WebhookError("missing_header", `The header ${name} is missing.`);
  return text;
}

/** Frameworks keep headers as Headers, in lower case, as they came, or as lists. */
function readHeader(headers: WebhookHeaders, name: string): string {
  const value =
    typeof headers.get === "function"
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof value === "string" ? value : (value ?? []).join(" ");
}

function bytesOfHex(text: string): Bytes | undefined {
  if (!/^[0-9a-f]{64}$/i.test(text)) return undefined;
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function join(first: Bytes, second: Bytes): Bytes {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
