// POST /invoice/h2h: what it answers with, and the promises behind it: slots, quarantine, nudge, limits,
// the longest unused first. What every endpoint has in common is asked by test/contract.test.ts.

import assert from "node:assert/strict";
import { beforeEach, it } from "node:test";
import { createH2h, createInvoice, LINK_SHOP, SHOP, URLS_SHOP, USER } from "../../../test/cast.ts";
import { openQuietGateway } from "../../../test/one-gateway.ts";
import { lapsePaymentsJob } from "./lapse-payments.job.ts";
import { issuePayments } from "./queries.ts";

const SBER_CARDS = ["2202200000000007", "2202200000000015", "2202200000000023"];
const DETAILS_SECONDS = 20 * 60;
const QUARANTINE_SECONDS = 24 * 60 * 60;

const { gateway } = await openQuietGateway();
const sql = (text: string) => gateway.app.db.query<Record<string, unknown>>(text);

// Each test finds the requisites as the first start made them.
beforeEach(async () => {
  await sql(`set session_replication_role = replica;
    delete from invoices; delete from payments; delete from slots; delete from events;
    delete from outbox; delete from dues;
    reset session_replication_role;
    update requisites set min_minor = 1, max_minor = 100000000;
    update requisite_usage set enabled = true, live_payments = 0, day = null, day_payments = 0,
      day_sum_minor = 0, last_used_at = null, max_live_payments = 1000, max_day_payments = 1000000,
      max_day_sum_minor = 100000000000000;
    update tariffs set enabled = (service <> 'card'); update shops set nudge_max_minor = 99`);
});

const invoice = async (changes: Record<string, unknown> = {}, shop = SHOP): Promise<string> => {
  const answer = await createInvoice(gateway, changes, shop);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data.id;
};
const details = async (changes: Record<string, unknown> = {}, bank = "sber") => {
  const answer = await createH2h(gateway, await invoice(changes), { payment_data: { bank } });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
};
const status = async (bank = "sber") =>
  (await createH2h(gateway, await invoice(), { payment_data: { bank } })).status;
/** All requisites but those of one receiver are out of use. */
const only = (receiver: string) =>
  sql(`update requisite_usage set enabled = false from requisites
    where requisites.id = requisite_id and receiver_name <> '${receiver}'`);

it("200: gives every field of the instruction, and keeps who asked", async () => {
  const payer = { ip: "203.0.113.7", user_agent: "Mozilla/5.0" };
  const answer = await createH2h(gateway, await invoice(), payer);
  assert.deepEqual(answer.body.data, {
    step_two_type: "p2p_data",
    wallet: SBER_CARDS[0],
    receiver_name: "Иван И.",
    bank: "Сбербанк",
    amount: "1020.00",
    time_end: "2026-03-01 12:20:00",
    url: null,
    type: "p2p_data",
    is_redirect: false,
    fingerprint: false,
    is_need_get_info: false,
  });
  const rows = await sql(`select invoices.state, payer_ip, payer_user_agent, to_pay_minor,
    fee_minor, payer_fee_minor from invoices join payments on invoice_id = invoices.id`);
  assert.deepEqual(
    rows.map((row) => Object.values(row)),
    [["pending", payer.ip, payer.user_agent, 102000n, 6000n, 2000n]],
  );
});

it("200: gives the phone for p2p_sbp, and the payer no fee where the shop bears it", async () => {
  const sbp = await details({ include_service: ["p2p_sbp"] }, "tinkoff");
  assert.deepEqual([sbp.wallet, sbp.bank, sbp.amount], ["+79990000004", "Т-Банк", "1000.00"]);
  const answer = await createH2h(gateway, await invoice({}, URLS_SHOP), {}, URLS_SHOP);
  assert.equal(answer.body.data.amount, "1000.00");
});

it("200: answers a repetition for the same bank with the same bytes, also of many at once", async () => {
  const id = await invoice();
  const answers = await Promise.all(Array.from({ length: 50 }, () => createH2h(gateway, id)));
  gateway.clock.advance(DETAILS_SECONDS - 1);
  answers.push(await createH2h(gateway, id.toUpperCase()));
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
  assert.equal((await sql("select id from payments")).length, 1);
});

