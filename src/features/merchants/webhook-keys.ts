// What webhooks are signed with, opened and sealed. Guards that a key is bound to its owner, a shop
// or a user, and to its use.

import type { Secrets } from "../../platform/secret.ts";
import {
  type OwnWebhookKeys,
  type SealedWebhookKeys,
  type WebhookKeys,
  webhookKeySeal,
  webhookSecretSeal,
} from "./key-queries.ts";

export function openWebhookKeys(secrets: Secrets, row: SealedWebhookKeys): OwnWebhookKeys {
  const { owner_id: ownerId, old_key_sealed: key, old_secret_sealed: secret, old_until } = row;
  const hasOld = key !== null && secret !== null && old_until !== null;
  return {
    ownerId,
    ...openPair(secrets, ownerId, row.key_sealed, row.secret_sealed),
    old: hasOld ? { ...openPair(secrets, ownerId, key, secret), until: old_until } : undefined,
  };
}

export function openPair(
  secrets: Secrets,
  ownerId: string,
  key: Buffer,
  secret: Buffer,
): WebhookKeys {
  return {
    key: secrets.open(webhookKeySeal(ownerId), key),
    secret: secrets.open(webhookSecretSeal(ownerId), secret),
  };
}
