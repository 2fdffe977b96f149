// The gateway is asked everything that its description names, by somebody with all secrets and no good will,
// on both engines. Whatever comes in, it answers in its own words, in bounded time, goes on serving, and its
// books stay right. The smallest request that fails is told, as bytes that can be sent again.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { createH2h, createInvoice, LINK_SHOP, SHOP, USER } from "../test/cast.ts";
import { call } from "../test/gateway.ts";
import { type Manage, manage, OPERATOR_TOKEN } from "../test/manage.ts";
import { DAY } from "../test/orders.ts";
import { pauseRail, payoutBody } from "../test/payouts.ts";
import { freePort, ready, runKopeck } from "../test/process.ts";
import { openReceiver, type Receiver } from "../test/receiver.ts";
import { accepted } from "./accepted.ts";
import { eventually } from "./eventually.ts";
import { ask, faultOf } from "./fuzz/judge.ts";
import {
  anyRequest,
  HARMS,
  type Known,
  type Request,
  readOperations,
  STATEMENT,
  toBytes,
} from "./fuzz/requests.ts";
import type { Part, Trial } from "./part.ts";
import { missingPostgres, throwawayPostgres } from "./throwaway-postgres.ts";

const OPERATIONS = readOperations();
const LANES = 4;
/**
 * Longer than a calm request that is sent at the same moment and asks the database as well, however busy the
 * machine is: the embedded engine makes both wait for the three others' work, and the calm one for 2 s at most.
 */
const MOST_MS_MORE = 4_000;

type Gateway = Parameters<typeof manage>[0];

/** No requests of a client, or ones that once were answered wrongly; and what may be answered. */
const RAW: Readonly<Record<string, readonly [bytes: string, statuses: readonly number[]]>> = {
  "no request line": ["NONSENSE\r\n\r\n", [400]],
  "another protocol": ["\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", [400]],
  "two lengths": [
    head("POST /invoice/create", "content-length: 2\r\ncontent-length: 3", "{} "),
    [400],
  ],
  "a hidden request": [
    head(
      "POST /invoice/create",
      "content-length: 4\r\ntransfer-encoding: chunked",
      "0\r\n\r\nGET / HTTP/1.1\r\n\r\n",
    ),
    [400],
  ],
  "a head that is too long": [head("GET /healthz", `x: ${"x".repeat(99_000)}`), [431]],
  "a star for a path": [head("GET *", "accept: text/html"), [404]],
  "QUERY without a content type": [head("QUERY /", "content-length: 2", "{}"), [404, 405, 415]],
  megabytes: [
    head(
      "POST /invoice/create",
      `content-type: application/json\r\ncontent-length: 8000000`,
      " ".repeat(8_000_000),
    ),
    [413],
  ],
  "1e18 in the sandbox": [
    head(
      "POST /sandbox/transfers",
      `authorization: Bearer ${OPERATOR_TOKEN}\r\ncontent-type: application/json\r\ncontent-length: 44`,
      '{"wallet":"2202200000000007","amount":1e18} ',
    ),
    [422],
  ],
};

function head(line: string, headers: string, body = ""): string {
  return `${line} HTTP/1.1\r\nhost: kopeck.test\r\nconnection: close\r\n${headers}\r\n\r\n${body}`;
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
    ...["harmed, taken", "harmed, refused", "paid afterwards", "books right"],
  ],
  missing: missingPostgres,
  async run(trial) {
    const cluster = await throwawayPostgres(trial);
    const requests = trial.size(12_000, 100_000) / 2;
    await attack(trial, "embedded", {}, requests);
    await attack(trial, "postgres", { DATABASE_URL: cluster.url("postgres") }, requests);
  },
};

