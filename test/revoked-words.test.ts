// What somebody does with money waits for whoever has its row: who is revoked while it waits has no say by the time that
// it would count, be it the second of two words or the only one.

import assert from "node:assert/strict";
import { after, afterEach, before, it } from "node:test";
import type { Tx } from "../src/platform/db.ts";
import { eventually } from "../torture/eventually.ts";
import { softwareAuthenticator } from "./authenticator.ts";
import { assertBooksAreRight } from "./books.ts";
import { USER } from "./cast.ts";
import { freshReference, openDesk } from "./desk.ts";
import { type Answer, onPostgres, openTestGateway, type TestGateway } from "./gateway.ts";
import { CHANGED_CARD, changedLine } from "./lines.ts";
import { type Manage, manage, ownHand } from "./manage.ts";
import { hire, owners, signedInAs } from "./members.ts";
import { MINUTE, type Orders, orders } from "./orders.ts";
import { mayTakeLong } from "./patience.ts";
import { CARD, payouts } from "./payouts.ts";
import { hiddenIn, invite, joinByPasskey, optionsIn, usePasskey, visitor } from "./people.ts";
import { statement1c } from "./statement-file.ts";

const FROM = 1000;
const ACCOUNT = "40817810000000000101";
const WAY = "/security/passkey";
const reason = "the bank was asked";
const WAITS = `select from pg_locks where not granted
  and pid in (select pid from pg_stat_activity where datname = current_database())`;

/** A transaction sees the sessions that it has seen first, unless it asks anew. */
async function waitingIn(tx: Tx): Promise<number> {
  await tx.query("select pg_stat_clear_snapshot()", []);
  return (await tx.query(WAITS, [])).length;
}

interface Word {
  /** The rows that somebody has meanwhile. */
  readonly row: readonly [table: string, id: string, column?: string];
  readonly path: string;
  readonly body?: object;
  /** How it stands. */
  stands(): Promise<unknown>;
}

