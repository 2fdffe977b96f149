// Choosing a method and a bank: what is refused, and that a refusal is a page that says why.

import assert from "node:assert/strict";
import { it } from "node:test";
import { ENGINES } from "../../../test/gateway.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { NO_PAGE, pages } from "../../../test/pages.ts";
import { mayTakeLong } from "../../../test/patience.ts";
import { until } from "../../../test/webhook-room.ts";

const CHOICE = { service: "p2p_card", bank: "sber" };

const { gateway, own } = await openOneGateway();
const { post, choose, simulate, ...page } = pages(gateway);
const link = (changes = {}) => page.link({ include_service: ["p2p_card"], ...changes });
const paymentsOf = (id: string, door = gateway) =>
  door.app.db.query("select payer_ip, payer_user_agent from payments where invoice_id = $1", [id]);

it("keeps who paid from where, and believes a proxy about it only where it is trusted", async () => {
  const headers = { "x-forwarded-for": "203.0.113.7", "user-agent": "a phone" };
  const { gateway: behind } = await openOneGateway({ trustedProxies: ["127.0.0.1"] });
  for (const [door, payer_ip] of [
    [gateway, "127.0.0.1"],
    [behind, "203.0.113.7"],
  ] as const) {
    const id = await pages(door).link();
    assert.equal((await pages(door).post(`/pay/${id}`, CHOICE, headers)).status, 303);
    assert.deepEqual(await paymentsOf(id, door), [{ payer_ip, payer_user_agent: "a phone" }]);
  }
});

it("refuses what makes no sense, and issues nothing", async () => {
  const id = await link();
  const send = async (body: string) => {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const answer = await fetch(`${gateway.url}/pay/${id}`, { method: "POST", body, headers });
    return [answer.status, await answer.text()] as const;
  };
  for (const form of [
    "",
    "service=p2p_card",
    "service=p2p_card&bank=nobank",
    "service=card&bank=sber",
    "service=%00&bank=sber",
    "%%%",
  ]) {
    const [status, text] = await send(form);
    assert.equal(status, 400, form);
    assert.match(text, /<h1>This did not work<\/h1>/);
  }
  const [status, text] = await send("service=p2p_sbp&bank=sber");
  assert.equal(status, 422);
  assert.match(text, /role="alert">This way of paying is not available for this order any more/);
  assert.equal((await send(`service=p2p_card&bank=sber&${"x".repeat(70_000)}`))[0], 413);
  assert.equal((await gateway.call(`/pay/${id}`, { body: CHOICE })).status, 415);
  assert.deepEqual(await paymentsOf(id), []);
  for (const nothing of NO_PAGE) assert.equal((await choose(nothing)).status, 404);
});

it("refuses a form that another site sends", async () => {
  const id = await link();
  const from = async (site: string) =>
    (await post(`/pay/${id}`, CHOICE, { "sec-fetch-site": site })).status;
  assert.deepEqual([await from("cross-site"), await from("same-origin")], [400, 303]);
});

it("one payer cannot hold an amount on every card by changing banks: the sixth stays", async () => {
  const id = await link();
  const statuses: number[] = [];
  for (let turn = 0; turn < 8; turn += 1) {
    const bank = turn % 2 === 0 ? "sber" : "tinkoff";
    statuses.push((await choose(id, "p2p_card", bank)).status);
  }
  assert.deepEqual(statuses, [303, 303, 303, 303, 303, 303, 422, 303]);
  const refused = await (await choose(id, "p2p_card", "sber")).text();
  assert.match(refused, /role="alert">This order has had new details too often/);
});

it("says that nothing is free, and stays where it was", async () => {
  const id = await link();
  const { items } = await own.get("requisites?bank=sber");
  const limit = async (max_live_payments: number): Promise<void> => {
    for (const { requisite_id } of items) {
      await own.post(`requisites/${requisite_id}`, { max_live_payments });
    }
  };
  await limit(0);
  const refused = await choose(id);
  assert.equal(refused.status, 422);
  const text = await refused.text();
  assert.match(text, /role="alert">Nothing is free at this bank right now\. Choose another one/);
  assert.match(text, /Which bank do you pay from\?/);
  assert.equal((await choose(id, "p2p_card", "tinkoff")).status, 303);
  await limit(1000);
});

it("any bank gives what there is, and the same again while it is valid", async () => {
  const banksOf = async (id: string) => {
    const rows = await gateway.app.db.query<{ bank: string }>(
      `select bank from payments join requisites on requisites.id = requisite_id
       where invoice_id = $1 order by number`,
      [id],
    );
    return rows.map(({ bank }) => bank);
  };
  const id = await link();
  for (let turn = 0; turn < 3; turn += 1) {
    assert.equal((await choose(id, "p2p_card", "any")).status, 303);
  }
  const [bank = "", ...more] = await banksOf(id);
  assert.deepEqual(more, []);
  // One bank by name is another wish, unless it is that bank; any bank is content with it again.
  const other = bank === "sber" ? "tinkoff" : "sber";
  for (const wanted of [bank, other, "any"]) await choose(id, "p2p_card", wanted);
  assert.deepEqual(await banksOf(id), [bank, other]);
});

const skip = !ENGINES.includes("postgres") && "needs PostgreSQL";
it("details are counted after the invoice is locked: six, however many ask at once", {
  skip,
}, async () => {
  for (let round = 0; round < 4; round += 1) {
    const id = await link({ amount: 2000 + round });
    const ask = (turn: number) => choose(id, "p2p_card", turn % 2 === 0 ? "sber" : "tinkoff");
    for (let turn = 0; turn < 5; turn += 1) assert.equal((await ask(turn)).status, 303);
    // Whoever waits for the invoice has begun to read before the one in front of it has written.
    const waiting = await gateway.app.db.transaction(async (tx) => {
      await mayTakeLong(tx);
      await tx.query("select from invoices where id = $1 for update", [id]);
      const asked = Array.from({ length: 6 }, (_, turn) => ask(turn + 1));
      await until("somebody waits for the invoice", async () => {
        // Not in this transaction, which would see the same again and again.
        const rows = await gateway.app.for("jobs").db.query(
          `select from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return rows.length >= 3;
      });
      return asked;
    });
    for (const { status } of await Promise.all(waiting)) assert.match(String(status), /303|422/);
    assert.equal((await paymentsOf(id)).length, 6);
  }
});
