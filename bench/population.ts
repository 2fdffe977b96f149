// Who the benchmark's load comes from and goes to: a thousand users with a shop each, and a thousand
// requisites, half of each bank. Ids and secrets are the same in every run, so that whoever makes
// requests need not be told them.

import { keyDigest } from "../src/features/merchants/principal.ts";
import { addKeys, setWebhookKeys } from "../src/features/merchants/queries.ts";
import { addTariffs, type NewTariff } from "../src/features/tariffs/queries.ts";
import type { App } from "../src/platform/app.ts";
import type { Tx } from "../src/platform/db.ts";
import type { ShopKey } from "./load.ts";
import { addOwners, CURRENCY } from "./owners.ts";

const COUNT = 1_000;
const KEY = "bench_shop_key";
export const USER_SECRET = "b0b1b2b3b4b5b6b7b8b9b0b1b2b3b4b5b6b7b8b9";

const idOf = (kind: string, index: number): string =>
  `00000000-0000-4000-${kind}-${String(index).padStart(12, "0")}`;
const all = <One>(make: (index: number) => One): One[] =>
  Array.from({ length: COUNT }, (_, index) => make(index));

export const USER_IDS: readonly string[] = all((index) => idOf("9001", index));
export const SHOPS: readonly ShopKey[] = all((index) => ({ id: idOf("9002", index), key: KEY }));

export const REQUISITE_IDS: readonly string[] = all((index) => idOf("9003", index));

/** Has no part in the load: what is stored for it can be told from what the load makes. */
export const QUIET_SHOP_ID = idOf("9004", 0);

export async function populate(tx: Tx, app: App): Promise<void> {
  const { secrets, newId, clock } = app;
  const at = clock.now();
  const shopIds = [...SHOPS.map(({ id }) => id), QUIET_SHOP_ID];
  const requisites = REQUISITE_IDS.map((id, index) => ({
    id,
    bank: index % 2 === 0 ? "sber" : "tinkoff",
    card: `22007001${String(index).padStart(8, "0")}`,
    phone: `+7900${String(index).padStart(7, "0")}`,
  }));
  await addOwners(tx, app, { userIds: USER_IDS, shopIds, shopKey: KEY, requisites, at });
  const userKeys = USER_IDS.map((id) => {
    return { id: newId(), shop_id: null, user_id: id, digest: keyDigest(secrets, id, USER_SECRET) };
  });
  await addKeys(tx, userKeys, at);
  await addTariffs(tx, shopIds.flatMap(tariffsOf));
  const webhookKeys = { key: "bench_webhook_key", secret: "whsec_YmVuY2hfd2ViaG9va19rZXk=" };
  await setWebhookKeys(
    tx,
    app,
    shopIds.map((ownerId) => ({ ownerId, ...webhookKeys })),
  );
}

/** As the sandbox's own shop has them. */
function tariffsOf(shopId: string): NewTariff[] {
  const shared = { shopId, currency: CURRENCY, minMinor: 10_000n, maxMinor: 10_000_000n };
  return [
    {
      ...shared,
      service: "p2p_card",
      percentPpm: 60_000,
      shopPercentPpm: 40_000,
      userPercentPpm: 20_000,
      fixMinor: 0n,
      enabled: true,
    },
    {
      ...shared,
      service: "p2p_sbp",
      percentPpm: 40_000,
      shopPercentPpm: 40_000,
      userPercentPpm: 0,
      fixMinor: 1_000n,
      enabled: true,
    },
    {
      ...shared,
      service: "card",
      percentPpm: 60_000,
      shopPercentPpm: 40_000,
      userPercentPpm: 20_000,
      fixMinor: 0n,
      enabled: false,
    },
  ];
}