onPostgres("a word that waits while whoever gives it is revoked", () => {
  let gateway: TestGateway;
  let trade: Orders;
  let own: Manage;
  let anna: Manage;
  let user: ReturnType<typeof payouts>;
  before(async () => {
    gateway = await openTestGateway("postgres");
    trade = orders(gateway);
    own = manage(gateway);
    ({ anna } = await openDesk(gateway));
    user = payouts(gateway, trade);
    await user.earn(2, 90_000);
    Object.assign(gateway.app.config, { fourEyesFrom: FROM });
  });
  after(() => gateway.stop());
  afterEach(() => assertBooksAreRight(gateway));

  const ofPayout = (id: string, act: string, body = {}): Word => ({
    row: ["payouts", id],
    path: `payouts/${id}/${act}`,
    body,
    stands: async () => {
      const { payout, approvals } = await own.get(`payouts/${id}`);
      return [payout.state, approvals];
    },
  });
  const taken = async (amount: number): Promise<string> => {
    const id = await user.made({ amount });
    await anna.post(`payouts/${id}/take`);
    return id;
  };

  /** Each with the first one's word given, by Anna, where it takes two. */
  const words: Readonly<Record<string, () => Promise<Word>>> = {
    "that they send a payout": async () => {
      const id = await user.made({ amount: 99 });
      return ofPayout(id, "take");
    },
    "that money is the operator's own": async () => {
      const order = await trade.order();
      const { transfer_id } = await trade.pay(order, { amount: 7 });
      const body = { kind: "deposit", transfer_id, amount: 7, reference: freshReference(), reason };
      const stands = () => own.get(`transfers/${transfer_id}`);
      return { row: ["transfers", transfer_id], path: "own-moves", body, stands };
    },
    "that a user wants a payout": async () => {
      const body = { user_id: USER.id, service: "card", wallet_to: CARD, amount: 98 };
      const row = ["ledger_balances", USER.id, "user_id"] as const;
      return { row, path: "payouts", body, stands: () => trade.balance() };
    },
    "that money is on the account, by a statement": async () => {
      const days = { "2026-01-01": [{ sum: 5 }] };
      const content = Buffer.from(statement1c([{ account: ACCOUNT, days }])).toString("base64");
      const stands = async () => (await own.get("imports")).items;
      const body = { filename: "kl_to_1c.txt", content };
      return { row: ["requisites", CHANGED_CARD], path: "imports", body, stands };
    },
    "what several lines are": async () => {
      const { line_id } = await changedLine(gateway, 10);
      const body = { line_ids: [line_id], decision: "exclude", reason };
      const stands = async () => (await own.get("lines?waiting=true")).items;
      return { row: ["statement_lines", line_id], path: "lines/decide", body, stands };
    },
    "that a held payout may leave": async () => {
      const id = await user.made({ amount: 80_001 });
      await anna.post(`payouts/${id}/approve`);
      return ofPayout(id, "approve");
    },
    "that a payout came back": async () => {
      const id = await taken(FROM);
      await anna.post(`payouts/${id}/sent`, { bank_reference: freshReference() });
      await anna.post(`payouts/${id}/return`, { reason });
      return ofPayout(id, "return", { reason });
    },
    "that a payout has not left": async () => {
      const id = await taken(100);
      await trade.pass(30 * MINUTE);
      const body = { outcome: "not_sent", reason };
      await anna.post(`payouts/${id}/resolve`, body);
      return ofPayout(id, "resolve", body);
    },
    "that a line is money of its own": async () => {
      const { path, line_id } = await changedLine(gateway, FROM);
      const body = { decision: "book", reason };
      await anna.post(path, body);
      const stands = async () => (await own.get("lines?waiting=true")).items;
      return { row: ["statement_lines", line_id], path, body, stands };
    },
    "that a transfer is what a payment waits for": async () => {
      const order = await trade.order({ amount: FROM });
      const { transfer_id } = await trade.pay(order, { amount: FROM + 500 });
      const wish = { payment_id: order.paymentId, reason };
      const path = `transfers/${transfer_id}/assign`;
      await anna.post(path, wish);
      const stands = () => own.get(`transfers/${transfer_id}`);
      return { row: ["transfers", transfer_id], path, body: wish, stands };
    },
  };

  const refused = async ({ row, path, body, stands }: Word, by: Manage, end: () => unknown) => {
    const was = await stands();
    const [table, id, column = "id"] = row;
    const answer = await gateway.app.db.transaction(
      async (tx): Promise<{ of: Promise<Answer> }> => {
        await mayTakeLong(tx);
        await tx.query(`select from ${table} where ${column} = $1 for update`, [id]);
        const of = by.ask(path, body);
        await eventually("it waits", async () => (await waitingIn(tx)) > 0);
        await end();
        return { of };
      },
    );
    const { status, text, body: said } = await answer.of;
    assert.equal(said.data?.items?.[0].status ?? status, 401, text);
    assert.deepEqual(await stands(), was);
  };

  for (const [name, given] of Object.entries(words)) {
    it(`${name}: it does not count`, async () => {
      const boris = await ownHand(gateway, "Boris", "operator");
      await refused(await given(), boris, () => own.post(`operators/${boris.id}/revoke`));
    });
  }

  it("whoever ends their own place has ended it: an operator, and a merchant's owner", async () => {
    const boris = await ownHand(gateway, "Boris", "operator");
    await boris.post(`operators/${boris.id}/revoke`);
    assert.equal((await boris.ask("me")).status, 401);
    const { own: olga, personId } = await hire(gateway, "owner");
    await olga.post(`people/${personId}`, { role: "none" });
    assert.equal((await olga.ask("people")).status, 401);
  });

  /** What is asked for last waits behind what ends it, both for a row that is held. */
  const inTurn = async (
    held: string,
    ends: () => Promise<unknown>,
    asks: () => Promise<unknown>,
  ) => {
    const waiting = (tx: Tx, count: number) =>
      eventually("it waits", async () => (await waitingIn(tx)) >= count);
    const both = await gateway.app.db.transaction(async (tx) => {
      await mayTakeLong(tx);
      await tx.query(held.startsWith("lock") ? held : `${held} for no key update`);
      const end = ends();
      await waiting(tx, 1);
      const ask = asks();
      await waiting(tx, 2);
      return [end, ask];
    });
    await Promise.all(both);
  };

  it("whoever is taken their role while they give it to themselves is nobody at the desk, nor owner", async () => {
    const { person_id: id } = (await invite(own, "vera@example.com")).person;
    const vera = await signedInAs(gateway, { personId: id });
    const path = `/desk/people/${id}/change`;
    const person = `select from people where id = '${id}'`;
    const takes = () => own.post(`people/${id}`, { desk_role: "none" });
    await inTurn(person, takes, () => vera.post(path, { desk_role: "cashier" }));
    assert.equal((await own.get(`people/${id}`)).desk_role, null);
    const { mine } = await owners(gateway);
    const { own: olga, personId } = await hire(gateway, "owner");
    const membership = `select from memberships where person_id = '${personId}'`;
    const lowers = () => mine.post(`people/${personId}`, { role: "support" });
    await inTurn(membership, lowers, () => olga.ask(`people/${personId}`, { role: "owner" }));
    const { items } = await mine.get("people");
    const found = items.find((one: { person_id: string }) => one.person_id === personId);
    assert.equal(found.role, "support");
  });

  it("a thief whose session ends meanwhile, or whose victim comes back by a link, has made no way in", async () => {
    const { person, link } = await invite(own, "zoe@example.com");
    const { person_id: personId } = person;
    const zoe = visitor(gateway);
    await joinByPasskey(zoe, gateway.url, link);
    const steals = async () => {
      const thief = await signedInAs(gateway, { personId });
      const device = softwareAuthenticator({ origin: gateway.url });
      const page = await thief.open("/security");
      const credential = device.create(optionsIn(page, WAY) as never);
      return { device, send: () => thief.post(WAY, { ...hiddenIn(page, WAY), credential }) };
    };
    const comesIn = async ({ device }: Awaited<ReturnType<typeof steals>>) =>
      (await usePasskey(visitor(gateway), device)).status;
    const first = await steals();
    const renews = () => zoe.post("/security/codes");
    await inTurn(`select from people where id = '${personId}'`, renews, first.send);
    assert.deepEqual([await comesIn(first), (await zoe.get("/security")).status], [401, 200]);
    const second = await steals();
    const back = await own.post(`people/${personId}/link`, { resets: true });
    const returns = () => joinByPasskey(visitor(gateway), gateway.url, back.link);
    const sessions = `select from sessions where person_id = '${personId}'`;
    await inTurn(sessions, second.send, returns);
    assert.equal(await comesIn(second), 401);
  });

  it("whoever signs in as a link resets that, or as the person is disabled, is not in afterwards", async () => {
    const { person, link } = await invite(own, "yana@example.com");
    const { device } = await joinByPasskey(visitor(gateway), gateway.url, link);
    const id = person.person_id;
    const log = "lock table audit_log in exclusive mode";
    const thief = visitor(gateway);
    const signsIn = () => usePasskey(thief, device);
    const back = await own.post(`people/${id}/link`, { resets: true });
    const yana = visitor(gateway);
    let fresh = device;
    await inTurn(log, signsIn, async () => {
      ({ device: fresh } = await joinByPasskey(yana, gateway.url, back.link));
    });
    assert.equal((await thief.get("/security")).location, "/sign-in?then=/security");
    assert.equal((await yana.get("/security")).status, 200);
    const late = visitor(gateway);
    const disables = () => own.post(`people/${id}`, { disabled: true });
    await inTurn(log, () => usePasskey(late, fresh), disables);
    await own.post(`people/${id}`, { disabled: false });
    assert.equal((await late.get("/security")).location, "/sign-in?then=/security");
  });

  it("a revoked token of somebody who stays makes no payout", async () => {
    const { own: olga, personId } = await hire(gateway, "owner");
    const body = { service: "card", wallet_to: CARD, amount: 96 };
    const row = ["ledger_balances", USER.id, "user_id"] as const;
    const [token] = (await olga.get("tokens")).items;
    const word: Word = { row, path: "payouts", body, stands: () => trade.balance() };
    const browser = await signedInAs(gateway, { personId });
    await refused(word, olga, () => browser.post(`/my/tokens/${token.token_id}/revoke`));
  });

  it("of a merchant's owner who is let go, or is no owner any more, no payout leaves", async () => {
    const { mine } = await owners(gateway);
    for (const role of ["none", "accountant"]) {
      const { own: olga, personId } = await hire(gateway, "owner");
      const body = { service: "card", wallet_to: CARD, amount: 97 };
      const row = ["ledger_balances", USER.id, "user_id"] as const;
      const word: Word = { row, path: "payouts", body, stands: () => trade.balance() };
      await refused(word, olga, () => mine.post(`people/${personId}`, { role }));
    }
  });
});
