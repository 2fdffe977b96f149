// A database that is restored from a backup while merchants, payers and banks have gone on: what docs/operations.md
// has done before the first start keeps what was held from being given back, and shows every reader of a feed
// what happens from then on.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { it } from "node:test";
import { startGateway } from "../src/gateway.ts";
import { openLog } from "../src/platform/log.ts";
import { assertBooksAreRight } from "./books.ts";
import { SHOP } from "./cast.ts";
import { blocksIn } from "./document.ts";
import { call, onPostgres, openTestDatabase, openTestGateway, testConfig } from "./gateway.ts";
import { manage } from "./manage.ts";
import { DAY, HOUR, orders } from "./orders.ts";
import { payouts } from "./payouts.ts";
import { findPostgres } from "./postgres.ts";

const HOLD = 4 * HOUR;

/** What the manual has psql read. */
function linesOfManual(): string[] {
  const block = blocksIn("docs/operations.md", "Back up and restore").find((one) =>
    one.includes("update rails"),
  );
  const [, lines] = /<<END\n(.*?)^END$/ms.exec(block ?? "") ?? [];
  assert.ok(lines !== undefined, "a block that a psql reads before the first start");
  return lines.trim().split("\n");
}

onPostgres("a restored backup", () => {
  const parts = { jobs: [] };

  it("gives no held payout back that has left since, and hides no event from who has read on", async (test) => {
    const before = await openTestGateway("postgres", {}, parts);
    test.after(() => before.stop());
    const [own, trade] = [manage(before), orders(before)];
    const user = payouts(before, trade);
    await user.earn(2);
    const tariff = { percent: 2, min_sum: 10, max_sum: 100_000, hold_over: 100 };
    await own.post("payout-tariffs", { service: "card", ...tariff, hold_seconds: HOLD });
    const held = await user.made({ amount: 500 });
    assert.equal(await user.state(held), "held");

    const restored = await openTestDatabase("postgres");
    test.after(() => restored.drop());
    const url = restored.config.databaseUrl ?? "";
    const program = (name: string): string => join(findPostgres() ?? "", name);
    const dumped = [before.app.config.databaseUrl ?? "", "--format=custom"];
    const dump = execFileSync(program("pg_dump"), dumped, { maxBuffer: 2 ** 28 });
    execFileSync(program("pg_restore"), ["--no-owner", `--dbname=${url}`], { input: dump });

    // What is lost: it has left, and the shop has read on.
    await own.post(`payouts/${held}/approve`);
    await trade.pass(0);
    assert.equal(await user.state(held), "done");
    for (let count = 0; count < 3; count += 1) await trade.pay(await trade.order());
    await trade.pass(HOLD);
    const feed = async (at: string, query: string) => {
      const path = `/shops/${SHOP.id}/events?${query}`;
      return (await call(at, path, { headers: { "x-api-key": SHOP.key } })).body.data;
    };
    const { next } = await feed(before.url, "limit=500");

    for (const line of linesOfManual()) execFileSync(program("psql"), ["-qc", line, url]);
    const { clock } = before;
    const config = testConfig(restored.config);
    const started = await startGateway({ config, clock, log: openLog("error"), ...parts });
    test.after(() => started.stop());
    const after = {
      ...started,
      clock,
      call: (...[path, options]: Parameters<typeof before.call>) =>
        call(started.url, path, options),
    };
    const later = orders(after);
    assert.deepEqual((await feed(after.url, `after=${next}`)).events, []);
    const paid = await later.order();
    await later.pay(paid);
    await later.pass(DAY);
    const { events } = await feed(after.url, `after=${next}`);
    assert.deepEqual(
      events.map((one: { invoice_id: string }) => one.invoice_id),
      [paid.id],
    );
    assert.equal(await payouts(after, later).state(held), "held");
    await assertBooksAreRight(after);
  });
});
