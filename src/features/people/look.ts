// An operator looks at a merchant's cabinet as its people see it. Guards that each look stands in the audit log,
// which the merchant reads, too, and that it ends by itself. What is seen and refused meanwhile: merchants/member.ts.

import { addSeconds } from "../../domain/moment.ts";
import type { App } from "../../platform/app.ts";
import { recordAudit } from "../operators/doors.ts";
import type { Operator } from "../operators/operator.ts";
import type { SessionRow } from "./nouns.ts";
import { lookFrom } from "./session-queries.ts";

const LOOK_SECONDS = 60 * 60;

/** One merchant at a time: whoever looks at another one looks at the first no more. */
export async function startLook(
  app: App,
  { id }: Pick<SessionRow, "id">,
  operator: Operator,
  userId: string,
): Promise<void> {
  const until = addSeconds(app.clock.now(), LOOK_SECONDS);
  await app.db.transaction(async (tx) => {
    await lookFrom(tx, id, userId, until);
    const what = { act: "user.look", subject: userId, before: null, after: { ends_at: until } };
    await recordAudit(tx, app, { operator, userId, ...what });
  });
}
