// What a door says that makes webhook keys, for a shop or a user alike: they are shown once, and in a rotation
// the old ones sign beside the new ones for a while. Guards that no rotation ends what another has promised.

import { addSeconds } from "../../domain/moment.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { integer, Type, textOrNull } from "../../platform/field.ts";
import { findWebhookKeys } from "./key-queries.ts";
import { issueWebhookKeys } from "./keys.ts";

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
