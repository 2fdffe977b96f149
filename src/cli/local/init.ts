// kopeck init: the first operator of a live gateway. Whoever has the database and its secret key may
// make one; the token is printed once, and kept for commands on this machine.

import { prepareInstallation } from "../../features/merchants/installation.ts";
import { recordAudit } from "../../features/operators/doors.ts";
import { issueToken } from "../../features/operators/manage-operators.endpoint.ts";
import { lockChangers } from "../../features/operators/queries.ts";
import type { App } from "../../platform/app.ts";
import { leaveFile } from "../../platform/data-dir.ts";
import { StartFailure } from "../../platform/failure.ts";
import { migrate } from "../../platform/migrate.ts";
import { flag, type LocalWork } from "../command.ts";
import { withApp } from "./with-app.ts";

export const init: LocalWork = {
  description: `Brings the database to this version's tables and makes the first operator, whose token is printed
once. It is also kept in KOPECK_DATA_DIR/operator-token, readable by this user alone, where commands
on this machine find it.`,
  options: [
    {
      name: "name",
      kind: "string",
      description: 'Whose token it is; "first operator" when left out.',
    },
    flag("again", "Make one more, for when all tokens are lost."),
    flag("save", "Keep the token in the data directory; --no-save prints it only."),
  ],
  example:
    "KOPECK_MODE=live DATABASE_URL=postgresql://kopeck@localhost/kopeck kopeck init --name Anna",
  async run({ input, env, print }) {
    const { name: given = "first operator", again = false, save = true } = input;
    const name = String(given);
    if (name.length > 100 || /\p{Cc}/u.test(name)) {
      throw new StartFailure("--name must be one line of at most 100 characters.");
    }
    await withApp(env, { existing: false }, async (app) => {
      if (app.config.mode !== "live") {
        throw new StartFailure(
          "The sandbox has its operator already (sandbox_operator_token). Set KOPECK_MODE=live.",
        );
      }
      await migrate(app);
      const token = await makeOperator(app, name, again === true);
      print(`operator  ${name}\ntoken     ${token}   (shown only now)\n`);
      if (save === false) return;
      print(`kept in   ${leaveFile(app.config.dataDir, "operator-token", `${token}\n`)}\n`);
    });
    return 0;
  },
};

async function makeOperator(app: App, name: string, again: boolean): Promise<string> {
  return app.db.transaction(async (tx) => {
    await prepareInstallation(tx, app);
    const living = await lockChangers(tx, app.clock.now());
    if (living.length > 0 && !again) {
      throw new StartFailure('There is an operator already; "kopeck init --again" makes one more.');
    }
    const { row, token } = await issueToken(tx, app, name, "operator", null);
    const after = { operator_id: row.id, name, role: row.role };
    await recordAudit(tx, app, { act: "operator.create", subject: row.id, before: null, after });
    return token;
  });
}
