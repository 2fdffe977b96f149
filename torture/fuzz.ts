// The gateway is asked everything that its description names, by somebody with all secrets and no good will,
// on both engines. Whatever comes in, it answers in its own words, goes on serving, and its books stay right. The smallest request that fails is told, as bytes that can be sent again.

import assert from "node:assert/strict";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { SHOP, USER } from "../test/cast.ts";
import { call } from "../test/gateway.ts";
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
const CALM_TRIES = 40;
const MAY_LACK = /\/(?:notice|drop|take|send|withdraw)$|^POST \/manage\/payout-batches$/;

export const fuzz: Part = {
  name: "fuzz",
  about: "requests made from the API's description and harmed",
  faults: Object.keys(HARMS),
  states: [
    // What has to be signed is only ever refused here, and no request makes an import fail. What one request
    // takes or puts into a file for the bank is there for no other one: that may be all there is. An event that
    // waits for its next attempt is not sent again, and here all may wait. An approval is withdrawn where one waits
    // for a second person, and the sandbox has one person.
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

  /** Whether it was taken. */
  const tried = async (request: Request): Promise<boolean> => {
    for (const name of request.harms) trial.count(name);
    const answer = await ask(port, toBytes(request));
    const fault = answer ? faultOf(request, answer) : "no answer";
    if (fault !== undefined) throw new Error(fault);
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

/** For a shell, whatever the seed does. */
function replayable(bytes: Buffer): string {
  const packed = gzipSync(bytes).toString("base64");
  const shown = JSON.stringify(bytes.toString("utf8").slice(0, 400));
  return `echo ${packed} | base64 -d | gunzip | nc -q 1 127.0.0.1 8080   # ${shown}`;
}

/** From the order to the webhook, as any shop would have it. */
async function payNormally(gateway: Gateway, receiver: Receiver): Promise<void> {
  const path = `/account/users/${USER.id}/balance`;
  const headers = { "x-api-signature-sha256": USER.secret };
  const balance = async (): Promise<number> =>
    accepted(await gateway.call(path, { headers })).balance;
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
