// The directory of banks through /manage: replaced as a whole, and users see exactly that.

import assert from "node:assert/strict";
import { it } from "node:test";
import { USER } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";

const { gateway, own, trade } = await openOneGateway();

const seenByUser = async () => {
  const { body } = await gateway.call(`/payoff/get-sbp-bank-list?user_id=${USER.id}`, {
    headers: { "x-api-signature-sha256": USER.secret },
  });
  return body.data.banks;
};

it("200: adds, renames and removes by a list, says how many, and users see the list", async () => {
  const { items: old } = await own.get("sbp-banks");
  assert.equal(old.length, 192);
  const [first, second] = old;
  const banks = [first, { ...second, name: "Renamed" }, { id: "999", name: "Банк «Ъ»" }];
  const { answer, logged } = await trade.audited(() => own.post("sbp-banks", { banks }));
  assert.deepEqual(answer, { added: 1, renamed: 1, removed: 190 });
  assert.deepEqual((await own.get("sbp-banks")).items, banks);
  assert.deepEqual(await seenByUser(), banks);
  assert.deepEqual(logged, ["sbp_banks.replace", "sbp_banks", { banks: old }, { banks }]);
  const again = await own.post("sbp-banks", { banks });
  assert.deepEqual(again, { added: 0, renamed: 0, removed: 0 });
});

it("200: what nobody sees is no part of an id or a name", async () => {
  const banks = [
    { id: "\ufeff100000000001", name: "Газпромбанк\u00ad " },
    { id: " 100000000111\t", name: "Сбер\u200bбанк" },
  ];
  await own.post("sbp-banks", { banks });
  assert.deepEqual(await seenByUser(), [
    { id: "100000000001", name: "Газпромбанк" },
    { id: "100000000111", name: "Сбербанк" },
  ]);
});

it("200: of two with one id the last one counts", async () => {
  const twice = ["first", "second"].map((name) => ({ id: "1", name }));
  await own.post("sbp-banks", { banks: twice });
  assert.deepEqual(await seenByUser(), [{ id: "1", name: "second" }]);
});

it("200: a thousand banks with the longest names", async () => {
  const names = Array.from({ length: 1_000 }, (_, at) => String(at).padStart(200, "ж"));
  const banks = names.map((name, at) => ({ id: `${at}`, name }));
  assert.equal((await own.post("sbp-banks", { banks })).added, 1_000 - 1);
  assert.equal((await seenByUser()).length, 1_000);
});

it("422 for anything but a list of banks, without a trace", async () => {
  const bank = { id: "1", name: "x" };
  const wrong = [
    undefined,
    null,
    "",
    [],
    {},
    "banks",
    7,
    [null],
    ["1"],
    [[]],
    [{ id: "1" }],
    [{ name: "x" }],
    [{ id: "", name: "x" }],
    [{ id: "1", name: "" }],
    [{ id: 1, name: "x" }],
    [{ id: "1\0", name: "x" }],
    [{ id: "1", name: "a\0b" }],
    [{ id: "1".repeat(33), name: "x" }],
    [{ id: "1", name: "x".repeat(201) }],
    [bank, { id: "2" }],
    Array.from({ length: 1001 }, () => bank),
  ];
  await trade.refusedWithoutTrace(
    422,
    wrong.map((banks) => ["sbp-banks", { banks }] as const),
  );
});
