// Three gateways on one PostgreSQL, each with connections and memories of its own, and what races begin with.

import { expireInvoicesJob } from "../../src/features/invoices/expire-invoices.job.ts";
import { releaseFreezesJob } from "../../src/features/ledger/release-freezes.job.ts";
import { lapsePaymentsJob } from "../../src/features/payments/lapse-payments.job.ts";
import { stampEventsJob } from "../../src/features/webhooks/stamp-events.job.ts";
import { withCheckDigit } from "../../test/card-writings.ts";
import { type CastShop, createInvoice, SHOP, USER } from "../../test/cast.ts";
import { openTestDatabase, TestClock, testConfig } from "../../test/gateway.ts";
import { manage, ownHand } from "../../test/manage.ts";
import { DAY, orders } from "../../test/orders.ts";
import { openReceiver } from "../../test/receiver.ts";
import { keeping } from "../../test/retention.ts";
import { accepted } from "../accepted.ts";
import { openQuietGateway } from "../quiet-gateway.ts";
import { brokenInvariants } from "../witness/books.ts";

export type Scene = Awaited<ReturnType<typeof openScene>>;

export const FREEZE_SECONDS = 1_800;
export const RETAIN_DAYS = 30;
export const RATES = { service: "p2p_card", shop_percent: 4, user_percent: 2, max_sum: 1e6 };
const WIDE = { max_live_payments: 1e6, max_day_payments: 1e6, max_day_sum: 1e9, max_sum: 1e6 };

/** One bank has one card, where an amount without nudges is one slot; the other one has six. */
const requisite = (number: number): string => `00000000-0000-4000-8000-00000000010${number}`;
export const ONLY_CARD = requisite(4);
export const NARROW = { payment_data: { bank: "tinkoff" } };
const PUT_AWAY = [requisite(5), requisite(6)];

export async function openScene() {
  const database = await openTestDatabase("postgres");
  const clock = new TestClock();
  // Who gets the last slot or place is tried here: one shop may have them all.
  const shares = { shop: 100, user: 100, payer: 100 };
  const kept = keeping({ unusedInvoices: RETAIN_DAYS });
  const config = testConfig({ ...database.config, shares, ...kept });
  const open = () => openQuietGateway({ config, clock });
  const gateways = { left: await open(), right: await open(), third: await open() };
  const { left } = gateways;
  const { db } = left.app;
  const receiver = await openReceiver();
  const [own, trade] = [manage(left), orders(left)];
  const openShop = async (user_id: string, changes = {}): Promise<CastShop> => {
    const body = { user_id, name: "Races", h2h_enabled: true, ...changes };
    const { shop, api_key } = await own.post("shops", body);
    return { id: shop.shop_id, key: api_key };
  };
  await own.post("tariffs", { ...RATES, min_sum: 1 });
  const other = await ownHand(left, "Races", "operator");
  await own.post("services/p2p_card", { freeze_seconds: FREEZE_SECONDS });
  for (const number of [1, 2, 3]) {
    const card = withCheckDigit(`22022000000010${number}`);
    await own.post("requisites", { bank: "sber", receiver_name: "Races", card });
  }
  for (const { requisite_id: id } of (await own.get("requisites")).items) {
    await own.post(`requisites/${id}`, { enabled: !PUT_AWAY.includes(id), ...WIDE });
  }
  let amounts = 0;
  const amount = (): number => {
    amounts += 1;
    return 1_000 + amounts;
  };
  return {
    ...gateways,
    clock,
    db,
    own,
    trade,
    receiver,
    amount,
    holdShop: await openShop(USER.id, { late_policy: "hold" }),
    exactShop: await openShop(USER.id, { nudge_max_kopecks: 0 }),
    kopeckShop: await openShop(USER.id, { nudge_max_kopecks: 1 }),
    otherToken: other.token,
    /** Who has no money. */
    async newMerchant() {
      const { user, secret } = await own.post("users", { name: "Races" });
      const shop = await openShop(user.user_id);
      return { shop, user: { id: user.user_id as string, secret: secret as string } };
    },
    async newShop(): Promise<CastShop> {
      return (await this.newMerchant()).shop;
    },
    async invoice(shop = SHOP, wanted = amount()): Promise<string> {
      return accepted(await createInvoice(left, { amount: wanted }, shop)).id;
    },
    /** Time passes, and what falls due meanwhile is done. */
    async pass(seconds: number): Promise<void> {
      clock.advance(seconds);
      await left.work([lapsePaymentsJob, expireInvoicesJob, releaseFreezesJob]);
    },
    /** Past every quarantine. */
    async nextDay(): Promise<void> {
      amounts = 0;
      await this.pass(2 * DAY);
    },
    /** Its rows in words; of an id they say who has made it. */
    async books(text: string, values: readonly unknown[]): Promise<string> {
      const maker = (id: unknown): unknown =>
        Object.entries(gateways).find(([, { hasMade }]) => hasMade(String(id)))?.[0] ?? id;
      const rows = await db.query<object>(text, values);
      return rows.map((row) => Object.values(row).map(maker).join(" ")).join(", ");
    },
    async violations(): Promise<string[]> {
      await left.work([lapsePaymentsJob, expireInvoicesJob, stampEventsJob]);
      return brokenInvariants(db, left.app.clock.now());
    },
    /** Nobody has failed unexpectedly, and nobody had to be thrown out of a deadlock. */
    async failures(): Promise<string[]> {
      const [row] = await db.query<{ deadlocks: bigint }>(
        "select deadlocks from pg_stat_database where datname = current_database()",
      );
      const logged = Object.values(gateways).flatMap(({ errors }) => errors);
      return row?.deadlocks === 0n ? logged : [...logged, `${row?.deadlocks} deadlocks`];
    },
    async close(): Promise<void> {
      await receiver.close();
      await Promise.all(Object.values(gateways).map((gateway) => gateway.stop()));
      await database.drop();
    },
  };
}
