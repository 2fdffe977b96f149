// Forms of the desk that a link or a proof of who acts leads to, by themselves: nobody ends, changes or pays anything
// there without seeing whose it is.

import assert from "node:assert/strict";
import { it } from "node:test";
import { USER } from "./cast.ts";
import { openOneGateway } from "./one-gateway.ts";
import { anna, wordsIn } from "./people.ts";
import { openPhone } from "./phone.ts";
import { statement1c } from "./statement-file.ts";

const { gateway, own, trade } = await openOneGateway();
const visit = await anna(gateway);

const says = async (path: string, ...names: readonly string[]): Promise<void> => {
  const text = wordsIn(await visit.open(path));
  for (const name of names) assert.ok(text.includes(name), `${path}: ${text}`);
};

it("a token, a person, a member, a phone", async () => {
  const { operator } = await own.post("operators", { name: "Night reports", role: "viewer" });
  await says(`/desk/operators/${operator.operator_id}/revoke`, "Night reports");
  const wish = { email: "vera@example.com", name: "Vera" };
  const { person } = await own.post("people", { ...wish, desk_role: "cashier" });
  for (const act of ["link", "end-sessions", "disable", "enable"]) {
    await says(`/desk/people/${person.person_id}/${act}`, "Vera", "vera@example.com");
  }
  const people = `users/${USER.id}/people`;
  const gleb = { name: "Gleb", email: "gleb@example.com", role: "owner" };
  await own.post(people, gleb);
  const { items: members } = await own.get(people);
  const { person_id: id } = members.find(({ name }: { name: string }) => name === gleb.name);
  await says(`/desk/merchants/${USER.id}/people/${id}`, "Gleb", "gleb@example.com", "Owner");
  await openPhone(gateway);
  const { items } = await own.get("sources");
  await says(`/desk/sources/${items[0].source_id}/revoke`, items[0].name);
});

it("a merchant, a shop, a card", async () => {
  await says(`/desk/merchants/${USER.id}/rotate-webhook-keys`, "Sandbox user");
  const { items: shops } = await own.get("shops");
  await says(`/desk/shops/${shops[0].shop_id}/rotate-webhook-keys`, shops[0].name);
  const { items: cards } = await own.get("requisites");
  const { requisite_id: id, receiver_name: receiver } = cards[0];
  await says(`/desk/requisites/${id}/reveal`, receiver);
});

it("money that goes back, and a file that is dropped", async () => {
  const order = await trade.order({ amount: 120 });
  const { wallet, amount } = order;
  await own.post("transfers", { wallet, amount, reference: "forms-120" });
  const { invoice } = await own.get(`invoices/${order.id}`);
  await says(`/desk/invoices/${order.id}/refund`, invoice.order_id, String(invoice.amount));
  const { items } = await own.get("requisites");
  const account = "40817810700000009999";
  await own.post(`requisites/${items[0].requisite_id}`, { account });
  const content = Buffer.from(statement1c([{ account, days: { "2026-03-01": [{ sum: 5 }] } }]));
  const file = { filename: "march.txt", content: content.toString("base64") };
  const { import_id: id } = await own.post("imports", file);
  await says(`/desk/imports/${id}/drop`, "march.txt");
});