it("200: gives new details for another bank, and ends the first ones", async () => {
  const id = await invoice();
  const sber = await createH2h(gateway, id);
  gateway.clock.advance(1);
  const tinkoff = await createH2h(gateway, id, { payment_data: { bank: "tinkoff" } });
  assert.equal(tinkoff.body.data.bank, "Т-Банк");
  assert.notEqual(tinkoff.body.data.wallet, sber.body.data.wallet);
  const states = await sql("select state from payments order by created_at");
  assert.deepEqual(states, [{ state: "lapsed" }, { state: "live" }]);
  const used = await sql("select sum(live_payments)::integer as live from requisite_usage");
  assert.deepEqual(used, [{ live: 1 }]);
});

it("200: gives new details once the first have lapsed, never the slot in quarantine", async () => {
  const id = await invoice();
  const first = (await createH2h(gateway, id)).body.data;
  gateway.clock.advance(DETAILS_SECONDS);
  const next = (await createH2h(gateway, id)).body.data;
  assert.notEqual(`${next.wallet} ${next.amount}`, `${first.wallet} ${first.amount}`);
  assert.notEqual(next.time_end, first.time_end);
});

it("200: lets details end with their invoice, when that is sooner", async () => {
  const start = gateway.clock.now();
  const { time_end } = await details({ expire: 5 });
  const end = new Date(start.getTime() + 5 * 60_000 + 3 * 3_600_000);
  assert.equal(time_end, end.toISOString().slice(0, 19).replace("T", " "));
});

it("200: takes null and empty text for what is optional", async () => {
  const answer = await createH2h(gateway, await invoice(), { ip: null, user_agent: "" });
  assert.equal(answer.status, 200, answer.text);
});

it("takes the longest unused requisite first, in turn", async () => {
  const wallets: string[] = [];
  for (let turn = 0; turn < 6; turn += 1) {
    wallets.push((await details({ amount: 500 + turn })).wallet);
    gateway.clock.advance(1);
  }
  assert.deepEqual(wallets, [...SBER_CARDS, ...SBER_CARDS]);
});

it("raises the amount by a kopeck only when every base slot is taken", async () => {
  const amounts: string[] = [];
  for (let turn = 0; turn < 7; turn += 1) amounts.push((await details()).amount);
  const [base, raised] = [Array(3).fill("1020.00"), Array(3).fill("1020.01")];
  assert.deepEqual(amounts, [...base, ...raised, "1020.02"]);
});

it("refuses when all is taken and the shop allows no nudge, and keeps nothing", async () => {
  await sql("update shops set nudge_max_minor = 0");
  for (let turn = 0; turn < 3; turn += 1) await details();
  const id = await invoice();
  const refused = await createH2h(gateway, id);
  assert.match(refused.body.error[0], /No payment details are free/);
  assert.equal((await sql("select id from payments")).length, 3);
  const state = await sql(`select state from invoices where id = '${id}'`);
  assert.deepEqual(state, [{ state: "created" }]);
});

it("keeps live details when another bank has none free", async () => {
  await only("Иван И.");
  const id = await invoice();
  const first = await createH2h(gateway, id);
  const other = await createH2h(gateway, id, { payment_data: { bank: "tinkoff" } });
  assert.equal(other.status, 422);
  assert.equal((await createH2h(gateway, id)).text, first.text);
});

it("holds a slot through its quarantine and not a second longer", async () => {
  await sql("update shops set nudge_max_minor = 0");
  await only("Иван И.");
  await details();
  gateway.clock.advance(DETAILS_SECONDS + QUARANTINE_SECONDS - 1);
  assert.equal(await status(), 422);
  gateway.clock.advance(1);
  assert.equal(await status(), 200);
});

it("never gives out a disabled requisite", async () => {
  await only("Пётр К.");
  assert.equal((await details()).wallet, SBER_CARDS[2]);
  assert.equal(await status("tinkoff"), 422);
});

