// What strangers may ask for costs little, however often they ask.

import assert from "node:assert/strict";
import { request } from "node:http";
import { it, mock } from "node:test";
import { gunzipSync } from "node:zlib";
import { endpointsOf } from "../src/features/index.ts";
import { openOneGateway } from "./one-gateway.ts";

const { gateway } = await openOneGateway();
const { call, app, url } = gateway;

it("/metrics and /readyz are made anew once a second at most, after the first twenty", async () => {
  const texts = mock.method(app.metrics, "text");
  const transactions = mock.method(app.db, "transaction");
  const from = performance.now();
  await Promise.all(Array.from({ length: 64 }, () => call("/metrics")));
  for (let times = 0; times < 100; times += 1) {
    assert.equal((await call("/metrics")).status, 200);
    assert.equal((await call("/readyz")).status, 200);
  }
  const most = 20 + Math.ceil((performance.now() - from) / 1000);
  assert.ok(texts.mock.callCount() <= most, `${texts.mock.callCount()} texts`);
  assert.ok(transactions.mock.callCount() <= most, `${transactions.mock.callCount()} questions`);
  mock.restoreAll();
});

it("a stranger who is refused everywhere does not make /metrics longer", async () => {
  const before = (await app.metrics.text()).length;
  for (const { method, path } of endpointsOf("sandbox")) {
    for (const other of [method, "PUT"]) await call(path, { method: other });
  }
  const grown = (await app.metrics.text()).length - before;
  assert.ok(grown < 20_000, `${grown} characters more`);
});

it("/openapi.json and /docs are sent compressed, not at all where they are known, and not without end", async () => {
  for (const path of ["/openapi.json", "/docs"]) {
    const plain = await raw(path, {});
    const packed = await raw(path, { "accept-encoding": "br, gzip" });
    assert.equal(packed.headers["content-encoding"], "gzip");
    assert.deepEqual(gunzipSync(packed.body), plain.body);
    assert.ok(packed.body.length * 5 < plain.body.length);
    const known = await raw(path, { "if-none-match": String(plain.headers.etag) });
    assert.deepEqual([known.status, known.body.length], [304, 0]);
  }
  const statuses = new Set<number>();
  for (let times = 0; times < 1_000 && !statuses.has(429); times += 1) {
    statuses.add((await raw("/openapi.json", { "if-none-match": "*" })).status);
  }
  assert.ok(statuses.has(429));
  gateway.clock.advance(60);
});

/** Without what fetch does to a compressed answer. */
function raw(path: string, headers: Record<string, string>) {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: Buffer }>(
    (resolve, reject) => {
      const sent = request(url + path, { headers }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("end", () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            body: Buffer.concat(chunks),
          }),
        );
      });
      sent.on("error", reject).end();
    },
  );
}
