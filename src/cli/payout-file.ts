// kopeck payout-batch save and settle: a file of payouts onto this machine's disk, and the bank's answer back. Guards
// that no number is shown, and no look written down, for a file that cannot be kept.

import { accessSync, constants, existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import {
  CommandFailure,
  type Field,
  flag,
  type Input,
  type LocalWork,
  UsageFailure,
} from "./command.ts";
import { findConnection } from "./connection.ts";
import { toFailure } from "./door.ts";
import { printThing } from "./print.ts";
import { callerOf, resolveIds } from "./resolve.ts";

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

function contentOf(file: string): string {
  try {
    return readFileSync(file).toString("base64");
  } catch {
    throw new UsageFailure(`The file ${file} cannot be read.`);
  }
}

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
