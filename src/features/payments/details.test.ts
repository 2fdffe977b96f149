// A set of details for whoever was let in before a requisite got another number: the one that it has is given out.

import assert from "node:assert/strict";
import { it } from "node:test";
import { createInvoice, SHOP } from "../../../test/cast.ts";
import { openQuietGateway } from "../../../test/one-gateway.ts";
import { cardEndingIn } from "../../../test/payouts.ts";
import { shopOf } from "../merchants/principal.ts";
import { issueDetails } from "./details.ts";

const { gateway, own } = await openQuietGateway();

it("numbers that are changed while a set asks for a bank of few requisites and for one of many fail nobody", async () => {
  const { items } = await own.get("requisites?bank=sber");
  for (const { requisite_id } of items) {
    await own.post(`requisites/${requisite_id}`, { enabled: false });
  }
  const cards = (from: number) =>
    Array.from({ length: 17 }, (_, at) => cardEndingIn(String(from + at)));
  const ids: string[] = [];
  for (const card of cards(7100)) {
    const wish = { bank: "sber", receiver_name: "Олег О.", card };
    ids.push((await own.post("requisites", wish)).requisite_id);
  }
  const shop = await shopOf(gateway.app, SHOP.id);
  const ask = async () => {
    const wishes = (["sber", "tinkoff"] as const).map(async (bank) => {
      const { body } = await createInvoice(gateway);
      const asked = { shop, bank, payerIp: null, payerUserAgent: null };
      return { ...asked, invoiceId: String(body.data.id) };
    });
    const outcomes = await issueDetails(gateway.app, await Promise.all(wishes));
    return outcomes.map((one) => ("wallet" in one ? one.wallet : one.message));
  };
  await ask();
  const present = cards(7200);
  for (const [at, id] of ids.entries()) await own.post(`requisites/${id}`, { card: present[at] });
  const [first = "", second = ""] = await ask();
  assert.ok(present.includes(first), first);
  assert.match(second, /^\d{16}$/);
});
