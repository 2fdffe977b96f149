// Commands for files of a bank: statements in, payout files out, and the bank's answers in.

import { accessSync, constants, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  CommandFailure,
  type Field,
  flag,
  type Input,
  type LocalWork,
  UsageFailure,
} from "./command.ts";
import { findConnection, forPeople, toFailure } from "./door.ts";
import { printThing } from "./print.ts";
import { type Caller, callerOf, resolveIds } from "./resolve.ts";

const LOOK_EVERY_MS = 300;

/** What the gateway takes; a file that is larger is not even read. */
const MOST_BYTES = 8 * 1024 * 1024;

export const importStatement: LocalWork = {
  description: `Brings a file of a bank to the gateway: 1CClientBankExchange, CSV of Т-Банк, Альфа-Банк
or Райффайзен, CAMT.053, MT940, or a CSV of your own with a profile. A file that is cut, does not
add up or is of a foreign account is refused whole, with the row and the reason. The same file
again, or one that overlaps with another, brings nothing twice. --dry-run says what would become
of it.`,
  places: [{ name: "file", kind: "string", description: "The statement.", required: true }],
  options: [
    {
      name: "requisite_id",
      kind: "string",
      description:
        "The requisite of the account, if the file names none: its id or its last four digits.",
    },
    {
      name: "profile",
      kind: "string",
      description: "A JSON file that says how the columns of your own CSV are called.",
    },
    flag("dry_run", "Say what would become of it, and change nothing."),
    flag("json", "The gateway's answer as JSON."),
  ],
  example: "kopeck transfer import kl_to_1c.txt --dry-run",
  async run({ input, env, print }) {
    const { file, profile, dry_run, json, ...fields } = input;
    const connection = findConnection(env);
    const client = callerOf(connection);
    try {
      const brought = await client.post("/manage/imports", {
        ...(await resolveIds(client, fields)),
        filename: basename(String(file)),
        content: contentOf(String(file)),
        ...(profile === undefined ? {} : { profile: profileIn(String(profile)) }),
        ...(dry_run === true ? { dry_run: true } : {}),
      });
      const answer = (brought["dry_run"] as Input | undefined) ?? (await follow(client, brought));
      if (brought["fresh"] === false && json !== true) {
        print("This file was brought before: nothing was done. What became of it then:\n\n");
      }
      if (json === true) print(`${JSON.stringify(answer, null, 2)}\n`);
      else {
        const shown = await forPeople(client, { call: "GET /manage/imports/{import_id}" }, answer);
        print(shown + nextSteps(answer));
      }
    } catch (error) {
      throw toFailure(error, connection.url, connection.tokenFrom);
    }
    return 0;
  },
};

function contentOf(file: string): string {
  try {
    if (statSync(file).size <= MOST_BYTES) return readFileSync(file).toString("base64");
  } catch {
    throw new UsageFailure(`The file ${file} cannot be read.`);
  }
  throw new UsageFailure(`The file ${file} is larger than 8 MiB. Take a shorter period.`);
}

function profileIn(file: string): unknown {
  try {
    // Without what some editors write before the first letter.
    return JSON.parse(new TextDecoder().decode(readFileSync(file)));
  } catch {
    throw new UsageFailure(`The profile ${file} cannot be read, or is no JSON.`);
  }
}

async function follow(client: Caller, brought: Input): Promise<Input> {
  const path = "/manage/imports/{import_id}";
  let said = "";
  for (let one = brought; ; ) {
    if (one["applied_at"] !== null) return one;
    const progress = `${one["done_lines"]} of ${one["lines"]} lines`;
    if (progress !== said && said !== "") process.stderr.write(`${progress}\n`);
    said = progress;
    await sleep(LOOK_EVERY_MS);
    one = await client.get(path, { import_id: brought["import_id"] });
  }
}

function nextSteps({ lines, waiting, missing, booked, suspense }: Input): string {
  const steps = [
    Number(waiting) + Number(missing) > 0
      ? "\nLines wait for your decision: kopeck line list --waiting\n"
      : "",
    Number(suspense) > 0 ? "\nMoney that nobody expects would wait in suspense.\n" : "",
    suspense === undefined && Number(booked) > 0
      ? "\nWhat of it waits for somebody to say whose it is: kopeck suspense list\n"
      : "",
    Number(lines) === 0 ? "\nThe file has no lines of booked money.\n" : "",
  ];
  return steps.join("");
}

