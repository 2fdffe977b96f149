// What a database was made for. Guards that the sandbox's known keys never enter a live database, and
// that a database is not opened with another secret key than its secrets were made with.

import type { App } from "../../platform/app.ts";
import type { Queryable, Tx } from "../../platform/db.ts";
import { StartFailure } from "../../platform/failure.ts";
import type { Secrets } from "../../platform/secret.ts";
import {
  addInstallation,
  findInstallation,
  holdInstallation,
  type InstallationRow,
  setSecret,
} from "./queries.ts";

type Parts = Pick<App, "secrets" | "clock">;

/** At a start: the first one decides what the database is for. */
export async function prepareInstallation(tx: Tx, app: App): Promise<void> {
  const { config, secrets, clock } = app;
  await addInstallation(tx, config.mode, secretCheck(secrets, config.mode), clock.now());
  const made = await findInstallation(tx);
  if (made?.mode !== config.mode) {
    throw new StartFailure(
      made?.mode === "sandbox"
        ? "This database holds the sandbox's cast, whose keys everybody knows: live mode refuses it."
        : "This database was made in live mode: the sandbox refuses to write its known keys into it.",
    );
  }
  enter(made, app);
}

/** For whoever works on a database without running it, whatever its mode. */
export async function openInstallation(db: Queryable, parts: Parts): Promise<InstallationRow> {
  const made = await findInstallation(db);
  if (made === undefined) {
    throw new StartFailure("There is no installation in this database yet: start Kopeck once.");
  }
  enter(made, parts);
  return made;
}

function enter(made: InstallationRow, { secrets, clock }: Parts): void {
  turnToKey(made, secrets);
  clock.setOffset(Number(made.clock_offset_seconds));
}

function turnToKey(
  { mode, secret_check, digest_key_sealed: sealed }: InstallationRow,
  secrets: Secrets,
) {
  if (!secrets.turnTo(INSTALLATION, mode, secret_check)) {
    throw new StartFailure("This database was made with another KOPECK_SECRET_KEY.");
  }
  if (sealed === null) return;
  secrets.carryDigestKey(Buffer.from(secrets.open(DIGEST_KEY, sealed), "hex"));
}

/**
 * Before anything is sealed: by the key that the database has now, which a rotation may have changed a
 * moment ago and cannot change until the transaction ends.
 */
export async function holdSecretKey(tx: Tx, { secrets }: Pick<App, "secrets">): Promise<void> {
  turnToKey(await holdInstallation(tx), secrets);
}

/** The next key opens this database from now on, and brings the key of the digests along. */
export async function handOver(tx: Tx, made: InstallationRow, next: Secrets): Promise<void> {
  const sealed = next.seal(DIGEST_KEY, next.digestKey().toString("hex"));
  await setSecret(tx, secretCheck(next, made.mode), sealed);
}

const DIGEST_KEY = "installation digest key";

const INSTALLATION = "installation";

function secretCheck(secrets: Secrets, mode: string): Buffer {
  return secrets.fingerprint(INSTALLATION, mode);
}
