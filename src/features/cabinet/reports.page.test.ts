// /my/reports: a year of months, each register a file of that month.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { anna, unescaped } from "../../../test/people.ts";

const { gateway, trade } = await openOneGateway();

it("200: this month's files hold what happened in it, the month's before do not", async () => {
  const order = await trade.order();
  const owner = await anna(gateway);
  const text = await owner.open("/my/reports");
  const links = [...text.matchAll(/href="(\/my\/[\w/]+\.csv\?[^"]+)"/g)];
  assert.equal(links.length, 48);
  const [first, before] = links
    .map(([, href = ""]) => unescaped(href))
    .filter((href) => href.includes("invoices"));
  assert.ok((await owner.open(first ?? "")).includes(order.orderId));
  assert.ok(!(await owner.open(before ?? "")).includes(order.orderId));
});
