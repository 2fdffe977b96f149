// Making secrets for users and shops. Guards that a secret is known to its owner alone: it leaves this
// service once, in the answer that made it.

import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { holdSecretKey } from "../operators/installation.ts";
import { addKeys, findWebhookKeys, setWebhookKeys, type WebhookKeys } from "./key-queries.ts";
import type { KeyOwner, KeyRow } from "./nouns.ts";
import { keyDigest } from "./principal.ts";
import { openWebhookKeys } from "./webhook-keys.ts";

/** Clients of this family of API expect exactly 40 hexadecimal characters of a user. */
const USER_SECRET_BYTES = 20;

export async function issueKey(
  tx: Tx,
  { newId, secrets, clock }: App,
  { shop_id, user_id }: KeyOwner,
): Promise<{ row: KeyRow; secret: string }> {
  const ownerId = shop_id ?? user_id ?? "";
  const secret = shop_id === null ? secrets.freshHex(USER_SECRET_BYTES) : secrets.fresh("key_");
  const digest = keyDigest(secrets, ownerId, secret);
  const id = newId();
  const row = { id, shop_id, user_id, created_at: clock.now(), ends_at: null };
  await addKeys(tx, [{ ...row, digest }], row.created_at);
  return { row, secret };
}

/** For a shop or a user. Until the given moment those of before sign, too; without one they are gone at once. */
export async function issueWebhookKeys(
  tx: Tx,
  app: App,
  ownerId: string,
  oldUntil?: Date,
): Promise<WebhookKeys> {
  const key = app.secrets.fresh("hook_");
  const secret = app.secrets.freshBase64("whsec_");
  await holdSecretKey(tx, app);
  const sealed = oldUntil && (await findWebhookKeys(tx, ownerId));
  const old = sealed && { ...openWebhookKeys(app.secrets, sealed), until: oldUntil };
  await setWebhookKeys(tx, app, [{ ownerId, key, secret, old }]);
  return { key, secret };
}
