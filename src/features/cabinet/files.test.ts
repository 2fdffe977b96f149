// Files of the cabinet: one belongs to the merchant whose page led to it, and its name says whose it is.

import assert from "node:assert/strict";
import { it } from "node:test";
import { OTHER_USER, USER } from "../../../test/cast.ts";
import { hire, signedInAs } from "../../../test/members.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { unescaped, wordsIn } from "../../../test/people.ts";
import { addMemberships } from "../merchants/queries.ts";

const { gateway, own, trade } = await openOneGateway();

/** Where its file is. */
function fileOf(page: string): string {
  return unescaped(/href="([^"]*\.csv\?[^"]*)"/.exec(page)?.[1] ?? "none");
}

/** An owner of two merchants, who looks at the first. */
async function ofBoth() {
  const { app } = gateway;
  const hired = await hire(gateway, "owner");
  const { personId } = hired;
  await app.db.transaction((tx) =>
    addMemberships(tx, [{ personId, userId: OTHER_USER.id, role: "owner" }], app.clock.now()),
  );
  const visit = await signedInAs(gateway, hired);
  const turnTo = ({ id }: { id: string }) => visit.post("/my/switch", { user_id: id });
  await turnTo(USER);
  return { visit, turnTo };
}

it("wrong_merchant: a file that one tab offers is not another merchant's, to which another tab has turned", async () => {
  const order = await trade.order();
  const { visit, turnTo } = await ofBoth();
  const file = fileOf(await visit.open("/my/invoices?state=pending"));
  const reports = await visit.open("/my/reports");
  const month = unescaped(/href="(\/my\/invoices\.csv\?[^"]+)"/.exec(reports)?.[1] ?? "");
  for (const path of [file, month]) assert.ok((await visit.open(path)).includes(order.orderId));
  await turnTo(OTHER_USER);
  for (const path of [file, month]) {
    const { status, headers, text } = await visit.get(path);
    assert.ok(status >= 400 && status < 500, `${path}: ${status}`);
    assert.match(headers.get("content-type") ?? "", /text\/html/);
    assert.equal(headers.get("content-disposition"), null);
    assert.match(wordsIn(text), /opened for another merchant/);
  }
  // What says nothing of whom is of whom they look at, as every page is.
  assert.ok(!(await visit.open("/my/invoices.csv")).includes(order.orderId));
});

it("200: the name of a file says whose it is and of which days, whatever the merchant is called", async () => {
  const { visit, turnTo } = await ofBoth();
  const nameOf = async (path: string): Promise<string> =>
    (await visit.get(path)).headers.get("content-disposition") ?? "";
  await own.post(`users/${USER.id}`, { name: 'Чай "и";\\ ложка/../=' });
  const days = "from=2026-03-01&to=2026-03-31";
  const encoded = encodeURIComponent("my-invoices-Чай-и-ложка-2026-03-01_2026-03-31.csv");
  assert.equal(
    await nameOf(`/my/invoices.csv?${days}`),
    `attachment; filename="my-invoices-${USER.id}-2026-03-01_2026-03-31.csv"; filename*=UTF-8''${encoded}`,
  );
  const mine = await nameOf("/my/invoices.csv");
  await turnTo(OTHER_USER);
  assert.notEqual(await nameOf("/my/invoices.csv"), mine);
  const odd = await nameOf("/my/invoices.csv?from=2026-03-01T00%3A00%3A00%2B03%3A00");
  assert.match(odd, /-from-2026-03-01\.csv"/);
});
