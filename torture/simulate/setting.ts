// Who there is in one history: two users, three shops, a few requisites with tight limits. The figures
// are few and close to each other on purpose, so that amounts meet on one card.

import { addKeys, setWebhookKeys } from "../../src/features/merchants/key-queries.ts";
import { keyDigest } from "../../src/features/merchants/principal.ts";
import { addShops, addUsers } from "../../src/features/merchants/queries.ts";
import { addRequisites } from "../../src/features/requisites/requisite-queries.ts";
import { sealWallet } from "../../src/features/requisites/wallet.ts";
import { addTariffs } from "../../src/features/tariffs/queries.ts";
import type { App } from "../../src/platform/app.ts";
import type { Db } from "../../src/platform/db.ts";
import type { Random } from "../random.ts";
import type { Requisite, Service, Shop, Terms, User } from "./records.ts";

export interface Setting {
  readonly users: readonly User[];
  readonly shops: readonly Shop[];
  readonly requisites: readonly Requisite[];
}

const FIRST_WEBHOOK_KEY = "the key of the simulated shops";
const FIRST_WEBHOOK_SECRET = `whsec_${Buffer.from("the secret of simulated shops").toString("base64")}`;
export const SERVICES: readonly Service[] = ["p2p_card", "p2p_sbp"];
export const MIN_SUM = 5_000;
export const MAX_SUM = 10_000_000;

const id = (number: number): string =>
  `00000000-0000-4000-9000-${String(number).padStart(12, "0")}`;

export function drawSetting(random: Random): Setting {
  const users = [1, 2].map(
    (n): User => ({ id: id(n), secret: String(n).repeat(40), available: 0, frozen: 0 }),
  );
  const [first, second] = users;
  if (first === undefined || second === undefined) throw new Error("no users");
  const shops = [first, first, second].map((user, n): Shop => {
    const hookUrl = random.chance(0.1) ? null : `https://receiver${n}.example/hook`;
    return {
      ...{ id: id(11 + n), user, hookUrl, nudgeMax: random.pick([0, 1, 2, 5]) },
      latePolicy: random.chance(0.4) ? "hold" : "credit",
      keys: [{ secret: `key of shop ${n}`, endsAt: Number.POSITIVE_INFINITY }],
      ...{ webhookKey: FIRST_WEBHOOK_KEY, webhookSecret: FIRST_WEBHOOK_SECRET },
      tariffs: { p2p_card: drawTerms(random), p2p_sbp: drawTerms(random) },
    };
  });
  const requisites = (["sber", "sber", "tinkoff", "tinkoff"] as const).map((bank, n): Requisite => {
    const tight = random.chance(0.4);
    return {
      ...{ id: id(21 + n), bank, card: `220220000000000${n}`, enabled: true },
      phone: n === 1 ? null : `+7999000000${n}`,
      maxLive: tight ? random.between(1, 3) : 30,
      maxDay: tight ? random.between(2, 6) : 300,
      maxDaySum: tight ? random.between(30_000, 300_000) : 100_000_000,
      ...{ live: 0, day: "", dayCount: 0, daySum: 0, lastUsedMs: 0, held: 0 },
    };
  });
  return { users, shops, requisites };
}

function drawTerms(random: Random): Terms {
  const percentPpm = random.pick([0, 10_000, 33_300, 60_000, 123_457]);
  const userPercentPpm = random.pick([0, 0, percentPpm, Math.floor(percentPpm / 3)]);
  // The last one leaves a single kopeck of the smallest amount, at the highest of these percentages.
  return { percentPpm, userPercentPpm, fix: random.pick([0, 0, 100, 4_381]), enabled: true };
}

const KEPT = [
  ...["schema_migrations", "installation", "services", "sbp_banks", "settings_version"],
  ...["operators", "default_tariffs"],
];

/** Everything of the last history goes; the guards against exactly that are told to look away. */
export async function emptyTables(engine: Db, thoroughly: boolean): Promise<void> {
  const tables = await engine.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public' order by 1",
    [],
  );
  const names = tables.map(({ name }) => name).filter((name) => !KEPT.includes(name));
  // A deletion takes a tenth of the time; what it leaves behind is cleared away now and then.
  const statements = thoroughly
    ? `truncate ${names.join(", ")}`
    : names.map((name) => `delete from ${name}`).join("; ");
  await engine.query(
    `set session_replication_role = replica; ${statements}; set session_replication_role = origin`,
  );
}

export async function furnish(engine: Db, app: App, setting: Setting, now: Date): Promise<void> {
  const { secrets, newId } = app;
  const { users, shops, requisites } = setting;
  await engine.transaction(async (tx) => {
    await addUsers(
      tx,
      users.map((user, n) => ({ id: user.id, name: `user ${n}` })),
      now,
    );
    await addShops(
      tx,
      shops.map((shop, n) => ({
        ...{ id: shop.id, user_id: shop.user.id, name: `shop ${n}`, h2h_enabled: true },
        ...{ success_url: "https://shop.example/ok", fail_url: null, hook_url: shop.hookUrl },
        ...{ nudge_max_minor: BigInt(shop.nudgeMax), late_policy: shop.latePolicy },
      })),
      now,
    );
    const key = (owner: string, secret: string) => keyDigest(secrets, owner, secret);
    await addKeys(
      tx,
      [
        ...users.map((user) => ({
          ...{ id: newId(), shop_id: null, user_id: user.id, digest: key(user.id, user.secret) },
        })),
        ...shops.map((shop) => ({
          ...{ id: newId(), shop_id: shop.id, user_id: null },
          digest: key(shop.id, shop.keys[0]?.secret ?? ""),
        })),
      ],
      now,
    );
    await addTariffs(
      tx,
      shops.flatMap((shop) =>
        SERVICES.map((service) => tariffOf(service, shop.tariffs[service], shop.id)),
      ),
    );
    await setWebhookKeys(
      tx,
      app,
      shops.map((shop) => ({ shopId: shop.id, key: shop.webhookKey, secret: shop.webhookSecret })),
    );
    await addRequisites(
      tx,
      requisites.map((one) => requisiteRow(app, one)),
      now,
    );
  });
}

function tariffOf(service: Service, terms: Terms, shopId: string) {
  return {
    ...{ shopId, service, currency: "RUB", percentPpm: terms.percentPpm },
    shopPercentPpm: terms.percentPpm - terms.userPercentPpm,
    ...{ userPercentPpm: terms.userPercentPpm, fixMinor: BigInt(terms.fix) },
    ...{ minMinor: BigInt(MIN_SUM), maxMinor: BigInt(MAX_SUM), enabled: terms.enabled },
  };
}

function requisiteRow({ secrets }: App, one: Requisite) {
  const card = sealWallet(secrets, one.id, "card", one.card);
  const phone = one.phone === null ? null : sealWallet(secrets, one.id, "phone", one.phone);
  return {
    ...{ id: one.id, bank: one.bank, currency: "RUB", receiver_name: "Receiver" },
    ...{ card_sealed: card.sealed, card_digest: card.digest },
    ...{ phone_sealed: phone?.sealed ?? null, phone_digest: phone?.digest ?? null },
    ...{ min_minor: 1n, max_minor: 100_000_000n, max_live_payments: one.maxLive },
    ...{ max_day_payments: one.maxDay, max_day_sum_minor: BigInt(one.maxDaySum) },
  };
}
