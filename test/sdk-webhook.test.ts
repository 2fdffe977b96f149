// Webhooks as a receiver gets them, right, forged, old and broken, signed by the gateway's own code.

import assert from "node:assert/strict";
import { it } from "node:test";
import { verifyWebhook, type WebhookRequest } from "../sdk/src/index.ts";
import { signed, signerOf } from "../src/features/webhooks/signature.ts";

const key = "sandbox_webhook_key";
const secret = "whsec_c2FuZGJveF93ZWJob29rX2tleV8wMDAwMDA=";
const sentAt = new Date("2026-03-01T09:00:00Z");
const body = '{"amount":"1000.00","custom_fields":{"a":"ä"},"status":"success"}';
const sign = (content = body, at = sentAt) =>
  signed(
    { id: "event", sentAt: at, body: content },
    { fresh: signerOf({ key, secret }), old: undefined },
    1,
  );
const headers = sign();

const verify = (changes: Partial<WebhookRequest>) =>
  verifyWebhook({ body, headers, key, secret, now: () => sentAt, ...changes });
const later = (seconds: number) => () => new Date(sentAt.getTime() + seconds * 1000);
const without = (name: string) =>
  Object.fromEntries(Object.entries(headers).filter(([one]) => one !== name));
/** The other digit, or the other letter, so that a signature stays well formed. */
const turned = (text = "") => text.replace(/.$|.(?==$)/, (last) => (last === "0" ? "1" : "0"));

it("verifyWebhook gives the event when the signatures are right", async () => {
  const event = await verify({});
  assert.deepEqual(event, JSON.parse(body));
  assert.equal(event.status, "success");
  assert.deepEqual(await verify({ secret: undefined, headers: sign(body, new Date(0)) }), event);
  assert.deepEqual(await verify({ key: undefined }), event);
});

it("verifyWebhook takes the body as text or bytes, the headers as frameworks keep them", async () => {
  const bytes = Buffer.from(`x${body}`).subarray(1);
  const capitals = Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]);
  const lists = Object.entries(headers).map(([name, value]) => [name, [value]]);
  await verify({ body: bytes });
  await verify({ body: new Uint8Array(bytes) });
  await verify({ headers: new Headers(headers) });
  await verify({ headers: Object.fromEntries(capitals) });
  await verify({ headers: Object.fromEntries(lists) });
  await verify({ headers: { ...headers, host: "shop.example", cookie: undefined } });
});

it("verifyWebhook refuses what was forged or changed", async () => {
  const simple = headers["x-api-sha256-signature"];
  const standard = headers["webhook-signature"];
  const forged: Partial<WebhookRequest>[] = [
    { body: `${body} ` },
    { key: "another_key" },
    { secret: "whsec_YW5vdGhlciBzZWNyZXQ=" },
    { headers: { ...headers, "x-api-sha256-signature": turned(simple) } },
    { headers: { ...headers, "x-api-sha256-signature": `${simple}00` } },
    { headers: { ...headers, "webhook-signature": turned(standard) } },
    { headers: { ...headers, "webhook-signature": standard?.replace("v1,", "v2,") } },
    { headers: { ...headers, "webhook-id": "another" } },
    { headers: { ...headers, "webhook-timestamp": "1" } },
  ];
  for (const changes of forged) {
    await assert.rejects(
      verify(changes),
      { name: "WebhookError", problem: "wrong_signature" },
      JSON.stringify(changes),
    );
  }
});

it("verifyWebhook takes one right signature among several of Standard Webhooks", async () => {
  const standard = headers["webhook-signature"];
  const several = `v1,${btoa("old")} v1a,else ${standard}`;
  await verify({ headers: { ...headers, "webhook-signature": several } });
});

it("verifyWebhook takes the signatures of both keys while they are being changed", async () => {
  const fresh = { key: "a new key", secret: "whsec_bmV3" };
  const signers = { fresh: signerOf(fresh), old: signerOf({ key, secret }) };
  for (const turn of [1, 2]) {
    const both = signed({ id: "event", sentAt, body }, signers, turn);
    await verify({ headers: both });
    await verify({ headers: both, ...fresh });
    await assert.rejects(verify({ headers: both, key: "another" }), { problem: "wrong_signature" });
  }
});

it("verifyWebhook refuses what is older or younger than five minutes", async () => {
  for (const seconds of [-300, 0, 300]) await verify({ now: later(seconds) });
  for (const seconds of [-301, 301, 86_400]) {
    await assert.rejects(verify({ now: later(seconds) }), { problem: "wrong_time" });
  }
  await assert.rejects(verify({ now: undefined }), { problem: "wrong_time" });
  const odd = sign(body, new Date(Number.NaN));
  await assert.rejects(verify({ headers: odd }), { problem: "wrong_time" });
  await verify({ now: later(86_400), secret: undefined });
});

it("verifyWebhook refuses a request without the headers", async () => {
  for (const name of Object.keys(headers)) {
    const missing = { problem: "missing_header", message: `The header ${name} is missing.` };
    await assert.rejects(verify({ headers: without(name) }), missing);
    await assert.rejects(verify({ headers: { ...headers, [name]: "" } }), missing);
  }
  await assert.rejects(verify({ headers: new Headers() }), { problem: "missing_header" });
});

it("verifyWebhook refuses what is signed but no event", async () => {
  for (const content of ["", "not JSON", "null", "1", '"text"', "[]"]) {
    const signed = { body: content, headers: sign(content) };
    await assert.rejects(verify(signed), { problem: "not_an_event" });
  }
});

it("verifyWebhook takes bytes of any kind, and says so of a body that was parsed", async () => {
  await verify({ body: Uint8Array.from(Buffer.from(body)).buffer });
  for (const parsed of [JSON.parse(body), undefined, [1]]) {
    await assert.rejects(verify({ body: parsed as never }), TypeError);
  }
});

it("verifyWebhook does not work without a key, or with an empty one", async () => {
  await assert.rejects(verify({ key: undefined, secret: undefined }), TypeError);
  await assert.rejects(verify({ key: "" }), TypeError);
  for (const empty of ["", "whsec_", "whsec_%%%"]) {
    await assert.rejects(verify({ secret: empty }), TypeError);
  }
});