const batch: Field = {
  name: "batch_id",
  kind: "string",
  required: true,
  description: "The file: its id, or the end of it.",
};

const NOT_FOR_BANK = "not-for-bank";

export const saveBatch: LocalWork = {
  description: `Writes a file of payouts to the disk, for the bank's client: with whole numbers, readable by
you alone. The same bytes whenever it is asked for. The audit log keeps that you looked. Refused once
a payout of it is not to be sent by it any more: the bank would pay it twice.`,
  places: [batch],
  options: [
    { name: "out", kind: "string", description: "Where to; by its own name, here, without." },
    flag(
      "not_for_bank",
      `To look at it, even where payouts of it are not to be sent by it any more; a name that you give has ${NOT_FOR_BANK} in it.`,
    ),
  ],
  example: "kopeck payout-batch save 1a2b3c4d5e6f --out payouts.csv",
  async run({ input: { batch_id, out, not_for_bank }, env, print }) {
    const path = "/manage/payout-batches/{batch_id}/file";
    const isLook = not_for_bank === true;
    const named = out === undefined ? undefined : String(out);
    if (isLook && named !== undefined && !basename(named).includes(NOT_FOR_BANK)) {
      throw new UsageFailure(
        `The name of a file to look at has ${NOT_FOR_BANK} in it: by another one it is taken for the bank's.`,
      );
    }
    const wish = isLook ? { batch_id, not_for_bank } : { batch_id };
    const answer = await call(env, path, wish, ({ batch_id: id }) => {
      for (const one of named === undefined ? namesOf(String(id), isLook) : [named])
        refuseKept(one);
    });
    const file = named ?? String(answer["filename"]);
    try {
      // What is there already is not written over.
      const bytes = Buffer.from(String(answer["content"]), "base64");
      writeFileSync(file, bytes, { mode: 0o600, flag: "wx" });
    } catch {
      throw new CommandFailure(`The file ${file} is there already, or cannot be written.`, 1);
    }
    print(`${file}\nsha256 ${answer["sha256"]}\n`);
    return 0;
  },
};

/** Whatever the gateway may call it. */
function namesOf(batchId: string, isLook: boolean): string[] {
  const name = `payouts-${batchId.slice(-12).toLowerCase()}`;
  const names = isLook ? [name, `${name}-${NOT_FOR_BANK}`] : [name];
  return names.flatMap((one) => [`${one}.csv`, `${one}.txt`]);
}

function refuseKept(file: string): void {
  if (existsSync(file)) {
    // Who finds it there would take it for good, and it may be of another day.
    const way = "Whether the bank may be given it, a fresh one says: name another by --out.";
    throw new CommandFailure(`The file ${file} is there already. ${way}`, 1);
  }
  try {
    accessSync(dirname(file), constants.W_OK);
  } catch {
    throw new CommandFailure(`The file ${file} cannot be written.`, 1);
  }
}

export const settleBatch: LocalWork = {
  description: `Brings what the bank has answered to a file of payouts: a CSV with semicolons, a row for each
payout, number;state;reference;reason. The number is the one in the file; the state is sent (with the
bank's reference), not_sent or retry (with a reason). A row that cannot be refuses the whole file by
its row. Rows may come in several files, and the same again changes nothing.`,
  places: [
    batch,
    { name: "file", kind: "string", description: "The bank's answer.", required: true },
  ],
  options: [flag("json", "The gateway's answer as JSON.")],
  example: "kopeck payout-batch settle 1a2b3c4d5e6f answer.csv",
  async run({ input: { batch_id, file, json }, env, print }) {
    const content = contentOf(String(file));
    const answer = await call(env, "/manage/payout-batches/{batch_id}/results", {
      batch_id,
      content,
    });
    print(json === true ? `${JSON.stringify(answer, null, 2)}\n` : printThing(answer, "UTC"));
    return 0;
  },
};

async function call(
  env: Readonly<Record<string, string | undefined>>,
  path: string,
  input: Input,
  check: (resolved: Input) => void = () => undefined,
): Promise<Input> {
  const connection = findConnection(env);
  const client = callerOf(connection);
  try {
    const resolved = await resolveIds(client, input);
    check(resolved);
    return await client.post(path, resolved);
  } catch (error) {
    throw toFailure(error, connection.url, connection.tokenFrom);
  }
}
