// Choosing a method and a bank: what is refused, and that a refusal is a page that says why.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { createInvoice, LINK_SHOP } from "../../../test/cast.ts";
import {
  onOneEngine,
  onPostgres,
  openTestGateway,
  type TestGateway,
} from "../../../test/gateway.ts";
import { manage } from "../../../test/manage.ts";
import { until } from "../../../test/webhook-room.ts";

onOneEngine("POST /pay/{invoice}", (engine) => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await openTestGateway(engine);
  });
  after(() => gateway.stop());

  const link = async (): Promise<string> => {
    const changes = { include_service: ["p2p_card"], type: "link" };
    return (await createInvoice(gateway, changes, LINK_SHOP)).body.data.id;
  };
  const choose = async (
    id: string,
    form: Record<string, string> | string,
    headers: Record<string, string> = {},
  ) => {
    const body = typeof form === "string" ? form : new URLSearchParams(form);
    const type = { "content-type": "application/x-www-form-urlencoded" };
    const options = { method: "POST", redirect: "manual", body, headers: { ...type, ...headers } };
    const answer = await fetch(`${gateway.url}/pay/${id}`, options as RequestInit);
    return { status: answer.status, text: await answer.text() };
  };
  const CHOICE = { service: "p2p_card", bank: "sber" };

  it("keeps who paid from where", async () => {
    const id = await link();
    assert.equal((await choose(id, CHOICE, { "user-agent": "a phone" })).status, 303);
    const rows = await gateway.app.db.query(
      "select payer_ip, payer_user_agent from payments where invoice_id = $1",
      [id],
    );
    assert.deepEqual(rows, [{ payer_ip: "127.0.0.1", payer_user_agent: "a phone" }]);
  });

  it("refuses what makes no sense, and issues nothing", async () => {
    const id = await link();
    const wrong: (Record<string, string> | string)[] = [
      {},
      { service: "p2p_card" },
      { service: "p2p_card", bank: "nobank" },
      { service: "card", bank: "sber" },
      "service=%00&bank=sber",
      "%%%",
    ];
    for (const form of wrong) {
      const { status, text } = await choose(id, form);
      assert.equal(status, 400, JSON.stringify(form));
      assert.match(text, /<h1>This did not work<\/h1>/);
    }
    const other = await choose(id, { service: "p2p_sbp", bank: "sber" });
    assert.equal(other.status, 422);
    assert.match(other.text, /role="alert">The payment method p2p_sbp is not available/);
    assert.equal(
      (await choose(id, `service=p2p_card&bank=sber&${"x".repeat(70_000)}`)).status,
      413,
    );
    const rows = await gateway.app.db.query("select from payments where invoice_id = $1", [id]);
    assert.equal(rows.length, 0);
  });

  it("believes a trusted proxy about the payer's address, and nobody else", async () => {
    const forwarded = { "x-forwarded-for": "203.0.113.7" };
    const behind = await openTestGateway(engine, { trustedProxies: ["127.0.0.1"] });
    const changes = { include_service: ["p2p_card"], type: "link" };
    for (const [door, seen] of [
      [gateway, "127.0.0.1"],
      [behind, "203.0.113.7"],
    ] as const) {
      const id = (await createInvoice(door, changes, LINK_SHOP)).body.data.id;
      const body = new URLSearchParams(CHOICE);
      const options = { method: "POST", redirect: "manual", body, headers: forwarded } as const;
      await fetch(`${door.url}/pay/${id}`, options);
      const rows = await door.app.db.query("select payer_ip from payments where invoice_id = $1", [
        id,
      ]);
      assert.deepEqual(rows, [{ payer_ip: seen }]);
    }
    await behind.stop();
  });

  it("one payer cannot hold an amount on every card by changing banks: the sixth stays", async () => {
    const id = await link();
    const statuses: number[] = [];
    for (let turn = 0; turn < 8; turn += 1) {
      const bank = turn % 2 === 0 ? "sber" : "tinkoff";
      statuses.push((await choose(id, { service: "p2p_card", bank })).status);
    }
    assert.deepEqual(statuses, [303, 303, 303, 303, 303, 303, 422, 303]);
  });

  it("refuses a form that another site sends", async () => {
    const id = await link();
    assert.equal((await choose(id, CHOICE, { "sec-fetch-site": "cross-site" })).status, 400);
    assert.equal((await choose(id, CHOICE, { "sec-fetch-site": "same-origin" })).status, 303);
  });

  it("refuses JSON, and a page for nothing", async () => {
    const json = await gateway.call(`/pay/${await link()}`, { body: CHOICE });
    assert.equal(json.status, 415);
    assert.equal((await choose("019a3f00-0000-7000-8000-000000000009", CHOICE)).status, 404);
  });

  it("says that nothing is free, and stays where it was", async () => {
    const id = await link();
    const own = manage(gateway);
    const { items } = await own.get("requisites?bank=sber");
    for (const { requisite_id } of items) {
      await own.post(`requisites/${requisite_id}`, { max_live_payments: 0 });
    }
    const { status, text } = await choose(id, CHOICE);
    assert.equal(status, 422);
    assert.match(text, /role="alert">No payment details are free for this bank and amount/);
    assert.match(text, /Which bank do you pay from\?/);
    assert.equal((await choose(id, { ...CHOICE, bank: "tinkoff" })).status, 303);
    for (const { requisite_id } of items) {
      await own.post(`requisites/${requisite_id}`, { max_live_payments: 1000 });
    }
  });

  it("shows what has happened meanwhile instead of refusing", async () => {
    const id = await link();
    await choose(id, CHOICE);
    await fetch(`${gateway.url}/pay/${id}/simulate`, { method: "POST", redirect: "manual" });
    const { status, text } = await choose(id, CHOICE);
    assert.equal(status, 200);
    assert.match(text, /<h1>Paid<\/h1>/);
  });
});

onPostgres("details asked for at once on the page", () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await openTestGateway("postgres");
  });
  after(() => gateway.stop());

  it("are counted after the invoice is locked: six, however many ask together", async () => {
    for (let round = 0; round < 4; round += 1) {
      const changes = { type: "link", amount: 1000 + round };
      const { id } = (await createInvoice(gateway, changes, LINK_SHOP)).body.data;
      const choose = (turn: number) =>
        fetch(`${gateway.url}/pay/${id}`, {
          method: "POST",
          redirect: "manual",
          body: new URLSearchParams({
            service: "p2p_card",
            bank: turn % 2 === 0 ? "sber" : "tinkoff",
          }),
        });
      for (let turn = 0; turn < 5; turn += 1) assert.equal((await choose(turn)).status, 303);
      // Whoever waits for the invoice has begun to read before the one in front of it has written.
      const waiting = await gateway.app.db.transaction(async (tx) => {
        await tx.query("select from invoices where id = $1 for update", [id]);
        const asked = Array.from({ length: 6 }, (_, turn) => choose(turn + 1));
        await until("somebody waits for the invoice", async () => {
          // Not in this transaction, which would see the same again and again.
          const [row] = await gateway.app.for("jobs").db.query<{ waiting: number }>(
            `select count(*)::integer as waiting from pg_stat_activity
             where datname = current_database() and wait_event_type = 'Lock'`,
          );
          return (row?.waiting ?? 0) >= 3;
        });
        return asked;
      });
      for (const { status } of await Promise.all(waiting)) assert.match(String(status), /303|422/);
      const rows = await gateway.app.db.query("select from payments where invoice_id = $1", [id]);
      assert.equal(rows.length, 6);
    }
  });
});