for (const [limit, change] of [
  ["live payments", "max_live_payments = 1"],
  ["payments a day", "max_day_payments = 1"],
  ["sum a day", "max_day_sum_minor = 102100"],
] as const) {
  it(`never passes a requisite's limit of ${limit}`, async () => {
    await sql(`update requisite_usage set ${change}`);
    const wallets = new Set<string>();
    for (let turn = 0; turn < 3; turn += 1) wallets.add((await details()).wallet);
    assert.equal(wallets.size, 3);
    assert.equal(await status(), 422);
  });
}

it("never passes a limit where one set asks for a requisite's card and for its phone", async () => {
  await sql("update requisite_usage set max_live_payments = 1");
  await only("Иван И.");
  const services = ["p2p_card", "p2p_sbp", "p2p_card", "p2p_sbp"];
  const ids = await Promise.all(
    services.map((service, at) => invoice({ amount: 500 + at, include_service: [service] })),
  );
  const answers = await Promise.all(ids.map((id) => createH2h(gateway, id)));
  assert.deepEqual(answers.map(({ status: code }) => code).toSorted(), [200, 422, 422, 422]);
  const [usage] = await sql("select live_payments from requisite_usage where enabled");
  assert.equal(usage?.["live_payments"], 1);
});

for (const limit of ["max_live_payments", "max_day_payments", "max_day_sum_minor"]) {
  it(`whoever chose wrongly is not counted past ${limit}`, async () => {
    await sql(
      `update requisite_usage set ${limit} = case when '${limit}' ~ 'sum' then 100 else 1 end`,
    );
    const [row] = await sql("select requisite_id from requisite_usage limit 1");
    const requisiteId = String(row?.["requisite_id"]);
    const issue = async (payments: number) => {
      const now = gateway.clock.now();
      const endsAt = new Date(now.getTime() + DETAILS_SECONDS * 1000);
      const ids = await Promise.all(Array.from({ length: payments }, () => invoice()));
      const chosen = ids.map((invoiceId, at) => {
        const amountMinor = 100n - BigInt(at);
        return {
          id: gateway.app.newId(),
          invoiceId,
          number: 1,
          payer: null,
          requisiteId,
          shopId: SHOP.id,
          userId: USER.id,
          service: "p2p_card" as const,
          currency: "RUB",
          amountMinor,
          percentPpm: 0,
          userPercentPpm: 0,
          feeMinor: 0n,
          payerFeeMinor: 0n,
          nudgeMinor: 0n,
          toPayMinor: amountMinor,
          payerIp: null,
          payerUserAgent: null,
          createdAt: now,
          createdOn: "2026-03-01",
          endsAt,
          slotUntil: endsAt,
        };
      });
      const given = await gateway.app.db.transaction((tx) =>
        issuePayments(tx, chosen, now, undefined),
      );
      return given.size;
    };
    await assert.rejects(issue(2), /would pass its limits/);
    assert.deepEqual(await sql("select id from payments"), []);
    assert.equal(await issue(1), 1);
    gateway.clock.advance(DETAILS_SECONDS);
    await assert.rejects(issue(1), /would pass its limits/);
  });
}

it("keeps within a requisite's smallest and largest amount", async () => {
  await sql(`update requisites set max_minor = 102000 where receiver_name = 'Иван И.';
    update requisites set min_minor = 102001 where receiver_name = 'Мария С.';
    update requisites set min_minor = 900000 where receiver_name = 'Пётр К.'`);
  assert.equal((await details()).wallet, SBER_CARDS[0]);
  const nudged = await details();
  assert.deepEqual([nudged.wallet, nudged.amount], [SBER_CARDS[1], "1020.01"]);
});

it("gives a lapsed payment's room back, and a new day starts from nothing", async () => {
  await sql("update requisite_usage set max_live_payments = 1, max_day_payments = 2");
  await only("Иван И.");
  await details();
  assert.equal(await status(), 422);
  gateway.clock.advance(DETAILS_SECONDS);
  await lapsePaymentsJob.run(gateway.app);
  await details();
  gateway.clock.advance(DETAILS_SECONDS);
  await lapsePaymentsJob.run(gateway.app);
  const rows = await sql("select live_payments, day_payments from requisite_usage where enabled");
  assert.deepEqual(rows, [{ live_payments: 0, day_payments: 0 }]);
});

