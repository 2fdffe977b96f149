// POST /invoice/h2h over HTTP, by status, and the promises behind it: slots, quarantine, nudge,
// limits, the longest unused first.

import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import {
  createH2h,
  createInvoice,
  EMPTY_SHOP,
  LINK_SHOP,
  OTHER_SHOP,
  SHOP,
  URLS_SHOP,
} from "../../../test/cast.ts";
import { onEachEngine, openTestGateway, type TestGateway } from "../../../test/gateway.ts";
import { lapsePaymentsJob } from "./lapse-payments.job.ts";

const UNKNOWN = "00000000-0000-4000-8000-0000000000ff";
const SBER_CARDS = ["2202200000000007", "2202200000000015", "2202200000000023"];
const DETAILS_SECONDS = 20 * 60;
const QUARANTINE_SECONDS = 24 * 60 * 60;

onEachEngine("POST /invoice/h2h", (engine) => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await openTestGateway(engine);
  });
  after(() => gateway.stop());

  const sql = (text: string) => gateway.app.db.query<Record<string, unknown>>(text);

  // Each test finds the requisites as the first start made them.
  beforeEach(async () => {
    await sql(`set session_replication_role = replica;
      truncate invoices, payments, slots, transfers, events, ledger_freezes cascade;
      reset session_replication_role;
      truncate dues;
      update requisites set min_minor = 1, max_minor = 100000000;
      update requisite_usage set enabled = true, live_payments = 0, day = null, day_payments = 0,
        day_sum_minor = 0, last_used_at = null, max_live_payments = 1000, max_day_payments = 1000000, max_day_sum_minor = 100000000000000;
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

  describe("200", () => {
    it("gives every field of the instruction, in order", async () => {
      const id = await invoice();
      const answer = await createH2h(gateway, id, {
        ip: "203.0.113.7",
        user_agent: "Mozilla/5.0",
        payment_data: { bank: "sber" },
      });
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(Object.keys(answer.body), ["data", "status", "status_check"]);
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
      assert.deepEqual(Object.keys(answer.body.data), [
        ...["step_two_type", "wallet", "receiver_name", "bank", "amount", "time_end", "url"],
        ...["type", "is_redirect", "fingerprint", "is_need_get_info"],
      ]);
      const [row] = await sql(`select invoices.state, payer_ip, payer_user_agent, to_pay_minor,
        fee_minor, payer_fee_minor from invoices join payments on invoice_id = invoices.id`);
      assert.deepEqual(row, {
        state: "pending",
        payer_ip: "203.0.113.7",
        payer_user_agent: "Mozilla/5.0",
        to_pay_minor: 102000n,
        fee_minor: 6000n,
        payer_fee_minor: 2000n,
      });
    });

    it("gives the phone for p2p_sbp, and the payer no fee where the shop bears it", async () => {
      const sbp = await details({ include_service: ["p2p_sbp"] }, "tinkoff");
      assert.equal(sbp.wallet, "+79990000004");
      assert.equal(sbp.bank, "Т-Банк");
      assert.equal(sbp.amount, "1000.00");
      const id = await invoice({}, URLS_SHOP);
      const answer = await createH2h(gateway, id, {}, URLS_SHOP);
      assert.equal(answer.body.data.amount, "1000.00");
    });

    it("answers a repetition for the same bank with the same bytes", async () => {
      const id = await invoice();
      const first = await createH2h(gateway, id);
      gateway.clock.advance(DETAILS_SECONDS - 1);
      const again = await createH2h(gateway, id.toUpperCase());
      assert.equal(again.text, first.text);
      assert.equal((await sql("select id from payments")).length, 1);
    });

    it("gives new details for another bank, and ends the first ones", async () => {
      const id = await invoice();
      const sber = await createH2h(gateway, id);
      gateway.clock.advance(1);
      const tinkoff = await createH2h(gateway, id, { payment_data: { bank: "tinkoff" } });
      assert.equal(tinkoff.status, 200, tinkoff.text);
      assert.equal(tinkoff.body.data.bank, "Т-Банк");
      assert.notEqual(tinkoff.body.data.wallet, sber.body.data.wallet);
      const states = await sql("select state from payments order by created_at");
      assert.deepEqual(
        states.map(({ state }) => state),
        ["lapsed", "live"],
      );
      const [used] = await sql("select sum(live_payments)::integer as live from requisite_usage");
      assert.equal(used?.["live"], 1);
    });

    it("gives new details once the first have lapsed, never the slot in quarantine", async () => {
      const id = await invoice();
      const first = (await createH2h(gateway, id)).body.data;
      gateway.clock.advance(DETAILS_SECONDS);
      const next = (await createH2h(gateway, id)).body.data;
      assert.notEqual(`${next.wallet} ${next.amount}`, `${first.wallet} ${first.amount}`);
      assert.notEqual(next.time_end, first.time_end);
    });

    it("lets details end with their invoice, when that is sooner", async () => {
      const start = gateway.clock.now();
      const { time_end } = await details({ expire: 5 });
      const end = new Date(start.getTime() + 5 * 60_000 + 3 * 3_600_000);
      assert.equal(time_end, end.toISOString().slice(0, 19).replace("T", " "));
    });

    it("takes null and empty text for what is optional", async () => {
      const answer = await createH2h(gateway, await invoice(), { ip: null, user_agent: "" });
      assert.equal(answer.status, 200, answer.text);
    });
  });

  describe("slots", () => {
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
      assert.deepEqual(amounts, [
        ...["1020.00", "1020.00", "1020.00"],
        ...["1020.01", "1020.01", "1020.01"],
        "1020.02",
      ]);
    });

    it("refuses when all is taken and the shop allows no nudge, and keeps nothing", async () => {
      await sql("update shops set nudge_max_minor = 0");
      for (let turn = 0; turn < 3; turn += 1) await details();
      const id = await invoice();
      const refused = await createH2h(gateway, id);
      assert.equal(refused.status, 422);
      assert.match(refused.body.error[0], /No payment details are free/);
      const [row] = await sql("select count(*)::integer as n from payments");
      assert.equal(row?.["n"], 3);
      const [state] = await sql(`select state from invoices where id = '${id}'`);
      assert.equal(state?.["state"], "created");
    });

    it("keeps live details when another bank has none free", async () => {
      await sql(
        "update requisite_usage set enabled = false from requisites where requisites.id = requisite_id and bank = 'tinkoff'",
      );
      const id = await invoice();
      const first = await createH2h(gateway, id);
      const other = await createH2h(gateway, id, { payment_data: { bank: "tinkoff" } });
      assert.equal(other.status, 422);
      assert.equal((await createH2h(gateway, id)).text, first.text);
    });

    it("holds a slot through its quarantine and not a second longer", async () => {
      await sql("update shops set nudge_max_minor = 0");
      await sql(
        "update requisite_usage set enabled = false from requisites where requisites.id = requisite_id and receiver_name <> 'Иван И.'",
      );
      await details();
      gateway.clock.advance(DETAILS_SECONDS + QUARANTINE_SECONDS - 1);
      assert.equal((await createH2h(gateway, await invoice())).status, 422);
      gateway.clock.advance(1);
      assert.equal((await createH2h(gateway, await invoice())).status, 200);
    });

    it("never gives out a disabled requisite", async () => {
      await sql(
        "update requisite_usage set enabled = false from requisites where requisites.id = requisite_id and receiver_name <> 'Пётр К.'",
      );
      assert.equal((await details()).wallet, SBER_CARDS[2]);
      const none = await createH2h(gateway, await invoice(), { payment_data: { bank: "tinkoff" } });
      assert.equal(none.status, 422);
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
        assert.equal((await createH2h(gateway, await invoice())).status, 422);
      });
    }

    it("keeps within a requisite's smallest and largest amount", async () => {
      await sql("update requisites set max_minor = 102000 where receiver_name = 'Иван И.'");
      await sql("update requisites set min_minor = 102001 where receiver_name = 'Мария С.'");
      await sql(
        "update requisite_usage set enabled = false from requisites where requisites.id = requisite_id and receiver_name = 'Пётр К.'",
      );
      assert.equal((await details()).wallet, SBER_CARDS[0]);
      const nudged = await details();
      assert.deepEqual([nudged.wallet, nudged.amount], [SBER_CARDS[1], "1020.01"]);
    });

    it("gives a lapsed payment's room back, and a new day starts from nothing", async () => {
      await sql("update requisite_usage set max_live_payments = 1, max_day_payments = 2");
      await sql(
        "update requisite_usage set enabled = false from requisites where requisites.id = requisite_id and receiver_name <> 'Иван И.'",
      );
      await details();
      assert.equal((await createH2h(gateway, await invoice())).status, 422);
      gateway.clock.advance(DETAILS_SECONDS);
      await lapsePaymentsJob.run(gateway.app);
      await details();
      gateway.clock.advance(DETAILS_SECONDS);
      await lapsePaymentsJob.run(gateway.app);
      const [row] = await sql(
        "select live_payments, day_payments from requisite_usage where enabled",
      );
      assert.deepEqual(row, { live_payments: 0, day_payments: 0 });
    });
  });

  it("a day that goes back (another time zone, another clock) leaves nothing stuck", async () => {
    await sql(
      "update requisite_usage set enabled = false from requisites where requisites.id = requisite_id and receiver_name <> 'Иван И.'",
    );
    await sql("update requisite_usage set day = '2027-01-01', day_payments = 0 where enabled");
    await details();
    await details({ amount: 1001 });
    const [row] = await sql("select day::text, day_payments from requisite_usage where enabled");
    assert.deepEqual(row, { day: "2027-01-01", day_payments: 2 });
    gateway.clock.advance(DETAILS_SECONDS);
    while ((await lapsePaymentsJob.run(gateway.app)) > 0);
    const [after] = await sql(
      "select live_payments, day_payments, day_sum_minor from requisite_usage where enabled",
    );
    assert.deepEqual(after, { live_payments: 0, day_payments: 0, day_sum_minor: 0n });
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
    assert.equal((await createH2h(gateway, await invoice())).status, 200);
  });

  it("one invoice asked for many times at once is one payment", async () => {
    const id = await invoice();
    const answers = await Promise.all(Array.from({ length: 50 }, () => createH2h(gateway, id)));
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    assert.equal((await sql("select id from payments")).length, 1);
  });

  describe("404", () => {
    it("no such invoice", async () => {
      const answer = await createH2h(gateway, UNKNOWN);
      assert.equal(answer.status, 404);
      assert.equal(answer.body.error, "The invoice was not found.");
    });
    it("an invoice of another shop, of the same user or of another", async () => {
      const id = await invoice();
      for (const shop of [URLS_SHOP, OTHER_SHOP, EMPTY_SHOP]) {
        assert.equal((await createH2h(gateway, id, {}, shop)).status, 404);
      }
    });
  });

  describe("422", () => {
    const cases: [string, Record<string, unknown>, string[]][] = [
      ["the bank is missing", { payment_data: {} }, ["The bank field is required."]],
      ["the bank is empty", { payment_data: { bank: "" } }, ["The bank field is required."]],
      ["payment_data is missing", { payment_data: undefined }, ["The bank field is required."]],
      ["payment_data is null", { payment_data: null }, ["The bank field is required."]],
      [
        "payment_data is a text",
        { payment_data: "sber" },
        ["The payment data field must be an object."],
      ],
      [
        "the bank is unknown",
        { payment_data: { bank: "alfa" } },
        ["The bank field must be one of: sber, tinkoff."],
      ],
      ["the bank is a number", { payment_data: { bank: 7 } }, ["The bank field must be a string."]],
      [
        "the invoice id is missing",
        { invoice_id: undefined },
        ["The invoice id field is required."],
      ],
      ["the invoice id is no UUID", { invoice_id: "1" }, ["The invoice id field must be a UUID."]],
      ["the ip is no address", { ip: "1.2.3.4.5" }, ["The ip field must be an IPv4 address."]],
      ["the ip is IPv6", { ip: "::1" }, ["The ip field must be an IPv4 address."]],
      ["the user agent is a number", { user_agent: 1 }, ["The user agent field must be a string."]],
      [
        "the user agent holds a NUL",
        { user_agent: "a\0b" },
        ["The user agent field must be well-formed text without NUL."],
      ],
      [
        "the user agent is too long",
        { user_agent: "a".repeat(1025) },
        ["The user agent field must have at most 1024 characters."],
      ],
      [
        "everything at once, one message a field, in the order of the fields",
        { payment_data: {}, user_agent: 1, ip: "x", invoice_id: "x" },
        [
          "The invoice id field must be a UUID.",
          "The ip field must be an IPv4 address.",
          "The user agent field must be a string.",
          "The bank field is required.",
        ],
      ],
      ["the shop id is no UUID", { shop_id: "x" }, ["The shop id field must be a UUID."]],
      ["the shop id is missing", { shop_id: undefined }, ["The shop id field is required."]],
    ];
    for (const [name, changes, messages] of cases) {
      it(name, async () => {
        const answer = await createH2h(gateway, await invoice(), changes);
        assert.equal(answer.status, 422);
        assert.deepEqual(answer.body.error, messages);
        assert.deepEqual(await sql("select id from payments"), []);
      });
    }

    it("the invoice is a link", async () => {
      const id = await invoice({ type: "link" }, LINK_SHOP);
      const answer = await createH2h(gateway, id, {}, LINK_SHOP);
      assert.equal(answer.status, 422);
      assert.deepEqual(answer.body.error, ["The invoice is not of the type direct."]);
    });
    it("the invoice's time is over, to the second", async () => {
      const id = await invoice({ expire: 1 });
      const other = await invoice({ expire: 1 });
      gateway.clock.advance(59);
      assert.equal((await createH2h(gateway, id)).status, 200);
      gateway.clock.advance(1);
      const answer = await createH2h(gateway, other);
      assert.deepEqual(answer.body.error, ["The invoice has expired."]);
    });
    for (const [state, message] of [
      ["paid", "The invoice has already been paid."],
      ["refunded", "The invoice has already been paid."],
      ["expired", "The invoice has expired."],
      ["failed", "The invoice is closed."],
    ]) {
      it(`the invoice is ${state}`, async () => {
        const id = await invoice();
        const paidAt = state === "paid" || state === "refunded" ? "created_at" : "null";
        await sql(`update invoices set state = '${state}', paid_at = ${paidAt} where id = '${id}'`);
        const answer = await createH2h(gateway, id);
        assert.equal(answer.status, 422);
        assert.deepEqual(answer.body.error, [message]);
      });
    }
    it("the method was disabled after the invoice was made", async () => {
      const id = await invoice();
      await sql("update tariffs set enabled = false");
      const answer = await createH2h(gateway, id);
      assert.equal(answer.status, 422);
      assert.match(answer.body.error[0], /p2p_card is not available/);
    });
  });

  describe("401", () => {
    it("a wrong key, as one string", async () => {
      const id = await invoice();
      const answer = await createH2h(gateway, id, {}, { id: SHOP.id, key: OTHER_SHOP.key });
      assert.equal(answer.status, 401);
      assert.equal(typeof answer.body.error, "string");
    });
  });
});
