// A process that lets several actors race on one PostgreSQL until something is wrong or enough was
// tried. What a bug that only two at once can show does to money, a single connection never tells.

import { endpointsOf } from "../../src/features/index.ts";
import { findViolations } from "../../src/features/ledger/queries.ts";
import { releaseFreezesJob } from "../../src/features/ledger/release-freezes.job.ts";
import { prepareInstallation } from "../../src/features/merchants/installation.ts";
import { refundInvoice } from "../../src/features/refunds/refund.ts";
import { ownersByWallet } from "../../src/features/requisites/wallet.ts";
import { createCast } from "../../src/features/sandbox/cast.ts";
import { acceptTransfer } from "../../src/features/transfers/transfers.ts";
import type { App } from "../../src/platform/app.ts";
import { movableClock } from "../../src/platform/clock.ts";
import { openPostgres } from "../../src/platform/db-postgres.ts";
import { openLog } from "../../src/platform/log.ts";
import { migrate } from "../../src/platform/migrate.ts";
import { openApp } from "../../src/platform/open-app.ts";
import { createServer } from "../../src/platform/server.ts";
import { createH2h, createInvoice } from "../../test/cast.ts";
import { type Answer, type CallOptions, TestClock, testConfig } from "../../test/gateway.ts";
import type { Bug } from "./bug.ts";

export interface RaceTask {
  readonly databaseUrl: string;
  readonly race: NonNullable<Bug["race"]>;
  readonly rounds: number;
  readonly sql?: string;
}

export interface Raced {
  readonly rounds: number;
  /** What was wrong; nothing where all went well. */
  readonly broken?: string;
}

const ACTORS = 4;
const DAY_SECONDS = 24 * 60 * 60;
const KEPT_WHILE_RUNNING = 17;

interface Order {
  readonly id: string;
  readonly wallet: string;
  readonly amountMinor: bigint;
}

const { databaseUrl, race, rounds, sql } = JSON.parse(process.argv[2] ?? "{}") as RaceTask;
const testClock = new TestClock();
const clock = movableClock(testClock);
const log = openLog("silent");
const config = testConfig({ databaseUrl });
const apps = Array.from({ length: ACTORS }, (): App => {
  return openApp({ config, clock, log, db: openPostgres({ connectionString: databaseUrl }, log) });
});
const [app] = apps as [App, ...App[]];

async function main(): Promise<void> {
  await migrate({ db: app.db, clock, log });
  await app.db.transaction(async (tx) => {
    await prepareInstallation(tx, app);
    await createCast(tx, app);
  });
  if (sql !== undefined) await app.db.query(sql);
  const server = createServer(app, endpointsOf("sandbox"), []);
  const door = {
    async call(path: string, { headers = {}, body }: CallOptions = {}): Promise<Answer> {
      const answer = await server.inject({
        ...{ method: "POST", url: path, payload: JSON.stringify(body) },
        headers: { "content-type": "application/json", ...headers },
      });
      const text = answer.body;
      return { status: answer.statusCode, headers: new Headers(), text, body: JSON.parse(text) };
    },
  };
  let broken: string | undefined;
  let round = 0;
  while (broken === undefined && round < rounds) {
    round += 1;
    broken = (await RACES[race](await order(door))) ?? (await violation());
    testClock.advance(3 * DAY_SECONDS);
  }
  const raced: Raced = broken === undefined ? { rounds: round } : { rounds: round, broken };
  process.stdout.write(`${JSON.stringify(raced)}\n`);
}

async function order(door: Parameters<typeof createInvoice>[0]): Promise<Order> {
  const created = await createInvoice(door);
  const { id } = created.body.data;
  const { wallet, amount } = (await createH2h(door, id)).body.data;
  return { id, wallet, amountMinor: BigInt(amount.replace(".", "")) };
}

async function arrive(actor: App, { wallet, amountMinor }: Order, reference: string) {
  const owner = (await ownersByWallet(actor.db, actor.secrets, [wallet])).get(wallet);
  const arrival = {
    ...{ requisiteId: owner?.id ?? "", currency: "RUB", amountMinor, reference, payer: null },
  };
  const { transfer } = await actor.db.transaction((tx) => acceptTransfer(tx, actor, arrival));
  return transfer.state;
}

async function violation(): Promise<string | undefined> {
  const all = await findViolations(app.db, clock.now());
  const worst = all.find(({ invariant }) => invariant !== KEPT_WHILE_RUNNING);
  return worst && `invariant ${worst.invariant}: ${worst.detail}`;
}

/** Those that were done; the others were refused, or failed. */
async function allAtOnce<Done>(act: (actor: App, index: number) => Promise<Done>): Promise<Done[]> {
  const settled = await Promise.allSettled(apps.map(act));
  return settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
}

const RACES: Record<RaceTask["race"], (order: Order) => Promise<string | undefined>> = {
  async refunds(one) {
    await arrive(app, one, `paid ${one.id}`);
    testClock.advance(DAY_SECONDS);
    await releaseFreezesJob.run(app);
    const [payment] = await app.db.query<{ minor: bigint }>(
      "select credited_minor as minor from payments where invoice_id = $1 and state = 'paid'",
      [one.id],
    );
    const wish = { invoiceId: one.id, amountMinor: payment?.minor ?? 0n };
    const done = await allAtOnce((actor) =>
      actor.db.transaction((tx) =>
        refundInvoice(tx, actor, { ...wish, reason: "race", author: "race" }),
      ),
    );
    return done.length === 1 ? undefined : `the whole credit was refunded ${done.length} times`;
  },
  async transfers(one) {
    const states = await allAtOnce((actor, index) => arrive(actor, one, `${one.id} ${index}`));
    const matched = states.filter((state) => state === "matched").length;
    return matched === 1 ? undefined : `${matched} transfers were matched with one payment`;
  },
  async releases(one) {
    await arrive(app, one, `paid ${one.id}`);
    testClock.advance(DAY_SECONDS);
    await allAtOnce((actor) => releaseFreezesJob.run(actor));
    const released = await app.db.query(
      `select from ledger_postings posting join payments payment on payment.id = posting.source_id
       where posting.kind = 'freeze_over' and payment.invoice_id = $1`,
      [one.id],
    );
    const { length } = released;
    return length === 1 ? undefined : `one freeze was released ${length} times`;
  },
};

await main();
process.exit();
