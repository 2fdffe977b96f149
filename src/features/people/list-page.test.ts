// Lists as pages: what stands below rows that were looked through is not "nothing".

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, type Order } from "../../../test/orders.ts";
import { anna, linkIn, unescaped, wordsIn } from "../../../test/people.ts";

const { gateway, trade } = await openOneGateway();

/** As many more like it, a millisecond apart, from then on. */
async function addAlike({ id }: Order, count: number): Promise<void> {
  await gateway.app.db.query(
    `insert into invoices select (jsonb_populate_record(invoice, jsonb_build_object(
       'id', left(millis, 8) || '-' || right(millis, 4) || '-7000-8000-000000000000',
       'order_id', 'alike-' || millis,
       'created_at', invoice.created_at + number * interval '1 ms'))).*
     from invoices invoice cross join generate_series(1, $2::int) number
     cross join lateral (select lpad(to_hex((extract(epoch from invoice.created_at) * 1000)::bigint
       + number), 12, '0') as millis) place
     where invoice.id = $1`,
    [id, count],
  );
}

const csvRows = (text: string): number => text.trim().split("\r\n").length - 1;

it("200: what was paid before 2,150 unpaid ones is found, with its file, at the desk and in the cabinet", async () => {
  const paid = await trade.order({ amount: 450 });
  await trade.pay(paid);
  await addAlike(await trade.order(), 2_150);
  await trade.pass(60);
  const visit = await anna(gateway);
  for (const path of [
    "/my/invoices?state=paid",
    "/my/invoices?amount=450",
    "/desk/invoices?state=paid",
  ]) {
    const page = await visit.open(path);
    assert.ok(page.includes(paid.orderId), path);
    assert.doesNotMatch(wordsIn(page), /Nothing fits/, path);
    const file = linkIn(page, `${path.split("?")[0]}.csv`, "");
    assert.equal(csvRows(await visit.open(file)), 1, path);
  }
  const none = await visit.open("/my/invoices?state=refunded");
  assert.match(wordsIn(none), /Nothing fits/);
  assert.ok(!none.includes('rel="next"'), "all of it was looked through");
});

it("200: a page that ends before all was looked through says how far, in both languages, and leads on", async () => {
  const paid = await trade.order();
  await trade.pay(paid);
  await trade.pass(DAY);
  await addAlike(await trade.order(), 3_000);
  await trade.pass(60);
  const visit = await anna(gateway);
  const page = await visit.open("/my/invoices?state=paid");
  const words = wordsIn(page);
  assert.match(
    words,
    /Nothing fits so far: looked through back to 2 Mar, 12:\d\d\. Older ones may fit/,
  );
  const file = linkIn(page, "/my/invoices.csv", "state=paid");
  assert.equal(csvRows(await visit.open(file)), 2);
  await visit.post("/security/settings", { language: "ru" });
  assert.match(
    wordsIn(await visit.open("/my/invoices?state=paid")),
    /Пока ничего не подошло: просмотрено назад до 2.мар, 12:\d\d\. Более старые могут подойти.*Искать дальше/,
  );
  await visit.post("/security/settings", { language: "en", keys: "on" });
  const further = /<a rel="next" href="([^"]*)">Look further</.exec(page)?.[1] ?? "";
  const second = await visit.open(unescaped(further));
  assert.ok(second.includes(paid.orderId));
});
