// The gateway is asked everything that its description names, by somebody with all secrets and no good will,
// on both engines. Whatever comes in, it answers in its own words, in bounded time, goes on serving, and its
// books stay right. The smallest request that fails is told, as bytes that can be sent again.

import assert from "node:assert/strict";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { SHOP, USER } from "../test/cast.ts";
import { call } from "../test/gateway.ts";
import { OPERATOR_TOKEN } from "../test/manage.ts";
import { freePort, ready, runKopeck } from "../test/process.ts";
import { openReceiver, type Receiver } from "../test/receiver.ts";
import { accepted } from "./accepted.ts";
import { eventually } from "./eventually.ts";
import { type Gateway, paid, prepare } from "./fuzz/cast.ts";
import { HARMS, type Request } from "./fuzz/harms.ts";
import { ask, faultOf } from "./fuzz/judge.ts";
import { OPERATIONS } from "./fuzz/operations.ts";
import { anyRequest, toBytes } from "./fuzz/requests.ts";
import type { Part, Trial } from "./part.ts";
import { isOfPeople } from "./quiet-gateway.ts";
import { missingPostgres, throwawayPostgres } from "./throwaway-postgres.ts";

const LANES = 4;
/**
 * Longer than the slowest calm request so far, of which one is sent at the same moment as each and asks the database as
 * well: the embedded engine of a busy machine makes both wait for the three others' work.
 */
const MOST_MS_MORE = 4_000;

type Raw = readonly [statuses: readonly number[], line: string, headers?: string, body?: string];
const json = (length: number): string =>
  `content-type: application/json\r\ncontent-length: ${length}`;
const TWO_LENGTHS = "content-length: 2\r\ncontent-length: 3";
const TWO_ENDS = "content-length: 4\r\ntransfer-encoding: chunked";
const HIDDEN = "0\r\n\r\nGET / HTTP/1.1\r\n\r\n";
const HUGE = '{"wallet":"2202200000000007","amount":1e18}';
const WITH_TOKEN = `authorization: Bearer ${OPERATOR_TOKEN}\r\n${json(HUGE.length)}`;

