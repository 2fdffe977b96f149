// Two gateways on one PostgreSQL, and what a race begins with: orders, money, merchants.

import { expireInvoicesJob } from "../../src/features/invoices/expire-invoices.job.ts";
import { findViolations } from "../../src/features/ledger/queries.ts";
import { releaseFreezesJob } from "../../src/features/ledger/release-freezes.job.ts";
import { lapsePaymentsJob } from "../../src/features/payments/lapse-payments.job.ts";
import { type CastShop, SHOP, USER } from "../../test/cast.ts";
import { openTestDatabase, TestClock, testConfig } from "../../test/gateway.ts";
import { type Manage, manage } from "../../test/manage.ts";
import { DAY, type Order, type Orders, orders } from "../../test/orders.ts";
import { openReceiver, type Receiver } from "../../test/receiver.ts";
import { openQuietGateway, type QuietGateway } from "../quiet-gateway.ts";

export const FREEZE_SECONDS = 1_800;
export const REASON = "a race";

/** All but one of the bank's cards are put away: an amount without nudges is one slot there. */
const PUT_AWAY = ["00000000-0000-4000-8000-000000000105", "00000000-0000-4000-8000-000000000106"];
export const NARROW_REQUISITE = "00000000-0000-4000-8000-000000000104";
export const NARROW = { payment_data: { bank: "tinkoff" } };

export interface Scene {
  readonly left: QuietGateway;
  readonly right: QuietGateway;
  readonly clock: TestClock;
  readonly trade: Orders;
  /** The operator at the left gateway, and the one at the right. */
  readonly own: Manage;
  readonly other: Manage;
  /** Late money waits for the operator there. */
  readonly holdShop: CastShop;
  /** An amount is never raised there. */
  readonly exactShop: CastShop;
  readonly receiver: Receiver;
  sql<Row = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Another amount each time, so that orders do not get in each other's way. */
  amount(): number;
  /** An order that has been paid. */
  paid(changes?: Record<string, unknown>, shop?: CastShop): Promise<Order>;
  /** A user with one shop and no money. */
  merchant(): Promise<{ readonly userId: string; readonly shop: CastShop }>;
  /** "left" or "right" gateway. */
  makerOf(id: string): "left" | "right";
  /** The clock moves on to this moment; never back. */
  reach(moment: Date): void;
  available(userId: string): Promise<bigint>;
  /** Every change of an operator's to this subject. */
  audits(subject: string): Promise<number>;
  /** Past every quarantine, and everything done that fell due meanwhile. */
  nextDay(): Promise<void>;
  /** What the books say, once both gateways have done what is due. */
  violations(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export async function openScene(): Promise<Scene> {
  const database = await openTestDatabase("postgres");
  const clock = new TestClock();
  // Who gets the last slot or place is tried here: one shop may have them all.
  const shares = { shop: 100, user: 100, payer: 100 };
  const config = testConfig({ ...database.config, shares });
  const open = (): Promise<QuietGateway> => openQuietGateway({ config, clock });
  const [left, right] = [await open(), await open()];
  const receiver = await openReceiver();
  const own = manage(left);
  const trade = orders(left);
  const { sql, ...books } = booksOf(left);

  const newShop = async (user_id: string, settings: object): Promise<CastShop> => {
    const body = { user_id, name: "Races", h2h_enabled: true, ...settings };
    const { shop, api_key } = await own.post("shops", body);
    return { id: shop.shop_id, key: api_key };
  };
  const rates = { shop_percent: 4, user_percent: 2, min_sum: 1, max_sum: 100_000 };
  await own.post("tariffs", { service: "p2p_card", ...rates });
  await own.post("services/p2p_card", { freeze_seconds: FREEZE_SECONDS });
  for (const id of PUT_AWAY) await own.post(`requisites/${id}`, { enabled: false });
  let amounts = 0;
  return {
    ...{ left, right, clock, trade, own, other: manage(right), receiver, sql, ...books },
    holdShop: await newShop(USER.id, { late_policy: "hold" }),
    exactShop: await newShop(USER.id, { nudge_max_kopecks: 0 }),
    amount() {
      amounts += 1;
      return 1_000 + amounts;
    },
    async paid(changes = {}, shop = SHOP) {
      const order = await trade.order(changes, shop);
      await trade.pay(order);
      return order;
    },
    async merchant() {
      const { user } = await own.post("users", { name: "Races" });
      return { userId: user.user_id, shop: await newShop(user.user_id, {}) };
    },
    makerOf(id) {
      if (left.hasMade(id) === right.hasMade(id)) throw new Error(`nobody has made ${id}`);
      return left.hasMade(id) ? "left" : "right";
    },
    reach(moment) {
      clock.advance(Math.max(0, moment.getTime() - clock.now().getTime()) / 1000);
    },
    async nextDay() {
      amounts = 0;
      clock.advance(2 * DAY);
      await left.work([lapsePaymentsJob, expireInvoicesJob, releaseFreezesJob]);
    },
    async violations() {
      await left.work([lapsePaymentsJob, expireInvoicesJob]);
      const found = await findViolations(left.app.db, left.app.clock.now());
      return found.map(({ invariant, detail }) => `invariant ${invariant}: ${detail}`);
    },
    async close() {
      await receiver.close();
      await Promise.all([left.stop(), right.stop()]);
      await database.drop();
    },
  };
}

function booksOf({ app }: QuietGateway): Pick<Scene, "sql" | "available" | "audits"> {
  const sql: Scene["sql"] = (text, values = []) => app.db.query(text, values);
  return {
    sql,
    async available(userId) {
      const [row] = await sql<{ minor: bigint }>(
        "select available_minor as minor from ledger_balances where user_id = $1",
        [userId],
      );
      return row?.minor ?? 0n;
    },
    async audits(subject) {
      const rows = await sql("select from audit_log where subject = $1", [subject]);
      return rows.length;
    },
  };
}