it("a day that goes back (another time zone, another clock) leaves nothing stuck", async () => {
  await only("Иван И.");
  await sql("update requisite_usage set day = '2027-01-01', day_payments = 0 where enabled");
  await details();
  await details({ amount: 1001 });
  const rows = await sql("select day::text, day_payments from requisite_usage where enabled");
  assert.deepEqual(rows, [{ day: "2027-01-01", day_payments: 2 }]);
  gateway.clock.advance(DETAILS_SECONDS);
  while ((await lapsePaymentsJob.run(gateway.app)) > 0);
  const after = await sql(
    "select live_payments, day_payments, day_sum_minor from requisite_usage where enabled",
  );
  assert.deepEqual(after, [{ live_payments: 0, day_payments: 0, day_sum_minor: 0n }]);
});

it("one invoice cannot use up an amount for all others", async () => {
  const id = await invoice();
  let last = 200;
  let asked = 0;
  while (last === 200) {
    const bank = asked % 2 === 0 ? "sber" : "tinkoff";
    last = (await createH2h(gateway, id, { payment_data: { bank } })).status;
    asked += 1;
  }
  assert.equal(asked, 21);
  assert.equal(await status(), 200);
});

for (const [changes, field, words] of [
  [{ payment_data: null }, "bank", "is required"],
  [{ payment_data: "sber" }, "payment data", "must be an object"],
  [{ payment_data: { bank: "alfa" } }, "bank", "must be one of: sber, tinkoff"],
  [{ payment_data: { bank: 7 } }, "bank", "must be a string"],
  [{ invoice_id: undefined }, "invoice id", "is required"],
  [{ ip: "1.2.3.4.5" }, "ip", "must be an IPv4 address"],
  [{ ip: "::1" }, "ip", "must be an IPv4 address"],
  [{ user_agent: 1 }, "user agent", "must be a string"],
  [{ user_agent: "a\0b" }, "user agent", "must be well-formed text without NUL"],
  [{ user_agent: "a".repeat(1025) }, "user agent", "must have at most 1024 characters"],
] as const) {
  it(`422: ${JSON.stringify(changes).slice(0, 60)}`, async () => {
    const answer = await createH2h(gateway, await invoice(), changes);
    assert.equal(answer.status, 422);
    assert.deepEqual(answer.body.error, [`The ${field} field ${words}.`]);
    assert.deepEqual(await sql("select id from payments"), []);
  });
}

it("422: the invoice is a link", async () => {
  const id = await invoice({ type: "link" }, LINK_SHOP);
  const answer = await createH2h(gateway, id, {}, LINK_SHOP);
  assert.deepEqual(answer.body.error, ["The invoice is not of the type direct."]);
});

it("422: the invoice's time is over, to the second", async () => {
  const [id, other] = [await invoice({ expire: 1 }), await invoice({ expire: 1 })];
  gateway.clock.advance(59);
  assert.equal((await createH2h(gateway, id)).status, 200);
  gateway.clock.advance(1);
  const answer = await createH2h(gateway, other);
  assert.deepEqual(answer.body.error, ["The invoice has expired."]);
});

for (const [states, message] of [
  [["pending", "paid"], "The invoice has already been paid."],
  [["pending", "paid", "refunded"], "The invoice has already been paid."],
  [["expired"], "The invoice has expired."],
  [["failed"], "The invoice is closed."],
] as const) {
  it(`422: the invoice is ${states.at(-1)}`, async () => {
    const id = await invoice();
    for (const state of states) {
      await sql(`update invoices set state = '${state}',
        paid_at = case when '${state}' in ('paid', 'refunded') then created_at end where id = '${id}'`);
    }
    const answer = await createH2h(gateway, id);
    assert.deepEqual([answer.status, answer.body.error], [422, [message]]);
  });
}

it("422: the method was disabled after the invoice was made", async () => {
  const id = await invoice();
  await sql("update tariffs set enabled = false");
  const answer = await createH2h(gateway, id);
  assert.equal(answer.status, 422);
  assert.match(answer.body.error[0], /p2p_card is not available/);
});
