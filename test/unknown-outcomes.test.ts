// A connection that is lost while a form's COMMIT is under way: nobody knows whether it was done. The page says so,
// tries nothing by itself, and the same form, sent once more, makes nothing more.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { openProxy } from "../torture/crash/proxy.ts";
import { LINK_SHOP, SHOP } from "./cast.ts";
import { freshAmount } from "./desk.ts";
import { onPostgres, openTestDatabase, openTestGateway, type TestGateway } from "./gateway.ts";
import { changedLine } from "./lines.ts";
import { manage } from "./manage.ts";
import { orders } from "./orders.ts";
import { CARD, pauseRail, payouts } from "./payouts.ts";
import { anna, hiddenIn, wordsIn } from "./people.ts";

onPostgres("a commit that nobody knows the outcome of", () => {
  let gateway: TestGateway;
  let proxy: Awaited<ReturnType<typeof openProxy>>;
  let database: Awaited<ReturnType<typeof openTestDatabase>>;
  before(async () => {
    const templateUrl = process.env["KOPECK_TEST_POSTGRES_TEMPLATE"];
    database = await openTestDatabase("postgres", templateUrl === undefined ? {} : { templateUrl });
    proxy = await openProxy(database.config.databaseUrl ?? "");
    gateway = await openTestGateway("postgres", { databaseUrl: proxy.url });
    await pauseRail(gateway);
  });
  after(async () => {
    await gateway.stop();
    proxy.close();
    await database.drop();
  });

  const count = async (table: string): Promise<number> => {
    const rows = await gateway.app.db.query<{ rows: number }>(
      `select count(*)::integer as rows from ${table}`,
    );
    return rows[0]?.rows ?? 0;
  };

  it("is not called lost: the form is used up, and its page leads nowhere by itself", async () => {
    const trade = orders(gateway);
    await payouts(gateway, trade).earn(2);
    const order = await trade.order();
    await trade.pay(order);
    const visit = await anna(gateway);
    const payout = () => ({ service: "card", wallet_to: CARD, amount: String(freshAmount()) });
    const refund = { amount: "10", reason: "A cup" };
    type Sent = readonly [page: string, table: string, fields: object, look: string];
    const forms: readonly Sent[] = [
      ["/my/payouts/new", "payouts", payout(), "/my/payouts"],
      [`/my/invoices/${order.id}/refund`, "refunds", refund, `/my/invoices/${order.id}`],
      [`/desk/invoices/${order.id}/refund`, "refunds", refund, `/desk/invoices/${order.id}`],
      ["/my/invoices/new", "invoices", { shop_id: LINK_SHOP.id, amount: "500" }, "/my/invoices"],
      ["/my/tokens/new", "member_tokens", { name: "Terminal" }, "/my"],
      [`/my/keys/new?shop_id=${SHOP.id}`, "api_keys", {}, "/my/keys"],
      ["/desk/merchants/new", "users", { name: "Acme" }, "/desk/merchants"],
    ];
    for (const place of ["before its answer", "before it is sent on"] as const) {
      for (const [page, table, fields, seen] of forms) {
        const [path = ""] = page.split("?");
        const text = await visit.open(page);
        const filled = { ...hiddenIn(text, path), ...fields };
        const before = await count(table);
        const of = new RegExp(`insert into ${table}\\b`);
        const cut = { place, of, target: "a COMMIT", part: 0, resets: [false, false] } as const;
        void proxy.cut(cut);
        const lost = await visit.post(path, filled);
        assert.equal(lost.status, 503, `${path}: ${wordsIn(lost.text)}`);
        assert.equal(lost.headers.get("refresh"), null, path);
        assert.match(lost.text, /may have been carried out.*[Ll]ook/s, path);
        assert.doesNotMatch(lost.text, /press it once more/, path);
        const look = /<a href="([^"]*)"[^>]*>Look</.exec(lost.text)?.[1] ?? "";
        assert.equal(look, seen, path);
        await visit.open(look);
        const made = await count(table);
        assert.equal(made, before + (place === "before its answer" ? 1 : 0), path);
        const again = await visit.post(path, filled);
        assert.match(again.text, /sent before/, path);
        assert.equal(await count(table), made, path);
      }
    }
  });

  it("of several lines, the one under way and those behind it are told apart from what is done", async () => {
    const own = manage(gateway);
    const ids: string[] = [];
    for (const [n, sum] of [61, 62, 63].entries()) {
      ids.push((await changedLine(gateway, sum, `2026-02-1${n}`)).line_id);
    }
    const [first = "", second = "", third = ""] = ids;
    const settled = () => count("statement_lines where settled_at is not null");
    const word = { decision: "exclude", reason: "the bank renamed them" };
    await own.post("lines/decide", { ...word, line_ids: [first] });
    const of = /update statement_lines set outcome/;
    const place = "before its answer";
    void proxy.cut({ place, of, target: "a COMMIT", part: 0, resets: [false, false] });
    const { items } = await own.post("lines/decide", { ...word, line_ids: ids });
    const told = items.map(({ status, code }: Record<string, unknown>) => [status, code]);
    const away = [503, "unavailable"];
    assert.deepEqual(told, [[422, "line_settled"], away, away]);
    assert.equal(await settled(), 2, "the third was not tried");
    const again = await own.post("lines/decide", { ...word, line_ids: [second, third] });
    const outcomes = again.items.map(
      (item: Record<string, unknown>) => item["code"] ?? item["outcome"],
    );
    assert.deepEqual(outcomes, ["line_settled", "excluded"]);
  });
});
