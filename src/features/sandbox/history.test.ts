// The sandbox's history: alive in every state, right in its books, played once, whole or not at all, and told to
// nobody.

import assert from "node:assert/strict";
import { once } from "node:events";
import { after, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import {
  call,
  ENGINES,
  openTestDatabase,
  openTestGateway,
  type TestGateway,
} from "../../../test/gateway.ts";
import { freePort, killLeftovers, ready, runKopeck } from "../../../test/process.ts";
import { eventually } from "../../../torture/eventually.ts";
import { jobs } from "../jobs.ts";
import { addHistory } from "./history.ts";

const TOKEN = { authorization: "Bearer sandbox_operator_token" };
const LINE = /a month of example business was added: (\d+) invoices, 8 things wait for you/;

const countBy = async (gateway: TestGateway, column: string, table: string) => {
  const rows = await gateway.app.db.query<{ name: string; rows: number }>(
    `select ${column} as name, count(*)::integer as rows from ${table} group by 1 order by 1`,
  );
  return Object.fromEntries(rows.map(({ name, rows: count }) => [name, count]));
};

/** As statistics have it. */
async function createdIn({ app, call }: TestGateway): Promise<number> {
  const from = new Date(app.clock.now().getTime() - 40 * 86_400_000).toISOString();
  const { body } = await call(`/manage/statistics?by=method&from=${from}`, { headers: TOKEN });
  const items: { created: number }[] = body.data.items;
  return items.reduce((sum, { created }) => sum + created, 0);
}

it("a fresh sandbox fills itself with a month in every state, once, and tells nobody", async () => {
  const sent: string[] = [];
  const http = {
    async post(url: string) {
      sent.push(url);
      return { status: 200, durationMs: 1 };
    },
    close() {},
  };
  const gateway = await openTestGateway(
    "embedded",
    { sandboxHistory: true, logLevel: "info" },
    { http },
  );
  try {
    await gateway.history;
    const [, told] = LINE.exec(gateway.log.join("")) ?? [];
    const states = await countBy(gateway, "state", "invoices");
    const invoices = Object.values(states).reduce((sum, one) => sum + one, 0);
    assert.equal(Number(told), invoices);
    assert.ok(invoices > 270 && invoices < 340, `${invoices} invoices`);
    assert.deepEqual(Object.keys(states), ["created", "expired", "paid", "pending", "refunded"]);
    assert.ok((await createdIn(gateway)) > invoices / 2, "its figures come with it");
    const days = await countBy(gateway, "created_at::date", "invoices");
    assert.ok(Object.keys(days).length >= 29, "something is sold every day");
    const late = await countBy(gateway, "late", "payments");
    assert.ok((late["true"] ?? 0) >= 5);
    assert.deepEqual(await countBy(gateway, "state", "payouts"), {
      canceled: 1,
      done: 7,
      failed: 1,
      held: 2,
      returned: 1,
      sending: 1,
      unknown: 1,
    });
    const answers = await countBy(gateway, "coalesce(status::text, error)", "deliveries");
    assert.deepEqual(Object.keys(answers), ["200", "410", "503", "timeout"]);
    assert.deepEqual(await countBy(gateway, "outcome", "statement_lines"), {
      charge: 1,
      duplicate: 3,
      reversal: 1,
    });
    await assertBooksAreRight(gateway);

    const { body } = await gateway.call("/manage/transfers?state=suspense", { headers: TOKEN });
    const offs: string[] = [];
    for (const { transfer_id: id } of body.data.items) {
      const path = `/manage/transfers/${id}/candidates`;
      const near = (await gateway.call(path, { headers: TOKEN })).body.data.items;
      offs.push(near[0]?.off);
    }
    assert.deepEqual(offs.toSorted(), ["amount", "ended", "other_card", "paid_already"]);

    await addHistory(gateway.app, jobs);
    assert.deepEqual(await countBy(gateway, "state", "invoices"), states);
    // Three days on everything is over, and nobody was told of it.
    const day = { advance_seconds: 3 * 86_400 };
    await gateway.call("/sandbox/clock", { headers: TOKEN, body: day });
    assert.deepEqual(sent, []);
    assert.equal(await createdIn(gateway), invoices);
    await assertBooksAreRight(gateway);
  } finally {
    await gateway.stop();
  }
});

it("a gateway that is killed while it fills itself does so at its next start", async () => {
  const database = await openTestDatabase(ENGINES.at(-1) ?? "embedded");
  after(killLeftovers);
  const { databaseUrl = "", dataDir = "" } = database.config;
  const env = {
    PORT: String(await freePort()),
    ...(databaseUrl === "" ? { KOPECK_DATA_DIR: dataDir } : { DATABASE_URL: databaseUrl }),
  };
  const killed = runKopeck({ ...env, KOPECK_SANDBOX_HISTORY: "on" });
  while (!killed.output().includes("listening"))
    await once(killed.child.stdout ?? assert.fail(), "data");
  killed.child.kill("SIGKILL");
  await killed.ended;

  const running = runKopeck({ ...env, KOPECK_SANDBOX_HISTORY: "on" });
  await ready(running);
  // The first may have been quick enough. Where there is one, all of it is there.
  await eventually("the history", async () => {
    const { body } = await call(running.url, "/manage/invoices?limit=1", { headers: TOKEN });
    return body.data.items.length > 0;
  });
  running.child.kill("SIGTERM");
  await running.ended;
  const { code, stdout } = await runKopeck(env, ["verify"]).ended;
  assert.equal(code, 0, stdout);
  await database.drop();
});
