// The secrets of users and shops: API keys and webhook keys. A secret leaves this service once, in the
// answer that made it.

import { addSeconds } from "../../domain/moment.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { integer, Type, textOrNull } from "../../platform/field.ts";
import type { Secrets } from "../../platform/secret.ts";
import { holdSecretKey } from "../operators/installation.ts";
import type { KeyOwner, KeyRow } from "./nouns.ts";
import { keyDigest } from "./principal.ts";
import {
  addKeys,
  findWebhookKeys,
  type OwnWebhookKeys,
  type SealedWebhookKeys,
  setWebhookKeys,
  type WebhookKeys,
  webhookKeySeal,
  webhookSecretSeal,
} from "./queries.ts";

function openWebhookKeys(secrets: Secrets, row: SealedWebhookKeys): OwnWebhookKeys {
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
async function issueWebhookKeys(
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

const DEFAULT_OVERLAP_HOURS = 24;
const HOUR_SECONDS = 60 * 60;

const fields = {
  webhook_key: Type.String({
    description: "What x-api-sha256-signature is made with; it is shown only now.",
    examples: ["kop_…"],
  }),
  webhook_secret: Type.String({
    description: "The Standard Webhooks secret; it is shown only now.",
    examples: ["whsec_…"],
  }),
};

/** For somebody who has none yet. */
export const freshWebhookKeys = {
  fields,
  async make(tx: Tx, app: App, ownerId: string) {
    const { key, secret } = await issueWebhookKeys(tx, app, ownerId);
    return { webhook_key: key, webhook_secret: secret };
  },
};

export const rotation = {
  description:
    "Until the overlap ends, webhooks are signed with the old keys, too, and only a rotation with overlap_hours 0 is taken, which ends all older keys at once.",
  input: {
    overlap_hours: Type.Optional(
      integer(
        { min: 0, max: 168 },
        { description: "How long the old ones sign, too; 24, and 0 ends them at once." },
      ),
    ),
  },
  data: Type.Object({
    ...fields,
    old_until: textOrNull({ description: "Until when the old ones sign, too, or null." }),
  }),
  /** Whoever calls has locked the owner, so that two rotations at once follow each other. */
  async make(tx: Tx, app: App, ownerId: string, hours = DEFAULT_OVERLAP_HOURS) {
    const now = app.clock.now();
    const present = await findWebhookKeys(tx, ownerId);
    const overlap = present?.old_until ?? now;
    if (hours > 0 && overlap > now) {
      throw new Refusal("webhook_keys_rotating", { until: overlap.toISOString() });
    }
    const hasOld = hours > 0 && present !== undefined;
    const until = hasOld ? addSeconds(now, hours * HOUR_SECONDS) : undefined;
    const { key, secret } = await issueWebhookKeys(tx, app, ownerId, until);
    const after = { old_until: until?.toISOString() ?? null };
    const data = { webhook_key: key, webhook_secret: secret, ...after };
    return { data, subject: ownerId, before: null, after };
  },
};
