// /desk/events: who was told, what their server does wrong in words, and the same once more.

import assert from "node:assert/strict";
import { after, it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { anna, setAnnasRole, wordsIn } from "../../../test/people.ts";
import { openReceiver } from "../../../test/receiver.ts";
import { verdictOf } from "../screens/verdict.ts";

const { gateway, own, trade } = await openOneGateway();
const receiver = await openReceiver();
after(() => receiver.close());

it("200: the receiver's own failure in words; 303: sent again, not by a viewer", async () => {
  receiver.answer(301);
  const order = await trade.order({ hook_url: receiver.url });
  await trade.pay(order);
  await trade.pass(1);
  const { items } = await own.get(`events?invoice_id=${order.id}`);
  const path = `/desk/events/${items[0].event_id}`;
  const visit = await anna(gateway);
  const page = wordsIn(await visit.open(path));
  assert.match(
    page,
    /Waiting Answers 301: sends us elsewhere, which we do not follow: change the URL/,
  );
  assert.match(wordsIn(await visit.open("/desk/events")), /Paper and Ink 127\.0\.0\.1/);
  receiver.answer(200);
  await trade.pass(3_600);
  const again = await anna(gateway);
  assert.match(wordsIn(await again.open(path)), /Delivered Heard, 200/);
  const sent = await again.fill(path, `${path}/send`);
  assert.deepEqual([sent.status, sent.location], [303, path]);
  await trade.pass(1);
  const last = await own.get(`events/${items[0].event_id}`);
  assert.ok(last.deliveries.length >= 3);
  const viewer = await anna(gateway);
  await setAnnasRole(own, "viewer");
  assert.doesNotMatch(await viewer.open(path), /\/send"/);
  assert.equal((await viewer.post(`${path}/send`)).status, 403);
});

it("every way to fail says what to change, in both languages", () => {
  const cases: readonly [number | null, string | null, RegExp, RegExp][] = [
    [null, "timeout", /15 s, our limit/, /15 с/],
    [null, "certificate or TLS failure", /certificate has ended/, /Сертификат истёк/],
    [null, "something new", /^something new$/, /^something new$/],
    [404, null, /^Answers 404: knows no such path/, /^Отвечает 404/],
    [503, null, /failed by itself/, /сломался сам/],
    [204, null, /^Heard, 204$/, /^Принято, 204$/],
  ];
  for (const [status, error, en, ru] of cases) {
    assert.match(verdictOf({ status, error }, "en"), en);
    assert.match(verdictOf({ status, error }, "ru"), ru);
  }
});