async function attack(
  trial: Trial,
  engine: string,
  database: object,
  requests: number,
): Promise<void> {
  const receiver = await openReceiver();
  trial.later(() => receiver.close());
  const port = await freePort();
  const env = {
    ...{ PORT: String(port), LOG_LEVEL: "error", KOPECK_DATA_DIR: join(trial.directory, engine) },
    // Payers have addresses of their own: all from one would be slowed down and reach nothing.
    ...{ KOPECK_TRUSTED_PROXIES: "127.0.0.1", ...database },
  };
  const running = runKopeck(env);
  trial.later(() => running.child.kill("SIGKILL"));
  await ready(running);
  const gateway: Gateway = { call: (path, options) => call(running.url, path, options) };
  const known = await prepare(gateway, receiver);
  let slowest = 0;

  /** Whether it was taken. */
  const tried = async (request: Request): Promise<boolean> => {
    for (const name of request.harms) trial.count(name);
    const { answer, moreMs } = await timed(running.url, port, toBytes(request));
    slowest = Math.max(slowest, moreMs);
    const fault = answer ? faultOf(request, answer) : "no answer";
    if (fault !== undefined) throw new Error(fault);
    // Time that is moved on brings all that falls due in it.
    if (moreMs > MOST_MS_MORE && request.operation.name !== "POST /sandbox/clock")
      throw new Error(`${moreMs.toFixed(0)} ms longer than a calm request`);
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
  const lanes = Array.from({ length: LANES }, (_, lane) =>
    fc.check(
      fc.asyncProperty(anything, async (request) => void (await tried(request))),
      {
        ...{ seed: trial.seed * LANES + lane, numRuns: Math.ceil(requests / LANES) },
      },
    ),
  );
  for (const { failed, counterexample, errorInstance, seed, numShrinks } of await Promise.all(
    lanes,
  )) {
    if (!failed) continue;
    const [request] = counterexample ?? [];
    const what = `${request?.operation.name}, ${request?.harms.join(" and ")}: ${String(errorInstance)}`;
    trial.violation(
      `${engine}, seed ${seed}, ${numShrinks} times made smaller: ${what}\n    ${request && replayable(toBytes(request))}`,
    );
  }
  for (const [name, [text, statuses]] of Object.entries(RAW)) {
    const answer = await ask(port, Buffer.from(text, "latin1")).catch(() => undefined);
    trial.count(name);
    if (answer && statuses.includes(answer.status)) continue;
    trial.violation(`${engine}, ${name}: ${answer?.status} ${answer?.text.slice(0, 200)}`);
  }
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
      trial.count("any bytes");
      const answer = await ask(port, Buffer.concat([bytes, Buffer.from("\r\n\r\n")]), true).catch(
        () => undefined,
      );
      assert.ok(answer === undefined || (answer.status >= 400 && answer.status < 500));
    }),
    { seed: trial.seed, numRuns: 50 },
  );
  trial.fact(`longest beyond a calm request, ${engine}`, `${slowest.toFixed(0)} ms`);

  await payNormally(gateway, receiver);
  trial.count("paid afterwards");
  running.child.kill("SIGTERM");
  const { code, stdout, stderr } = await running.ended;
  if (code !== 0) trial.violation(`${engine}: ended with ${code}: ${stderr.slice(-1_000)}`);
  // Before its log, a sandbox greets with what it is opened with.
  const lines = `${stdout}\n${stderr}`.split("\n").filter((line) => line.startsWith("{"));
  for (const line of lines) trial.violation(`${engine}, logged: ${line.slice(0, 500)}`);
  const verdict = await runKopeck(env, ["verify"]).ended;
  if (verdict.code === 0) trial.count("books right");
  else trial.violation(`${engine}: ${verdict.stdout}${verdict.stderr}`);
}

async function timed(url: string, port: number, bytes: Buffer) {
  const startedAt = performance.now();
  const since = (): number => performance.now() - startedAt;
  const calm = fetch(`${url}/readyz`)
    .then(async (answer) => answer.text())
    .then(since);
  const own = ask(port, bytes).then((answer) => ({ answer, ms: since() }));
  const [calmMs, { answer, ms }] = await Promise.all([calm, own]);
  return { answer, moreMs: ms - calmMs };
}

/** For a shell, whatever the seed does. */
function replayable(bytes: Buffer): string {
  const packed = gzipSync(bytes).toString("base64");
  const shown = JSON.stringify(bytes.toString("utf8").slice(0, 400));
  return `echo ${packed} | base64 -d | gunzip | nc -q 1 127.0.0.1 8080   # ${shown}`;
}

const OPERATOR = { authorization: `Bearer ${OPERATOR_TOKEN}` };
const several = <One>(count: number, make: () => Promise<One>): Promise<One[]> =>
  Promise.all(Array.from({ length: count }, make));

async function paid(gateway: Gateway, hook_url: string): Promise<string> {
  const { id } = accepted(await createInvoice(gateway, { hook_url, amount: 500 }));
  const { wallet, amount } = accepted(await createH2h(gateway, id));
  const body = { wallet, amount: Number(amount) };
  const told = accepted(await gateway.call("/sandbox/transfers", { body, headers: OPERATOR }));
  assert.equal(told.state, "matched");
  return id;
}

