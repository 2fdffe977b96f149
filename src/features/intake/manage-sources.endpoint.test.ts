// Sources through /manage: a secret that is shown once, what is bound, and how one ends.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { NOBODY } from "../../../test/orders.ts";
import { openPhone } from "../../../test/phone.ts";

const CARD = "00000000-0000-4000-8000-000000000101";
const OTHER = "00000000-0000-4000-8000-000000000102";

const { gateway, own, trade } = await openOneGateway();
const wish = { name: "Office", adapter: "kopeck", banks: ["sber"], senders: ["900"] };

it("200: a new source's token works at once and is shown only then", async () => {
  const bound = { requisite_ids: [CARD.toUpperCase()], endings: [`${CARD}:4006`, `${OTHER}:1234`] };
  const { answer, logged } = await trade.audited(() => own.post("sources", { ...wish, ...bound }));
  const { source, token } = answer;
  assert.deepEqual(source, {
    source_id: source.source_id,
    ...wish,
    channel: "sms",
    needs_statement: true,
    requisite_ids: [CARD],
    endings: [`${CARD}:4006`],
    created_at: trade.now(),
    revoked_at: null,
    last_heard_at: null,
    last_beat_at: null,
    silent_since: null,
    unread: 0,
  });
  assert.match(token, /^kop_[\w-]{32}$/);
  assert.deepEqual(logged, ["source.add", source.source_id, null, source]);
  const headers = { "access-token": token };
  const said = { sender: "900", text: "Хорошего дня!" };
  const heard = await gateway.call(`/intake/${source.source_id}`, { headers, body: said });
  assert.deepEqual(heard.body.data.messages, ["ignored"]);
  const list = await own.ask("sources");
  assert.ok(!list.text.includes(token));
  assert.deepEqual(list.body.data.items[0], { ...source, unread: 1, last_heard_at: trade.now() });
});

it("200: notifications need no statement unless that is said; one that signs has a key", async () => {
  const cases = [
    [{ adapter: "device" }, "push", false],
    [{ adapter: "device", needs_statement: true }, "push", true],
    [{ adapter: "sms-gateway" }, "sms", true],
    [{ channel: "push" }, "push", false],
  ] as const;
  for (const [changes, channel, needs] of cases) {
    const { source } = await own.post("sources", { ...wish, ...changes });
    assert.deepEqual([source.channel, source.needs_statement], [channel, needs]);
  }
  const [row] = await gateway.app.db.query<{ keys: bigint; tokens: bigint }>(
    `select count(key_sealed) as keys, count(token_digest) as tokens from sources
     where adapter = 'sms-gateway'`,
  );
  assert.deepEqual([row?.keys, row?.tokens], [1n, 0n]);
});

it("200: what is changed counts from the next message on, and what is left out stays", async () => {
  const phone = await openPhone(gateway, { requisite_ids: [CARD], endings: [`${CARD}:4006`] });
  const path = `sources/${phone.id}`;
  const text = "VISA0007 12:00 перевод 5р Баланс: 100р";
  assert.deepEqual(await phone.hears(text, { sender: "SBER" }), ["ignored"]);
  const { answer, row } = await trade.audited(() =>
    own.post(path, { senders: ["900", "Sber"], requisite_ids: [CARD, OTHER] }),
  );
  assert.deepEqual(
    [answer.senders, answer.requisite_ids],
    [
      ["900", "Sber"],
      [CARD, OTHER],
    ],
  );
  assert.deepEqual([answer.endings, answer.name], [[`${CARD}:4006`], "phone"]);
  assert.deepEqual([row.act, row.before.senders], ["source.update", ["900"]]);
  assert.deepEqual(await phone.hears(text, { sender: "SBER" }), ["accepted"]);
  assert.deepEqual((await own.post(path, { requisite_ids: [OTHER], endings: [] })).endings, []);
});

it("200: a revoked one reports no more; once more changes nothing", async () => {
  const phone = await openPhone(gateway);
  const { answer } = await trade.audited(() => own.post(`sources/${phone.id}/revoke`));
  assert.equal(answer.revoked_at, trade.now());
  assert.equal((await phone.report({ messages: [] })).status, 401);
  trade.tick();
  assert.deepEqual(await own.post(`sources/${phone.id}/revoke`), answer);
});

it("404 and 422: what is not there and what cannot be, without a trace", async () => {
  const { id } = await openPhone(gateway);
  await trade.refusedWithoutTrace(404, [
    [`sources/${NOBODY}`, { name: "x" }],
    [`sources/${NOBODY}/revoke`, {}],
    ["sources", { ...wish, requisite_ids: [NOBODY] }],
    [`sources/${id}`, { requisite_ids: [CARD, NOBODY] }],
  ]);
  const wrong = [
    { name: "" },
    { adapter: "telegram" },
    { banks: [] },
    { banks: ["nobank"] },
    { banks: ["sber", "sber"] },
    { senders: [] },
    { senders: ["a\0"] },
    { channel: "fax" },
    { requisite_ids: ["1"] },
    { endings: [`${CARD}:12`] },
    { endings: ["4006"] },
    { needs_statement: "no" },
    { token: "mine" },
  ];
  await trade.refusedWithoutTrace(
    422,
    wrong.map((changes) => ["sources", { ...wish, ...changes }] as const),
  );
});
