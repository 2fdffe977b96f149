// The family's rules as properties: whatever clients send, a shop's own methods come out, and ASCII.

import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { methodsOf, readFamilyOrder, toldPayer, toldText } from "./dialect.ts";
import type { Tariff } from "./tariff.ts";

const code = fc.constantFrom("p2p_card", "p2p_sbp", "card", "sbp", "qiwi", "*");
const codes = fc.uniqueArray(code, { maxLength: 5 });
const tariff = fc.record({
  service: fc.constantFrom("p2p_card", "p2p_sbp", "card"),
  currency: fc.constantFrom("RUB", "USD"),
  enabled: fc.boolean(),
  minMinor: fc.bigInt(1n, 300n),
  maxMinor: fc.bigInt(200n, 500n),
});

it("methods are the shop's own, of one currency, and some wherever it has any", () => {
  const wish = fc.record({
    include_service: codes,
    exclude_service: codes,
    currency: fc.option(fc.constantFrom("RUB", "USD"), { nil: undefined }),
  });
  const tariffs = fc.uniqueArray(tariff, {
    selector: (one) => `${one.service} ${one.currency}`,
  });
  fc.assert(
    fc.property(wish, tariffs, fc.bigInt(1n, 600n), (asked, all, amount) => {
      const { currency, ...lists } = asked;
      const own = all as unknown as Tariff[];
      const order = { type: "link" as const, ...lists, ...(currency && { currency }) };
      const enabled = own.filter((one) => one.enabled);
      const found = methodsOf("family", order, amount, own);
      if (enabled.length === 0) return assert.equal(found, asked.include_service);
      const usable = enabled.filter((one) => currency === undefined || one.currency === currency);
      assert.equal(found.length > 0, usable.length > 0);
      const currencies = ["RUB", "USD"].filter((code) =>
        found.every((found) =>
          usable.some((one) => one.service === found && one.currency === code),
        ),
      );
      assert.ok(currencies.length > 0, "of one currency");
      // What is named and there decides, also about the currency; what is excluded does not.
      const isOwn = (code: string) => enabled.some(({ service }) => service === code);
      const isOut = ({ service }: Tariff) =>
        asked.exclude_service.some(
          (code) => code === service || (!isOwn(code) && `p2p_${code}` === service),
        );
      const named = usable.filter(
        (one) => !isOut(one) && lists.include_service.some((code) => code === one.service),
      );
      if (named.length > 0) {
        const aliased = lists.include_service.map((code) => (isOwn(code) ? code : `p2p_${code}`));
        assert.ok(
          found.every((service) => aliased.includes(service)),
          found.join(),
        );
      }
      assert.deepEqual(methodsOf("strict", order, amount, own), asked.include_service);
    }),
  );
});

it("an amount becomes whole kopecks only where it is so near to them", () => {
  const read = (amount: unknown) => {
    const order = { amount };
    readFamilyOrder(order);
    return order.amount;
  };
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e11 }), (minor) => {
      assert.equal(read((minor / 100).toFixed(2)), minor / 100);
      assert.equal(read(minor / 100), minor / 100);
    }),
  );
  assert.equal(read(0.1 + 0.2), 0.3);
  for (const kept of [150.001, 150.00001, "150,00", "", null, "0x10", "1e3", "-1", [150]]) {
    assert.deepEqual(read(kept), kept);
  }
});

it("texts of ours are ASCII without a slash, and a strict shop's are as they were", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      assert.match(toldText("family", text), /^[\x20-\x2e\x30-\x7e]*$/);
      assert.match(toldPayer("family", text) ?? "", /^[\x20-\x2e\x30-\x7e]*$/);
      assert.equal(toldText("strict", text), text);
      assert.equal(toldPayer("strict", text), text);
    }),
  );
  const PAYERS = [
    ["Иван П.", "Ivan P."],
    ["ЩУКИНА ЮЛИЯ", "SHCHUKINA Y."],
    ["Žofie Nováková", "Zofie N."],
    ["220070******1279", "220070******1279"],
    ["Иван, карта 220070******1279", "Ivan, karta 220070******1279"],
  ];
  for (const [payer = "", told] of PAYERS) assert.equal(toldPayer("family", payer), told);
});