/** Payouts at every stage, by the doors that want them so; each may be used up. */
async function payoutsOf(gateway: Gateway, own: Manage): Promise<[string, string[]][]> {
  await pauseRail(gateway);
  const headers = { "x-api-signature-sha256": USER.secret };
  const many = (...acts: readonly [act: string, body?: object][]): Promise<string[]> =>
    several(6, async () => {
      const body = payoutBody({ amount: 10 });
      const { payoff_id: id } = accepted(await gateway.call("/payoff/create", { headers, body }));
      for (const [act, said = {}] of acts) {
        await own.post(`payouts/${id}/${act}`, act === "sent" ? { bank_reference: id } : said);
      }
      return id;
    });
  const door = (act: string) => `POST /manage/payouts/{payout_id}/${act} payout_id`;
  const unknown = await many(["take"]);
  await gateway.call("/sandbox/clock", { body: { advance_seconds: 3_600 }, headers: OPERATOR });
  // While one like it is unknown, each waits for a person: that is what approve is for.
  const held = await many();
  const approved = (...acts: readonly [act: string, body?: object][]) => many(["approve"], ...acts);
  const [queued, done] = [await approved(), await approved(["take"], ["sent"])];
  const failed = await approved(["take"], ["not-sent", { reason: "fuzz" }]);
  const filed = await own.post("payout-batches", { format: "csv", payouts: await approved() });
  return [
    ["payout_id", queued],
    ["GET /payoff/info id", queued],
    ["POST /payoff/cancel id", await approved()],
    [door("approve"), held],
    // What is refused is there for nobody else.
    [door("refuse"), await approved()],
    [door("take"), await approved()],
    [door("resolve"), unknown],
    [door("return"), done],
    [door("recover"), failed],
    ["batch_id", [filed.batch_id]],
    [door("not-sent"), await approved(["take"])],
    [door("sent"), await approved(["take"])],
  ];
}

