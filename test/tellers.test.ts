// Everybody who tells of money, at once and in any order, over several gateways on one PostgreSQL: each real
// transfer is money once, as long as one of the tellers tells of all of them.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import fc from "fast-check";
import { applyImportsJob } from "../src/features/intake/apply-imports.job.ts";
import { type Arrival, acceptTransfers } from "../src/features/transfers/transfers.ts";
import { startGateway } from "../src/gateway.ts";
import type { App } from "../src/platform/app.ts";
import { openLog } from "../src/platform/log.ts";
import { eventually } from "../torture/eventually.ts";
import { assertBooksAreRight } from "./books.ts";
import {
  onPostgres,
  openTestDatabase,
  TestClock,
  type TestDatabase,
  testConfig,
} from "./gateway.ts";
import { manage } from "./manage.ts";
import { insistent, mayTakeLong, untilFree } from "./patience.ts";
import { statement1c } from "./statement-file.ts";

const ACCOUNT = "40817810000000000101";
const REQUISITE = "00000000-0000-4000-8000-000000000101";
const GATEWAYS = 3;
const DAY = "2026-03-01";

onPostgres("tellers of the same money", () => {
  let database: TestDatabase;
  let gateways: Awaited<ReturnType<typeof startGateway>>[] = [];
  const clock = new TestClock();
  before(async () => {
    database = await openTestDatabase("postgres");
    const config = testConfig(database.config);
    const open = () => startGateway({ config, clock, log: openLog("silent") });
    gateways = await Promise.all(Array.from({ length: GATEWAYS }, open));
    clock.advance(12 * 3600);
  });
  after(async () => {
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await database.drop();
  });

  const at = (index: number): App => {
    const gateway = gateways[index % GATEWAYS];
    if (gateway === undefined) throw new Error("no gateway");
    return gateway.app;
  };
  const entrance = (index: number) =>
    manage(insistent(gateways[index % GATEWAYS] ?? assert.fail("no gateway")));
  const told = (app: App, arrival: Arrival): Promise<unknown> =>
    untilFree(() =>
      app.db.transaction(async (tx) => {
        const [one] = await acceptTransfers(tx, app, [arrival]);
        return one;
      }),
    );
  const phone = (amountMinor: bigint, teller: string, madeAt: Date, key: string): Arrival => ({
    requisiteId: REQUISITE,
    currency: "RUB",
    amountMinor,
    payer: null,
    madeAt: madeAt.toISOString(),
    told: { channel: "sms", teller, key, needsProof: true, hold: null },
  });
  const count = async (minor: bigint): Promise<number> => {
    const [row] = await at(0).db.query<{ count: number }>(
      "select count(*)::integer as count from transfers where amount_minor = $1",
      [minor],
    );
    return row?.count ?? 0;
  };
  const bring = (index: number, sums: readonly number[], version: string) => {
    const movements = sums.map((sum, place) => ({ sum, number: String(place + 1) }));
    const file = statement1c([{ account: ACCOUNT, days: { [DAY]: movements } }]);
    const content = Buffer.from(file.replace("1.03", version)).toString("base64");
    return entrance(index).post("imports", { filename: "one.txt", content });
  };
  const applyEverywhere = () =>
    Promise.all(
      gateways.map(async ({ app }) => {
        for (let idle = 0; idle < 4; ) {
          if ((await untilFree(() => applyImportsJob.run(app))) === 0) idle += 1;
        }
      }),
    );

  it("two imports of overlapping files and a phone at once: each line is money once", async () => {
    const sums = Array.from({ length: 60 }, (_, index) => 200 + index);
    const noon = new Date(`${DAY}T09:00:00Z`);
    await Promise.all([bring(0, sums.slice(0, 40), "1.01"), bring(1, sums, "1.02")]);
    await Promise.all([
      applyEverywhere(),
      ...sums.map((sum, index) =>
        told(at(index), phone(BigInt(sum) * 100n, "sms:phone", noon, `sms-${sum}`)),
      ),
    ]);
    await applyEverywhere();
    const all = await Promise.all(sums.map((sum) => count(BigInt(sum) * 100n)));
    assert.deepEqual(
      all,
      sums.map(() => 1),
    );
    const { items } = await entrance(2).get("imports");
    assert.ok(items.every((one: { applied_at: string | null }) => one.applied_at !== null));
    const [first] = gateways;
    assert.ok(first);
    await assertBooksAreRight(first);
  });

  it("the number of a fast payment, told in capitals and in small letters at once, is money once", async () => {
    const capitals = "A60721203517031F0B10110011700501";
    const wish = { requisite_id: REQUISITE, amount: 9_999_999.99 };
    const arrival: Arrival = {
      requisiteId: REQUISITE,
      currency: "RUB",
      amountMinor: 999_999_999n,
      payer: null,
      reference: capitals,
      channel: "api",
    };
    const waits = `select from pg_locks where not granted and locktype = 'advisory'
      and pid in (select pid from pg_stat_activity where datname = current_database())`;
    const small = await at(0).db.transaction(async (tx): Promise<{ of: Promise<unknown> }> => {
      await mayTakeLong(tx);
      await acceptTransfers(tx, at(0), [arrival]);
      let isOver = false;
      const of = entrance(1)
        .post("transfers", { ...wish, reference: capitals.toLowerCase() })
        .finally(() => {
          isOver = true;
        });
      const isWaiting = async () => (await tx.query(waits, [])).length > 0;
      await eventually("it waits for the first", async () => isOver || (await isWaiting()));
      return { of };
    });
    await small.of;
    assert.equal(await count(999_999_999n), 1);
  });

  it("any order of tellers of any real transfers, some of them at once, books each exactly once", async () => {
    let minor = 1_000_000n;
    const moments = fc.array(fc.nat({ max: 8 * 60 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(
        moments,
        fc.constantFrom("sms:a", "push:b", "line:1c"),
        fc.infiniteStream(fc.boolean()),
        fc.infiniteStream(fc.nat()),
        async (real, complete, heard, order) => {
          minor += 1n;
          const amount = minor;
          const tellings = real.flatMap((moment, index) =>
            ["sms:a", "push:b", "line:1c"].flatMap((teller) => {
              if (!heard.next().value && teller !== complete) return [];
              const madeAt = new Date(Date.parse(`${DAY}T00:00:00Z`) + moment * 60_000);
              const one = phone(amount, teller, madeAt, `${amount}-${index}`);
              const arrival: Arrival = teller === "line:1c" ? { ...one, madeAt: DAY } : one;
              return [{ arrival, at: order.next().value }];
            }),
          );
          const sorted = tellings.toSorted((a, b) => a.at - b.at);
          for (let from = 0; from < sorted.length; from += 3) {
            const together = sorted.slice(from, from + 3);
            await Promise.all(together.map(({ arrival }, index) => told(at(index), arrival)));
          }
          // And all of it once more: nothing is new.
          await Promise.all(sorted.map(({ arrival }, index) => told(at(index), arrival)));
          assert.equal(await count(amount), real.length);
        },
      ),
      { numRuns: 40, endOnFailure: true },
    );
  });
});