/** What may be answered to no requests of a client, or to ones that once were answered wrongly. */
const RAW: Readonly<Record<string, Raw>> = {
  "no request line": [[400], "NONSENSE"],
  "another protocol": [[400], "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
  "two lengths": [[400], "POST /invoice/create", TWO_LENGTHS, "{} "],
  "a hidden request": [[400], "POST /invoice/create", TWO_ENDS, HIDDEN],
  "a head that is too long": [[431], "GET /healthz", `x: ${"x".repeat(99_000)}`],
  "a star for a path": [[404], "GET *", "accept: text/html"],
  "QUERY without a content type": [[404, 405, 415], "QUERY /", "content-length: 2", "{}"],
  megabytes: [[413], "POST /invoice/create", json(8_000_000), " ".repeat(8_000_000)],
  "1e18 in the sandbox": [[422], "POST /sandbox/transfers", WITH_TOKEN, HUGE],
};

function bytesOf([, line, headers, body = ""]: Raw): Buffer {
  const more = `HTTP/1.1\r\nhost: kopeck.test\r\nconnection: close\r\n${headers}`;
  const head = headers === undefined ? line : `${line} ${more}`;
  return Buffer.from(`${head}\r\n\r\n${body}`, "latin1");
}

const CALM_TRIES = 40;
const MAY_LACK =
  /\/(?:notice|drop|take|send)$|^POST \/manage\/payout-batches$|^POST \/manage\/proposals\//;

export const fuzz: Part = {
  name: "fuzz",
  about: "requests made from the API's description and harmed, and bytes that are no HTTP",
  faults: [...Object.keys(HARMS), ...Object.keys(RAW), "any bytes"],
  states: [
    // What has to be signed is only ever refused here, and no request makes an import fail. What one request
    // takes or puts into a file for the bank is there for no other one: that may be all there is. An event that
    // waits for its next attempt is not sent again, and here all may wait. A proposal takes a second person, and the
    // sandbox has one.
    ...OPERATIONS.filter(({ name }) => !MAY_LACK.test(name)).map(({ name }) => `${name}, taken`),
    "harmed, taken",
    "harmed, refused",
    "paid afterwards",
    "books right",
  ],
  missing: missingPostgres,
  async run(trial) {
    const cluster = await throwawayPostgres(trial);
    const requests = trial.size(12_000, 100_000) / 2;
    await attack(trial, "embedded", {}, requests);
    await attack(trial, "postgres", { DATABASE_URL: cluster.url("postgres") }, requests);
  },
};

async function attack(trial: Trial, engine: string, database: object, requests: number) {
  const receiver = await openReceiver();
  trial.later(() => receiver.close());
  const port = await freePort();
  const env = {
    PORT: String(port),
    LOG_LEVEL: "error",
    KOPECK_DATA_DIR: join(trial.directory, engine),
    // Payers have addresses of their own: all from one would be slowed down and reach nothing.
    KOPECK_TRUSTED_PROXIES: "127.0.0.1",
    ...database,
  };
  const running = runKopeck(env);
  trial.later(() => running.child.kill("SIGKILL"));
  await ready(running);
  const gateway: Gateway = { call: (path, options) => call(running.url, path, options) };
  const known = await prepare(gateway, receiver);
  const longest = { calmMs: 0, moreMs: 0 };

  /** Whether it was taken. */
  const tried = async (request: Request): Promise<boolean> => {
    for (const name of request.harms) trial.count(name);
    const { answer, ms, calmMs } = await timed(gateway, port, toBytes(request));
    longest.calmMs = Math.max(longest.calmMs, calmMs);
    const moreMs = ms - longest.calmMs;
    const fault = answer ? faultOf(request, answer) : "no answer";
    if (fault !== undefined) throw new Error(fault);
    // Time that is moved on brings all that falls due in it.
    if (request.operation.name !== "POST /sandbox/clock") {
      longest.moreMs = Math.max(longest.moreMs, moreMs);
      if (moreMs > MOST_MS_MORE)
        throw new Error(`${moreMs.toFixed(0)} ms longer than calm requests`);
    }
    const isTaken = (answer?.status ?? 500) < 400;
    if (request.harms.length > 0) trial.count(isTaken ? "harmed, taken" : "harmed, refused");
    else if (isTaken && MAY_LACK.test(request.operation.name) === false)
      trial.count(`${request.operation.name}, taken`);
    const isOrder = request.harms.length === 0 && request.operation.name === "POST /invoice/create";
    if (isTaken && isOrder) known.get("invoice_id")?.push(JSON.parse(answer?.text ?? "").data.id);
    return isTaken;
  };
  // Each as it should be, until it is taken: what is harmed afterwards is something that works.
  for (const [place, operation] of OPERATIONS.entries()) {
    const seed = trial.seed * OPERATIONS.length + place;
    const whole = fc.sample(anyRequest(known, operation, 0), { seed, numRuns: CALM_TRIES });
    for (const request of whole) if (await tried(request)) break;
  }
  const anything = fc.oneof(...OPERATIONS.map((operation) => anyRequest(known, operation)));
  const harmed = fc.asyncProperty(anything, async (request) => void (await tried(request)));
  const numRuns = Math.ceil(requests / LANES);
  const lanes = Array.from({ length: LANES }, (_, lane) =>
    fc.check(harmed, { seed: trial.seed * LANES + lane, numRuns }),
  );
  for (const lane of await Promise.all(lanes)) {
    if (!lane.failed) continue;
    const [request] = lane.counterexample ?? [];
    const how = `${engine}, seed ${lane.seed}, ${lane.numShrinks} times made smaller`;
    const what = `${request?.operation.name}, ${request?.harms.join(" and ")}`;
    const again = request && replayable(toBytes(request));
    trial.violation(`${how}: ${what}: ${String(lane.errorInstance)}\n    ${again}`);
  }
  for (const [name, raw] of Object.entries(RAW)) {
    const answer = await ask(port, bytesOf(raw)).catch(() => undefined);
    trial.count(name);
    if (answer && raw[0].includes(answer.status)) continue;
    trial.violation(`${engine}, ${name}: ${answer?.status} ${answer?.text.slice(0, 200)}`);
  }
  const anyBytes = fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
    trial.count("any bytes");
    const whole = Buffer.concat([bytes, Buffer.from("\r\n\r\n")]);
    const answer = await ask(port, whole, true).catch(() => undefined);
    assert.ok(answer === undefined || (answer.status >= 400 && answer.status < 500));
  });
  await fc.assert(anyBytes, { seed: trial.seed, numRuns: 50 });
  const [calm, more] = [longest.calmMs, longest.moreMs].map(Math.round);
  trial.fact(`longest calm request, and longest beyond it, ${engine}`, `${calm} ms, ${more} ms`);

  await payNormally(gateway, receiver);
  trial.count("paid afterwards");
  running.child.kill("SIGTERM");
  const { code, stdout, stderr } = await running.ended;
  if (code !== 0) trial.violation(`${engine}: ended with ${code}: ${stderr.slice(-1_000)}`);
  // Before its log, a sandbox greets with what it is opened with.
  const lines = `${stdout}\n${stderr}`.split("\n").filter((line) => line.startsWith("{"));
  for (const line of lines.filter((one) => !isOfPeople(one)))
    trial.violation(`${engine}, logged: ${line.slice(0, 500)}`);
  const verdict = await runKopeck(env, ["verify"]).ended;
  if (verdict.code === 0) trial.count("books right");
  else trial.violation(`${engine}: ${verdict.stdout}${verdict.stderr}`);
}

const BALANCE = [
  `/account/users/${USER.id}/balance`,
  { headers: { "x-api-signature-sha256": USER.secret } },
] as const;

async function timed(gateway: Gateway, port: number, bytes: Buffer) {
  const startedAt = performance.now();
  const since = (): number => performance.now() - startedAt;
  // It waits for the database for as long as it takes; what /readyz says of it is known after two seconds.
  const calm = gateway.call(...BALANCE).then(since);
  const own = ask(port, bytes).then((answer) => ({ answer, ms: since() }));
  const [calmMs, { answer, ms }] = await Promise.all([calm, own]);
  return { answer, ms, calmMs };
}

/** For a shell, whatever the seed does. */
function replayable(bytes: Buffer): string {
  const packed = gzipSync(bytes).toString("base64");
  const shown = JSON.stringify(bytes.toString("utf8").slice(0, 400));
  return `echo ${packed} | base64 -d | gunzip | nc -q 1 127.0.0.1 8080   # ${shown}`;
}

/** From the order to the webhook, as any shop would have it. */
async function payNormally(gateway: Gateway, receiver: Receiver): Promise<void> {
  const balance = async (): Promise<number> => accepted(await gateway.call(...BALANCE)).balance;
  const before = await balance();
  const id = await paid(gateway, receiver.url);
  const info = await gateway.call(`/invoice/info?shop_id=${SHOP.id}&invoice_id=${id}`, {
    headers: { "x-api-key": SHOP.key },
  });
  const { status, credited } = accepted(info);
  assert.equal(status, "success", info.text);
  assert.equal(Math.round((await balance()) * 100), Math.round((before + credited) * 100));
  await eventually("the webhook", () => receiver.received.some(({ raw }) => raw.includes(id)));
}
