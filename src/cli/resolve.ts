// Finds ids by an order, a name, four digits or the id's end. Several matches are listed, not guessed.

import { managementClient } from "../../sdk/src/index.ts";
import { type Input, UsageFailure } from "./command.ts";
import type { Connection } from "./door.ts";
import { isPage } from "./manual.ts";
import { money, oneLine } from "./print.ts";

/** The client without its types: here the path is typed by hand, not by the compiler. */
export interface Caller {
  readonly root: Connection["root"];
  get(path: string, input: Input): Promise<Input>;
  post(path: string, input: Input): Promise<Input>;
  items(path: string, input: Input): AsyncIterable<Input>;
}

export function callerOf({ url, token, root }: Connection): Caller {
  const client = managementClient({ baseUrl: url, token });
  return { ...(client as unknown as Omit<Caller, "root">), root };
}

interface List {
  readonly path: string;
  readonly only?: Input;
  /** What else than the id finds one: asked for, or a field of the row that is the same. */
  readonly by?: (typed: string) => Input;
  readonly same?: string;
  /** The same, for who has typed something else. */
  readonly words?: string;
  readonly mayBeWhole?: true;
}

const BY_ORDER = { by: (order_id: string) => ({ order_id }), words: "its order id" };
const BY_NAME = { same: "name", words: "its name" };

/** Where, under the root, the things are that an id names. */
const LISTS: Readonly<Record<string, List>> = {
  invoice_id: { path: "/invoices", ...BY_ORDER },
  payment_id: { path: "/payments", ...BY_ORDER },
  requisite_id: {
    path: "/requisites",
    by: (typed) => ({ wallet: /^\d{4}$/.test(typed) ? typed : undefined }),
    words: "the last four digits of its card or phone",
  },
  transfer_id: { path: "/transfers", only: { state: "suspense" } },
  payout_id: { path: "/payouts", ...BY_ORDER },
  batch_id: { path: "/payout-batches" },
  import_id: { path: "/imports" },
  line_id: { path: "/lines" },
  shop_id: { path: "/shops", ...BY_NAME },
  user_id: { path: "/users", ...BY_NAME },
  operator_id: { path: "/operators", ...BY_NAME },
  key_id: { path: "/keys" },
  token_id: { path: "/tokens", ...BY_NAME },
  person_id: { path: "/people", same: "email", words: "their e-mail address" },
  source_id: { path: "/sources" },
  event_id: { path: "/events" },
  // These are no UUIDs: one that nothing is found by may be whole.
  account_id: { path: "/accounts", mayBeWhole: true },
};

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const END_OF_UUID = /^[0-9a-f-]{4,36}$/i;
/** So many of the newest are looked through for an end; where there are more, it has to be longer. */
const MOST_LOOKED_AT = 1_000;
const LONG_END = 8;

export async function resolveIds(client: Caller, input: Input): Promise<Input> {
  const ids: Record<string, unknown> = {};
  for (const [name, typed] of Object.entries(input)) {
    if (!(name in LISTS) || typeof typed !== "string" || UUID.test(typed)) continue;
    const found = await findThings(client, name, typed);
    if (found.length > 1) {
      const lines = found.map((row) => `\n        ${row[name]}  ${wordsOf(row)}`);
      throw new UsageFailure(`"${typed}" may be any of these:${lines.join("")}`);
    }
    const [only] = found;
    if (only === undefined && !LISTS[name]?.mayBeWhole) {
      const { words } = LISTS[name] ?? {};
      const way = words === undefined ? "" : `${words}, or `;
      throw new UsageFailure(
        `There is no ${name.replace(/_id$/, "")} that "${oneLine(typed)}" would tell. Say ${way}its id or the end of it, four characters or more.`,
      );
    }
    ids[name] = only?.[name] ?? typed;
  }
  return { ...input, ...ids };
}

async function findThings(client: Caller, name: string, typed: string): Promise<Input[]> {
  const { only } = LISTS[name] ?? {};
  const first = only === undefined ? [] : await findAmong(client, name, typed, only);
  return first.length > 0 ? first : findAmong(client, name, typed, {});
}

async function findAmong(
  client: Caller,
  name: string,
  typed: string,
  only: Input,
): Promise<Input[]> {
  const { path: place = "", by = () => ({}), same = "" } = LISTS[name] ?? {};
  const path = client.root + place;
  const sought = Object.entries(by(typed)).filter(([, value]) => value !== undefined);
  if (sought.length > 0) {
    const { items } = await client.get(path, { ...only, ...Object.fromEntries(sought) });
    if ((items as Input[]).length > 0) return items as Input[];
  }
  const isEnd = END_OF_UUID.test(typed);
  if (!isEnd && same === "") return [];
  const wanted = typed.toLowerCase();
  const found: Input[] = [];
  let seen = 0;
  const rows = isPage(`GET ${path}`)
    ? client.items(path, { ...only, limit: 200 })
    : ((await client.get(path, only))["items"] as Input[]);
  for await (const row of rows) {
    const isIt = isEnd && String(row[name]).endsWith(wanted);
    if (isIt || String(row[same] ?? "").toLowerCase() === wanted) found.push(row);
    seen += 1;
    if (seen < MOST_LOOKED_AT) continue;
    if (found.length > 0 && !(isEnd && typed.length >= LONG_END)) {
      throw new UsageFailure(
        `There are too many to tell one by "${typed}": type ${LONG_END} characters or more of its id's end.`,
      );
    }
    break;
  }
  return found;
}

/** What is about to be done, line by line: each thing with what one knows it by. */
export async function describe(client: Caller, input: Input): Promise<string> {
  const lines = [];
  for (const [name, value] of Object.entries(input)) {
    const row = await findOne(client, name, String(value));
    const words = row === undefined ? "" : `  ${wordsOf(row)}`;
    const shown = typeof value === "number" ? money(value) : String(value);
    if (!Array.isArray(value)) lines.push(`${name.replaceAll("_", "-")}: ${shown}${words}\n`);
  }
  return lines.join("");
}

/** What is shown by itself is found however old it is. */
const SHOWN: Readonly<Record<string, string>> = {
  invoice_id: "/invoices/{invoice_id}",
  shop_id: "/shops/{shop_id}",
  requisite_id: "/requisites/{requisite_id}",
  payout_id: "/payouts/{payout_id}",
};

async function findOne(client: Caller, name: string, id: string): Promise<Input | undefined> {
  if (!(name in LISTS) || !UUID.test(id)) return undefined;
  const path = SHOWN[name];
  if (path === undefined) return (await findThings(client, name, id))[0];
  const shown = await client.get(client.root + path, { [name]: id });
  return ((shown["invoice"] ?? shown["payout"]) as Input | undefined) ?? shown;
}

function wordsOf(row: Input): string {
  const amount = row["amount"] ?? row["to_pay"];
  const sum = typeof amount === "number" ? `${money(amount)} ${row["currency"] ?? ""}` : undefined;
  const words = [
    "name",
    "email",
    "order_id",
    "wallet",
    "reference",
    "kind",
    "bank",
    "card",
    "receiver_name",
    "state",
  ];
  return oneLine([...words.map((name) => row[name]), sum].filter(Boolean).join(", ").trimEnd());
}
