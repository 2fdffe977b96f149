// hostile: the gateway is asked everything that its description names, by somebody with all secrets and
// no good will, and by clients that cannot speak HTTP. Whatever comes in, it answers in its own words,
// in bounded time, goes on serving, and its books stay right.

import { call } from "../test/gateway.ts";
import { manage, OPERATOR_TOKEN } from "../test/manage.ts";
import { findPostgres, HOW_TO_INSTALL } from "../test/postgres.ts";
import { openReceiver } from "../test/receiver.ts";
import { type EngineName, type Installation, install } from "./hostile/installation.ts";
import { SECRETS } from "./hostile/judge-answer.ts";
import { payNormally } from "./hostile/normal-payment.ts";
import { SMUGGLED } from "./hostile/raw-messages.ts";
import { RAW_FAULTS, SHAPE_COUNT } from "./hostile/raw-shapes.ts";
import { crowd, rawStorm } from "./hostile/raw-storm.ts";
import { keepSilent, SILENT_FAULT } from "./hostile/silence.ts";
import { HARM_NAMES, Storm } from "./hostile/storm.ts";
import type { Part, Trial } from "./part.ts";

const ENGINES: readonly EngineName[] = ["embedded", "postgres"];

/** Of each engine, for so many requests in all. */
const RAW_SHARE = { quick: 0.06, full: 0.05 };

export const hostile: Part = {
  name: "hostile",
  about: "requests made from the API's description and harmed, and bytes that are no HTTP",
  faults: [...HARM_NAMES, ...RAW_FAULTS, SILENT_FAULT, "idle connections"],
  states: [
    ...["unharmed, taken", "unharmed, refused", "harmed, taken", "harmed, refused", "pages shown"],
    ...["served beside a crowd", "paid afterwards", "books right"],
  ],
  missing() {
    return findPostgres() === undefined
      ? `PostgreSQL is not installed (${HOW_TO_INSTALL}).`
      : undefined;
  },
  async run(trial) {
    const requests = trial.size(5_000, 100_000);
    const each = Math.ceil(requests / ENGINES.length);
    await Promise.all(ENGINES.map((engine, index) => attack(trial, engine, each, index)));
  },
};

async function attack(
  trial: Trial,
  engine: EngineName,
  requests: number,
  index: number,
): Promise<void> {
  const random = trial.random.branch(index);
  const receiver = await openReceiver();
  trial.later(() => receiver.close());
  const installation = await install(trial, engine);
  const { url } = installation.running;
  const gateway = { call: (path: string, options?: object) => call(url, path, options) };
  const pass = async (advance_seconds: number): Promise<void> => {
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
    const { status } = await gateway.call("/sandbox/clock", { headers, body: { advance_seconds } });
    if (status !== 200) throw new Error(`the clock does not move: ${status}`);
  };
  const silentCount = trial.full ? 70 : 14;
  const silence = keepSilent(installation.port, silentCount, random.branch(1));
  const storm = new Storm(trial, installation, random.branch(2), receiver.url);
  trial.later(() => storm.close());
  trial.say(`${engine}: ready`);
  await storm.reachAll(pass);
  trial.say(`${engine}: every operation has been asked`);
  await storm.rage(requests);
  const share = trial.full ? RAW_SHARE.full : RAW_SHARE.quick;
  const raw = Math.max(SHAPE_COUNT, Math.ceil(requests * share));
  trial.say(`${engine}: ${requests} requests done`);
  await rawStorm(trial, installation, raw, random.branch(3));
  trial.say(`${engine}: ${raw} raw ones done`);
  await crowd(trial, installation, trial.full ? 2_000 : 300);
  for (const fault of await silence) trial.violation(`${engine}: ${fault}`);
  trial.count(SILENT_FAULT, silentCount);
  await payNormally(url, receiver);
  trial.count("paid afterwards");
  await lookForSmuggled(trial, gateway);
  storm.sumUp();
  await pass(0);
  await judgeEnd(trial, installation);
}

async function lookForSmuggled(trial: Trial, gateway: Parameters<typeof manage>[0]): Promise<void> {
  const own = manage(gateway);
  for (let after = ""; ; ) {
    const { items, next } = await own.get(`users?limit=200${after}`);
    if (items.some((user: { readonly name: string }) => user.name === SMUGGLED)) {
      trial.violation("a request that was hidden in another was taken for one");
      return;
    }
    if (next === null) return;
    after = `&after=${next}`;
  }
}

/** It ends when it is asked to, has told nobody's secret to its log, and its books are right. */
async function judgeEnd(trial: Trial, installation: Installation): Promise<void> {
  const { engine } = installation;
  const { code, stderr, stdout } = await installation.stop();
  if (code !== 0) trial.violation(`${engine}: ended with ${code}: ${stderr.slice(-1_000)}`);
  // Before its log, a sandbox greets with what it is opened with.
  const lines = `${stdout}\n${stderr}`.split("\n").filter((line) => line.startsWith("{"));
  const told = SECRETS.find((secret) => lines.some((line) => line.includes(secret)));
  if (told !== undefined) trial.violation(`${engine}: the log holds the secret ${told}`);
  const verdict = await installation.verify();
  if (verdict.code === 0) trial.count("books right");
  else trial.violation(`${engine}: ${verdict.stdout}${verdict.stderr}`);
}
