// kopeck init: the first operator of a live gateway. Whoever has the database and its secret key may
// make one; the token is printed once, and kept for commands on this machine.

import { prepareInstallation } from "../features/merchants/installation.ts";
import { recordAudit } from "../features/operators/doors.ts";
import { issueToken } from "../features/operators/manage-operators.endpoint.ts";
import { lockChangers } from "../features/operators/queries.ts";
import type { App } from "../platform/app.ts";
import { leaveFile } from "../platform/data-dir.ts";
import { StartFailure } from "../platform/failure.ts";
import { migrate } from "../platform/migrate.ts";
import { type Command, readOptions } from "./verb.ts";
import { withApp } from "./with-app.ts";

export const init: Command = {
  help: `Usage: kopeck init [--name NAME] [--again] [--no-save]

Brings the database to this version's tables and makes the first operator, whose token is printed
once. It is also kept in KOPECK_DATA_DIR/operator-token, readable by this user alone, where commands
on this machine find it.

  --name NAME   whose token it is; "first operator" when left out
  --again       make one more, for when all tokens are lost
  --no-save     print the token only

  KOPECK_MODE=live DATABASE_URL=postgresql://kopeck@localhost/kopeck kopeck init --name Anna
`,
  async run(call) {
    const options = readOptions("init", call, {
      name: { type: "string" },
      again: { type: "boolean" },
      "no-save": { type: "boolean" },
    });
    const name = options.name || "first operator";
    if (name.length > 100 || /\p{Cc}/u.test(name)) {
      throw new StartFailure("--name must be one line of at most 100 characters.");
    }
    await withApp(call, { existing: false }, async (app) => {
      if (app.config.mode !== "live") {
        throw new StartFailure(
          "The sandbox has its operator already (sandbox_operator_token). Set KOPECK_MODE=live.",
        );
      }
      await migrate(app);
      const token = await makeOperator(app, name, options.again === true);
      call.print(`operator  ${name}\ntoken     ${token}   (shown only now)\n`);
      if (options["no-save"] === true) return;
      call.print(`kept in   ${leaveFile(app.config.dataDir, "operator-token", `${token}\n`)}\n`);
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