/** Something of everything that operations can be about; of what they change or end, something of its own. */
async function prepare(gateway: Gateway, receiver: Receiver): Promise<Known> {
  const own = manage(gateway);
  const refundable = await several(8, () => paid(gateway, receiver.url));
  await eventually("the webhooks", () => receiver.received.length >= refundable.length);
  await gateway.call("/sandbox/clock", { body: { advance_seconds: 2 * DAY }, headers: OPERATOR });
  const payouts = await payoutsOf(gateway, own);
  // A harmed request may lack its user, and change what holds for everybody without a tariff of their own.
  const terms = { percent: 2, fix: 0, min_sum: 10, max_sum: 5_000, hold_first: false };
  await own.post("payout-tariffs", { user_id: USER.id, service: "card", ...terms });
  const { user } = await own.post("users", { name: "fuzz" });
  const shops = await several(3, () => own.post("shops", { user_id: user.user_id, name: "fuzz" }));
  const shopIds: string[] = shops.map(({ shop }) => shop.shop_id);
  const rates = { service: "p2p_card", shop_percent: 4, user_percent: 2, min_sum: 1, max_sum: 9 };
  for (const shop_id of shopIds) await own.post("tariffs", { shop_id, currency: "RUB", ...rates });
  const keys = await several(8, () => own.post("keys", { shop_id: shopIds[0] }));
  const operators = await several(8, () => own.post("operators", { name: "fuzz", role: "viewer" }));
  const stray = { wallet: "2202200000000007", amount: 77.7 };
  const references = Array.from({ length: 24 }, (_, n) => `stray ${n}`);
  const items = references.map((reference) => ({ ...stray, reference }));
  const suspense = (await own.post("transfers", { items })).items;
  const direct = await several(12, async () => accepted(await createInvoice(gateway)).id);
  for (const id of direct) accepted(await createH2h(gateway, id));
  const doomed = await several(6, async () => accepted(await createInvoice(gateway)).id);
  const walls = await several(6, () => own.post("wall-links", { name: "fuzz" }));
  const link = { type: "link", include_service: ["p2p_card"] };
  const links = await several(
    8,
    async () => accepted(await createInvoice(gateway, link, LINK_SHOP)).id,
  );
  const told = { name: "fuzz", adapter: "kopeck", banks: ["sber"], senders: ["900"] };
  const sources = await several(8, () => own.post("sources", told));
  const program = { url: "http://127.0.0.1:9", services: ["card"], paused: true };
  await own.post("rails", { ...program, code: "fuzz" });
  const file = { filename: "fuzz.txt", content: STATEMENT };
  const { import_id } = await own.post("imports", file);
  const lines = async () => (await own.get("lines?waiting=true&limit=200")).items;
  await eventually("the lines", async () => (await lines()).length > 0);
  const phone = { bank: "sber", receiver_name: "fuzz", phone: "+79160000001", max_sum: 50 };
  const requisite = await own.post("requisites", phone);
  const named = async (own: Manage, path: string, role: object): Promise<string[]> => {
    const made = await several(8, () =>
      own.post(path, { email: `${randomUUID()}@example.org`, name: "fuzz", ...role }),
    );
    return made.map((one) => one.person_id ?? one.person.person_id);
  };
  const cabinet = manage(gateway, "sandbox_owner_token", "cabinet");
  const people = await named(own, "people", { desk_role: "viewer" });
  const support = { role: "support" };
  const members = await named(own, `users/${user.user_id}/people`, support);
  const colleagues = await named(cabinet, "people", support);
  const tokens = await several(8, () => cabinet.post("tokens", { name: "fuzz" }));
  const ownKeys = await several(8, () => cabinet.post("keys", { shop_id: SHOP.id }));
  const emails = Array.from({ length: 500 }, (_, n) => `fuzz-${n}@example.org`);
  const idsOf = (all: readonly Record<string, string>[], name: string) =>
    all.map((one) => one[name] ?? "");
  const live = idsOf((await own.get("payments?state=live")).items, "payment_id");
  const transferIds = idsOf(suspense, "transfer_id");
  const changed = Object.entries({ shop_id: shopIds, user_id: [user.user_id] }).flatMap(
    ([name, ids]) =>
      OPERATIONS.filter(({ method, path }) => method === "POST" && path.startsWith("/manage")).map(
        (operation): [string, string[]] => [`${operation.name} ${name}`, ids],
      ),
  );
  return new Map<string, string[]>([
    ...changed.filter(([name]) => !/keys.* user_id|payouts user_id/.test(name)),
    ...payouts,
    ["invoice", links],
    ["invoice_id", direct],
    ...["/invoice", "/manage/invoices/{invoice_id}", "/cabinet/invoices/{invoice_id}"].map(
      (path): [string, string[]] => [`POST ${path}/cancel invoice_id`, doomed],
    ),
    ["wall_link_id", walls.map((one) => one.wall_link.wall_link_id)],
    ["event_id", idsOf((await own.get("events")).items, "event_id")],
    ["key_id", keys.map((one) => one.key?.key_id ?? one.key_id)],
    ["operator_id", operators.map((one) => one.operator.operator_id)],
    ["requisite_id", [requisite.requisite_id]],
    ["source_id", sources.map((one) => one.source.source_id)],
    ["import_id", [import_id]],
    ["person_id", people],
    ["POST /manage/users/{user_id}/people/{person_id} person_id", members],
    ["POST /cabinet/people/{person_id} person_id", colleagues],
    ["POST /cabinet/people/{person_id}/link person_id", colleagues],
    ["token_id", tokens.map((one) => one.token.token_id)],
    ["POST /cabinet/keys/{key_id}/revoke key_id", ownKeys.map((one) => one.key.key_id)],
    ["POST /cabinet/refunds invoice_id", refundable],
    ...["POST /manage/people", "POST /cabinet/people", "POST /manage/users/{user_id}/people"].map(
      (name): [string, string[]] => [`${name} email`, emails],
    ),
    ["line_id", idsOf(await lines(), "line_id")],
    ["phone", Array.from({ length: 90 }, (_, n) => `+791600000${10 + n}`)],
    ["transfer_id", transferIds],
    ["payment_id", live],
    ["POST /manage/refunds invoice_id", refundable],
    ["GET /invoice/info invoice_id", direct],
    ["POST /manage/transfers reference", Array.from({ length: 500 }, (_, n) => `told ${n}`)],
  ]);
}

/** From the order to the webhook, as any shop would have it. */
async function payNormally(gateway: Gateway, receiver: Receiver): Promise<void> {
  const headers = { "x-api-signature-sha256": USER.secret };
  const path = `/account/users/${USER.id}/balance`;
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
