// kopeck person recover: a link for somebody who has lost every way in, where nobody at the desk can make one.
// Whoever has the database and its secret key may; the log says that it was made here.

import { recordAudit } from "../../features/operators/doors.ts";
import { LINK_SECONDS, makeLink } from "../../features/people/link.ts";
import { findByEmail } from "../../features/people/queries.ts";
import { StartFailure } from "../../platform/failure.ts";
import { refuseUnmigrated } from "../../platform/migrate.ts";
import type { LocalWork } from "../command.ts";
import { withApp } from "./with-app.ts";

export const recover: LocalWork = {
  description: `Prints a link by which a person makes a new passkey or password. It opens once, within an hour; then
their passkeys, password, codes and sessions of before open nothing any more.`,
  places: [
    { name: "email", kind: "string", description: "What they sign in with.", required: true },
  ],
  options: [],
  example: "kopeck person recover anna@example.com",
  async run({ input, env, print }) {
    const email = String(input["email"]).trim().toLowerCase();
    await withApp(env, { existing: true }, async (app) => {
      await refuseUnmigrated(app.db);
      const made = await app.db.transaction(async (tx) => {
        const person = await findByEmail(tx, email, "locked");
        if (person === undefined) throw new StartFailure("Nobody signs in with this address.");
        if (person.disabled_at !== null) {
          throw new StartFailure(
            'This person is kept out: "kopeck person change" with --no-disabled lets them in again.',
          );
        }
        const wish = { seconds: LINK_SECONDS.recover, resets: true, madeBy: "command line" };
        const link = await makeLink(tx, app, person, wish);
        const after = { ends_at: link.ends_at, resets: true };
        await recordAudit(tx, app, { act: "person.link", subject: person.id, before: null, after });
        return { ...link, name: person.name };
      });
      print(`person    ${made.name}\nlink      ${made.link}   (shown only now)\n`);
      print(`good      once, until ${made.ends_at}\n`);
    });
    return 0;
  },
};
