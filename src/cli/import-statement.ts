// kopeck transfer import: brings a statement to a gateway and waits until it is applied, saying how far it is.

import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { flag, type Input, type LocalWork, UsageFailure } from "./command.ts";
import { findConnection } from "./connection.ts";
import { forPeople, toFailure } from "./door.ts";
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
        "Whose account it is, where the file names none: its id, or the last four digits.",
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

/** What a person has to do about it now. */
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
