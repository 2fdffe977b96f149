// Lists as pages: what stands below rows that were looked through is not "nothing"; a period holds its last day.

import assert from "node:assert/strict";
import { it } from "node:test";
import { createInvoice } from "../../../test/cast.ts";
import { openOneGateway, openQuietGateway } from "../../../test/one-gateway.ts";
import { DAY, type Order } from "../../../test/orders.ts";
import { anna, linkIn, unescaped, type Visitor, wordsIn } from "../../../test/people.ts";

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

/** The rows of some days, by their orders: on the page, and in the file that it leads to. */
async function ordersOf(visit: Visitor, path: string, days: string): Promise<string[]> {
  const page = await visit.open(`${path}?${days}`);
  const file = await visit.open(linkIn(page, `${path}.csv`, days) || `${path}.csv?${days}`);
  const [shown, filed] = [page, file].map((text) => text.match(/(?<=\W)at-[\d:-]+T[\d:]+/g) ?? []);
  assert.deepEqual(filed, shown, `${path}?${days}`);
  return [...new Set(shown)];
}

it("200: a period holds the whole of its last day, by the service's clock, also where the clock is changed", async () => {
  const { gateway: berlin, own } = await openQuietGateway({ timeZone: "Europe/Berlin" });
  // The last Sunday of March has 23 hours there, that of October 25.
  const edges = [
    ["at-03-28T23:59:59", "2026-03-28T22:59:59Z"],
    ["at-03-29T00:00:00", "2026-03-28T23:00:00Z"],
    ["at-03-29T23:59:59", "2026-03-29T21:59:59Z"],
    ["at-03-30T00:00:00", "2026-03-29T22:00:00Z"],
    ["at-10-24T23:59:59", "2026-10-24T21:59:59Z"],
    ["at-10-25T00:00:00", "2026-10-24T22:00:00Z"],
    ["at-10-25T23:59:59", "2026-10-25T22:59:59Z"],
    ["at-10-26T00:00:00", "2026-10-25T23:00:00Z"],
  ] as const;
  for (const [order_id, at] of edges) {
    berlin.clock.advance((Date.parse(at) - berlin.clock.now().getTime()) / 1000);
    const made = await createInvoice(berlin, { order_id });
    assert.equal(made.status, 200, made.text);
  }
  const visit = await anna(berlin);
  const names = edges.map(([name]) => name);
  for (const path of ["/my/invoices", "/desk/invoices"]) {
    for (const [days, from, to] of [
      ["from=2026-03-29&to=2026-03-29", 1, 3],
      ["from=2026-03-28&to=2026-03-29", 0, 3],
      ["from=2026-10-25&to=2026-10-25", 5, 7],
      ["from=2026-10-24&to=2026-10-24", 4, 5],
      ["from=2026-10-26&to=2026-10-26", 7, 8],
      ["from=2026-10-26&to=2026-10-25", 0, 0],
    ] as const) {
      const wanted = names.slice(from, to).toReversed();
      assert.deepEqual(await ordersOf(visit, path, days), wanted, `${path}?${days}`);
    }
    // A moment is one, and no day.
    const moment = "from=2026-10-25&to=2026-10-25T00%3A00%3A00Z";
    assert.deepEqual(await ordersOf(visit, path, moment), names.slice(5, 6));
    for (const to of ["2026-02-30", "9999-12-31", "2026-13-01"])
      assert.ok([200, 422].includes((await visit.get(`${path}?to=${to}`)).status), to);
  }
  // What programs ask stays as it is documented.
  const { items } = await own.get("invoices?from=2026-03-29&to=2026-03-29");
  assert.deepEqual(items, []);
});

it("200: a file has no column for a page's buttons", async () => {
  const visit = await anna(gateway);
  const [head = "", first = ""] = (await visit.open("/desk/operators.csv")).split("\r\n");
  assert.doesNotMatch(head, /,$/);
  assert.match(first, /,[\da-f-]{36}$/);
});

it("422: what cannot be looked for stands in its field again, with what is wrong, in the reader's words", async () => {
  const visit = await anna(gateway);
  await visit.post("/security/settings", { language: "ru", keys: "on" });
  for (const [path, says] of [
    ["/desk/transfers?amount=150,000&state=matched", "Поле «Сумма» должно быть записано"],
    ["/desk/transfers?wallet=2200 0000 0000 0007", "Поле «Карта или телефон» заполнено неверно"],
    ["/my/invoices?from=31.12.2025", "Поле «С» должно быть датой"],
  ] as const) {
    const { status, text } = await visit.get(encodeURI(path));
    const words = wordsIn(text);
    assert.equal(status, 422, path);
    assert.ok(words.includes(says), words);
    assert.doesNotMatch(words, /Поле (?:amount|wallet|from)|Ничего не подходит|Таких денег нет/);
    const [, typed = ""] = /=([^&]*)/.exec(path) ?? [];
    assert.ok(text.includes(`value="${typed}"`), path);
  }
  await visit.post("/security/settings", { language: "en", keys: "on" });
});
