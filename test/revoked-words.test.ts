// What somebody does with money waits for whoever has its row: who is revoked while it waits has no say by the time that
// it would count, be it the second of two words or the only one.

import assert from "node:assert/strict";
import { after, afterEach, before, it } from "node:test";
import { eventually } from "../torture/eventually.ts";
import { assertBooksAreRight } from "./books.ts";
import { freshReference, openDesk } from "./desk.ts";
import { type Answer, onPostgres, openTestGateway, type TestGateway } from "./gateway.ts";
import { changedLine } from "./lines.ts";
import { type Manage, manage, ownHand } from "./manage.ts";
import { MINUTE, type Orders, orders } from "./orders.ts";
import { mayTakeLong } from "./patience.ts";
import { payouts } from "./payouts.ts";

const FROM = 1000;
const reason = "the bank was asked";
const WAITS = `select from pg_locks where not granted
  and pid in (select pid from pg_stat_activity where datname = current_database())`;

interface Word {
  /** The row that somebody has meanwhile. */
  readonly row: readonly [table: string, id: string];
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
    ...{ row: ["payouts", id], path: `payouts/${id}/${act}`, body },
    stands: async () => {
      const { payout, votes } = await own.get(`payouts/${id}`);
      return [payout.state, votes];
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
    "what several lines are": async () => {
      const { line_id } = await changedLine(gateway, 10);
      const body = { line_ids: [line_id], decision: "ignore", reason };
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
      const { proposal } = await anna.post(`transfers/${transfer_id}/assign`, wish);
      const path = `proposals/${proposal.proposal_id}/confirm`;
      const stands = () => own.get(`transfers/${transfer_id}`);
      return { row: ["transfers", transfer_id], path, body: {}, stands };
    },
  };

  for (const [name, given] of Object.entries(words)) {
    it(`${name}: it does not count`, async () => {
      const { row, path, body, stands } = await given();
      const was = await stands();
      const boris = await ownHand(gateway, "Boris", "operator");
      const answer = await gateway.app.db.transaction(
        async (tx): Promise<{ of: Promise<Answer> }> => {
          await mayTakeLong(tx);
          await tx.query(`select from ${row[0]} where id = $1 for update`, [row[1]]);
          const of = boris.ask(path, body);
          await eventually("it waits", async () => (await tx.query(WAITS, [])).length > 0);
          await own.post(`operators/${boris.id}/revoke`);
          return { of };
        },
      );
      const { status, text, body: said } = await answer.of;
      assert.equal(said.data?.items?.[0].status ?? status, 401, text);
      assert.deepEqual(await stands(), was);
    });
  }
});
