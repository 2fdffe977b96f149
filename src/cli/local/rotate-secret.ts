// kopeck secret rotate: seals everything anew under another key, in one transaction.

import { recordAudit } from "../../features/operators/doors.ts";
import { handOver, openInstallation } from "../../features/operators/installation.ts";
import { lockInstallation } from "../../features/operators/queries.ts";
import type { App } from "../../platform/app.ts";
import { readConfig, readNewSecretKey } from "../../platform/config.ts";
import { gatewayName, staysServed, type Tx } from "../../platform/db.ts";
import { reseal } from "../../platform/db-sealed.ts";
import { StartFailure } from "../../platform/failure.ts";
import { refuseUnmigrated } from "../../platform/migrate.ts";
import { keyId, openSecrets, type Secrets } from "../../platform/secret.ts";
import type { LocalWork } from "../command.ts";
import { SEALED_COLUMNS } from "./sealed-columns.ts";
import { withApp } from "./with-app.ts";

export const rotateSecret: LocalWork = {
  description: `Seals every card, phone, account, webhook key, message, payout and app for codes of the configured database anew, from KOPECK_SECRET_KEY
(the present key) to KOPECK_NEW_SECRET_KEY, in one transaction. The keys of shops and users, the
tokens of operators and the webhook keys stay as they are. Gateways may run meanwhile if they know
both keys: restart each with KOPECK_NEW_SECRET_KEY beside KOPECK_SECRET_KEY first; afterwards start
them with the new key as KOPECK_SECRET_KEY.

The new key must be in a file, and a copy of it elsewhere, before anything is sealed with it:
without it nothing opens any more.`,
  options: [],
  // Run once more, it must not write another key over the one that everything is sealed with by then.
  example: `(umask 077; set -C; openssl rand -hex 32 > new-secret-key) &&
  KOPECK_NEW_SECRET_KEY=$(cat new-secret-key) kopeck secret rotate`,
  async run({ env, print }) {
    const { secretKey, mode } = readConfig(env);
    const newKey = readNewSecretKey(env, mode);
    if (newKey.equals(secretKey)) {
      throw new StartFailure("KOPECK_NEW_SECRET_KEY is the present key: it must be another one.");
    }
    const done = await withApp(env, { existing: true }, async (app) => {
      await refuseUnmigrated(app.db);
      const knowing = gatewayName([keyId(newKey)]);
      return app.db.transaction((tx) => rotate(tx, app, openSecrets(newKey), knowing));
    });
    const counts = Object.entries(done.sealed).map(([table, count]) => `${count} in ${table}`);
    print(
      `sealed anew: ${counts.join(", ")}\n${lostApps(done.lost)}` +
        "Start the gateways with the new key alone, as KOPECK_SECRET_KEY. The old one opens the backups of\n" +
        "before, which no other key does, and nothing else: keep a copy of it for as long as you keep them.\n",
    );
    return 0;
  },
};

/** What somebody at the machine would else learn from who cannot sign in. */
function lostApps(count: number): string {
  if (count === 0) return "";
  const who = count === 1 ? "1 person has an app" : `${count} people have apps`;
  return `${who} for codes that a lost key has sealed: a recovery code or a passkey lets them in, or "kopeck person recover".\n`;
}

/** Gateways by that name know the next key, and may go on. */
export async function rotate(
  tx: Tx,
  app: App,
  next: Secrets,
  knowing: string,
): ReturnType<typeof reseal> {
  await lockInstallation(tx);
  if (await staysServed(tx, knowing)) {
    throw new StartFailure(
      "A gateway is using this database and does not know the new key: restart it with KOPECK_NEW_SECRET_KEY, or stop it, then rotate.",
    );
  }
  const present = app.secrets;
  const made = await openInstallation(tx, app);
  if (present.fingerprint("", "").equals(next.fingerprint("", ""))) {
    throw new StartFailure("Everything is sealed with KOPECK_NEW_SECRET_KEY already.");
  }
  // Secrets that were digested are known to nobody here, so the key of their digests must live on.
  next.carryDigestKey(present.digestKey());
  const done = await reseal(tx, SEALED_COLUMNS, present, next);
  await handOver(tx, made, next);
  await recordAudit(tx, app, {
    act: "secret.rotate",
    subject: "installation",
    before: null,
    after: { ...done.sealed, people_lost: done.lost },
  });
  return done;
}
