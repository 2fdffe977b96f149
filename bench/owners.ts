// Users, shops with a key each, and requisites, as many as are asked for: who a benchmark's rows belong to.

import { openBalances } from "../src/features/ledger/queries.ts";
import { keyDigest } from "../src/features/merchants/principal.ts";
import { addKeys, addShops, addUsers } from "../src/features/merchants/queries.ts";
import { addRequisites } from "../src/features/requisites/queries.ts";
import { sealWallets } from "../src/features/requisites/wallet.ts";
import type { App } from "../src/platform/app.ts";
import type { Tx } from "../src/platform/db.ts";

export const CURRENCY = "RUB";

interface Owners {
  readonly userIds: readonly string[];
  /** Of the users in turns. */
  readonly shopIds: readonly string[];
  readonly shopKey: string;
  readonly requisites: readonly {
    readonly id: string;
    readonly bank: string;
    readonly card: string;
    readonly phone: string;
  }[];
  readonly at: Date;
}

export async function addOwners(tx: Tx, { secrets, newId }: App, owners: Owners): Promise<void> {
  const { userIds, shopIds, shopKey, requisites, at } = owners;
  await addUsers(
    tx,
    userIds.map((id, index) => ({ id, name: `User ${index}` })),
    at,
  );
  const shops = shopIds.map((id, index) => ({
    id,
    user_id: userIds[index % userIds.length] ?? "",
    name: `Shop ${index}`,
    h2h_enabled: true,
    success_url: null,
    fail_url: null,
    hook_url: null,
  }));
  await addShops(tx, shops, at);
  const keys = shopIds.map((id) => {
    return { id: newId(), shop_id: id, user_id: null, digest: keyDigest(secrets, id, shopKey) };
  });
  await addKeys(tx, keys, at);
  await openBalances(tx, userIds, CURRENCY);
  const rows = requisites.map(({ id, bank, ...numbers }, index) => {
    return {
      id,
      bank,
      currency: CURRENCY,
      receiver_name: `Receiver ${index}`,
      numbers: sealWallets(secrets, id, { ...numbers, account: null }),
      min_minor: 1n,
      max_minor: 100_000_000n,
      max_live_payments: 1_000_000,
      max_day_payments: 100_000_000,
      max_day_sum_minor: 1_000_000_000_000_000n,
    };
  });
  await addRequisites(tx, rows, at);
}
