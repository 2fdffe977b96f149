// kopeck init and kopeck person recover: the first operator, and links for people without a way in.

import { recordAudit } from "../../features/operators/doors.ts";
import { prepareInstallation } from "../../features/operators/installation.ts";
import { issueToken } from "../../features/operators/manage-operators.endpoint.ts";
import { lockChangers } from "../../features/operators/queries.ts";
import { invite, LINK_SECONDS, makeLink } from "../../features/people/link.ts";
import { type NewcomerWish, personWith, setDeskRole } from "../../features/people/person.ts";
import { findByEmail } from "../../features/people/queries.ts";
import type { App } from "../../platform/app.ts";
import { leaveFile, tryDataDir } from "../../platform/data-dir.ts";
import type { Tx } from "../../platform/db.ts";
import { type Language, StartFailure } from "../../platform/failure.ts";
import { migrate, refuseUnmigrated } from "../../platform/migrate.ts";
import { flag, type LocalWork, UsageFailure } from "../command.ts";
import { withApp } from "./with-app.ts";

const LANGUAGES = ["en", "ru"] as const;
const MADE_BY = "command line";

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
    {
      name: "email",
      kind: "string",
      description:
        "Makes the first person of the desk as well, of the same name, and prints a link by which they sign in: once, within 15 minutes. Who signs in for a merchant already accepts by it.",
    },
    {
      name: "language",
      kind: "string",
      choices: LANGUAGES,
      description: "What pages and letters speak to that person; en when left out.",
    },
    flag("again", "Make one more, for when all tokens are lost."),
    flag("save", "Keep the token in the data directory; --no-save prints it only."),
  ],
  example:
    "KOPECK_MODE=live DATABASE_URL=postgresql://kopeck@localhost/kopeck kopeck init --name Anna",
  async run({ input, env, print }) {
    const { name: given = "first operator", email, again = false, save = true } = input;
    const language = LANGUAGES.find((one) => one === (input["language"] ?? "en"));
    const name = String(given);
    if (name.length > 100 || /\p{Cc}/u.test(name)) {
      throw new UsageFailure("--name must be one line of at most 100 characters.");
    }
    if (email !== undefined && !/^[^\s@]+@[^\s@]+$/.test(String(email))) {
      throw new UsageFailure("--email must be an e-mail address.");
    }
    if (language === undefined) throw new UsageFailure("--language must be en or ru.");
    await withApp(env, { existing: false }, async (app) => {
      if (app.config.mode !== "live") {
        throw new StartFailure(
          "The sandbox has its operator already (sandbox_operator_token). Set KOPECK_MODE=live.",
        );
      }
      if (save !== false) refuseDataDir(app.config.dataDir);
      await migrate(app);
      const wish = { name, language, ...(email === undefined ? {} : { email: String(email) }) };
      const { token, wayIn = "" } = await makeOperator(app, wish, again === true);
      print(`operator  ${name}\ntoken     ${token}   (shown only now)\n${wayIn}`);
      if (save === false) return;
      print(`kept in   ${leaveFile(app.config.dataDir, "operator-token", `${token}\n`)}\n`);
    });
    return 0;
  },
};

/** A token that is lost after its operator was made takes another operator. */
function refuseDataDir(dataDir: string): void {
  try {
    tryDataDir(dataDir);
  } catch (error) {
    throw new StartFailure(
      `The token cannot be kept in KOPECK_DATA_DIR ${dataDir}: ${String(error)}. Choose another, or say --no-save.`,
    );
  }
}

interface First {
  readonly name: string;
  readonly language: Language;
  readonly email?: string;
}

async function makeOperator(
  app: App,
  { name, email, language }: First,
  again: boolean,
): Promise<{ token: string; wayIn: string | undefined }> {
  return app.db.transaction(async (tx) => {
    await prepareInstallation(tx, app);
    const living = await lockChangers(tx, app.clock.now());
    if (living.length > 0 && !again) {
      throw new StartFailure('There is an operator already; "kopeck init --again" makes one more.');
    }
    const { row, token } = await issueToken(tx, app, { name, role: "operator" });
    const after = { operator_id: row.id, name, role: row.role };
    await recordAudit(tx, app, { act: "operator.create", subject: row.id, before: null, after });
    const wayIn = email && (await firstPerson(tx, app, { name, email, language }));
    return { token, wayIn };
  });
}

/**
 * There is no page where a stranger could become the first one: the link is printed here alone. Whoever is known
 * by this address and is not of the desk was invited by a merchant, and may be anybody: they have to accept.
 */
async function firstPerson(tx: Tx, app: App, wish: NewcomerWish): Promise<string> {
  const { person, isNew } = await personWith(tx, app, wish);
  const { id: subject, email } = person;
  if (person.disabled_at !== null) throw new StartFailure("This person is kept out.");
  const audit = { act: "person.invite", subject, before: null };
  if (!isNew && person.desk_role === null) {
    const asked = { userId: null, role: "operator", madeBy: MADE_BY };
    const { link } = await invite(tx, app, person, asked);
    await recordAudit(tx, app, { ...audit, after: { email, invited_as: asked.role } });
    return `accept    ${link}   (once, within three days, signed in)
          ${email} signs in here already, for a merchant, and is no operator before that.
          Not they, or no way in? First: kopeck person recover ${email}
`;
  }
  const next = await setDeskRole(tx, app, person, "operator");
  const made = { seconds: LINK_SECONDS.first, resets: false, madeBy: MADE_BY };
  const { link } = await makeLink(tx, app, next, made);
  await recordAudit(tx, app, { ...audit, after: { email, desk_role: next.desk_role } });
  return `sign in   ${link}   (once, within 15 minutes)\n`;
}

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
