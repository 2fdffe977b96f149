// Tariffs and payment methods at the desk: set, tried on the last month, removed.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { anna, fieldsIn, linkIn, wordsIn } from "../../../test/people.ts";

const { gateway, own, trade } = await openOneGateway();
const visit = await anna(gateway);

it("sets a default and removes it; exceptions stand beside it", async () => {
  assert.match(wordsIn(await visit.open("/desk/tariffs")), /No default tariff.*Exceptions.*СБП/);
  const set = {
    service: "p2p_card",
    shop_percent: "3,5",
    user_percent: "0",
    min_sum: "100",
    max_sum: "50 000",
  };
  assert.equal(
    (await visit.fill("/desk/tariffs/set", "/desk/tariffs/set", set)).location,
    "/desk/tariffs",
  );
  const [{ shop_percent, max_sum }] = (await own.get("tariffs")).items;
  assert.deepEqual([shop_percent, max_sum], [3.5, 50_000]);
  await visit.fill("/desk/tariffs/remove", "/desk/tariffs/remove", { service: "p2p_card" });
  assert.deepEqual((await own.get("tariffs")).items, []);
  assert.ok((await own.get("tariffs?of_shops=true")).items.length > 0);
});

it("tries a tariff on what was paid", async () => {
  await trade.pay(await trade.order({ amount: 1000 }));
  const page = await visit.open(
    "/desk/tariffs/try?service=p2p_card&shop_percent=10&user_percent=0",
  );
  assert.match(wordsIn(page), /With this tariff 100\.00/);
});

it("changes how long a method's money is frozen", async () => {
  const path = "/desk/methods/p2p_card";
  await visit.fill(path, path, { freeze_seconds: "7200" });
  assert.match(wordsIn(await visit.open("/desk/methods")), /Card 7200/);
});

it("changes the tariff of the row's own currency and shop, and no other", async () => {
  const rates = {
    service: "p2p_card",
    shop_percent: 3,
    user_percent: 1,
    min_sum: 100,
    max_sum: 9_000,
  };
  await own.post("tariffs", rates);
  await own.post("tariffs", { ...rates, currency: "USD", shop_percent: 7, fix: 2 });
  const page = await visit.open("/desk/tariffs");
  assert.match(wordsIn(page), / 8 7 1 2\.00 \$ 100\.00 \$ – 9 000\.00 \$/u);
  const path = "/desk/tariffs/set";
  const form = fieldsIn(await visit.open(linkIn(page, path, "currency=USD")), path);
  const sent = await visit.post(path, { ...form, shop_percent: "6" });
  assert.equal(sent.location, "/desk/tariffs", wordsIn(sent.text));
  const percents = async () =>
    Object.fromEntries(
      (await own.get("tariffs")).items.map((one: Record<string, unknown>) => [
        one["currency"],
        one["shop_percent"],
      ]),
    );
  assert.deepEqual(await percents(), { RUB: 3, USD: 6 });
  const tried = "/desk/tariffs/try";
  const trial = fieldsIn(await visit.open(linkIn(page, tried, "currency=USD")), tried);
  assert.deepEqual(trial["currency"], ["USD"]);
  assert.deepEqual(fieldsIn(await visit.open(path), path)["currency"], ["RUB"]);
});

it("an older list's link opens the tariff as it is now, and its form sets all of it", async () => {
  const key = { service: "p2p_card", currency: "EUR" };
  const rates = { ...key, shop_percent: 3, user_percent: 1, min_sum: 100, max_sum: 9_000 };
  await own.post("tariffs", rates);
  const path = "/desk/tariffs/set";
  const change = linkIn(await visit.open("/desk/tariffs"), path, "currency=EUR");
  await own.post("tariffs", { ...rates, max_sum: 500, enabled: false });
  const opened = fieldsIn(await visit.open(change), path);
  assert.deepEqual([opened["max_sum"], opened["enabled"]], [["500"], ["false"]]);
  const sent = await visit.post(path, { ...opened, shop_percent: "4" });
  assert.equal(sent.status, 303, wordsIn(sent.text));
  const { items } = await own.get("tariffs");
  const one = items.find(({ currency }: { currency: string }) => currency === "EUR");
  assert.deepEqual([one.shop_percent, one.max_sum, one.enabled], [4, 500, false]);
});

it("409: a form that was opened before a colleague's change shows both values, and saves when sent again", async () => {
  const path = "/desk/methods/p2p_card";
  const opened = fieldsIn(await visit.open(path), path);
  await visit.fill(path, path, { label: "Bank card" });
  const refused = await visit.post(path, { ...opened, freeze_seconds: "10800" });
  assert.equal(refused.status, 409);
  assert.match(wordsIn(refused.text), /not those that the form showed.*Saved: Bank card/);
  assert.equal((await visit.post(path, fieldsIn(refused.text, path))).status, 303);
  assert.match(wordsIn(await visit.open("/desk/methods")), /Card 10800/);
});

it("409: also after a preview of what was typed over older values", async () => {
  const path = "/desk/methods/p2p_card";
  const typed = { ...fieldsIn(await visit.open(path), path), freeze_seconds: "14400" };
  await visit.fill(path, path, { label: "Card again" });
  const query = new URLSearchParams(
    Object.entries(typed).map(([name, of]): [string, string] => [name, String(of)]),
  );
  const previewed = await visit.open(`${path}?${query}`);
  assert.equal((await visit.post(path, fieldsIn(previewed, path))).status, 409);
});
