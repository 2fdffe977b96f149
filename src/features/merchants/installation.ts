// What a database was made for. Guards that the sandbox's known keys never enter a live database, and
// that a database is not opened with another secret key than its secrets were made with.

import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { StartFailure } from "../../platform/failure.ts";
import { sameDigest } from "../../platform/secret.ts";
import { installation } from "./installation-queries.ts";

export async function prepareInstallation(tx: Tx, app: App): Promise<void> {
  const { config, secrets, clock } = app;
  const own = { mode: config.mode, secret_check: secrets.digest("installation", config.mode) };
  const made = await installation(tx, own, clock.now());
  if (made.mode !== config.mode) {
    throw new StartFailure(
      made.mode === "sandbox"
        ? "This database holds the sandbox's cast, whose keys everybody knows: live mode refuses it."
        : "This database was made in live mode: the sandbox refuses to write its known keys into it.",
    );
  }
  if (!sameDigest(made.secret_check, own.secret_check)) {
    throw new StartFailure("This database was made with another KOPECK_SECRET_KEY.");
  }
  clock.setOffset(Number(made.clock_offset_seconds));
}
