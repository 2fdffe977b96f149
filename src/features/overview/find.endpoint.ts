// GET /manage/find: whatever somebody has in hand (an id, an order, the end of a card, a name) leads to what
// it is of. Guards that a search reads indexes only, whatever is typed.

import { formsOf } from "../../domain/fast-payment.ts";
import { minorFromText, toDecimalText } from "../../domain/money.ts";
import type { App } from "../../platform/app.ts";
import { oneOf, Type, text, uuid } from "../../platform/field.ts";
import { view } from "../operators/doors.ts";
import { referenceOf } from "../payouts/proof.ts";
import { requisitesEndingIn } from "../requisites/wallet.ts";
import {
  FOUND_KINDS,
  type FoundRow,
  foundByBeginning,
  foundByDocument,
  foundById,
  foundByName,
  foundMoney,
  foundRequisites,
  MOST_FOUND,
} from "./search-queries.ts";

/** Also inside a longer text: an address, an account, the key of an attempt. */
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;
/** As files for the bank's client call a payout, with their letter or without it. */
const DOCUMENT = /^K?([0-9a-f]{12})$/i;
/** The end of a card or phone, as "0007", "…0007" or "*0007", and an amount: "0007 1020,37". */
const ENDING = /^[…*.•]*(\d{4})(?:\s+(\d+(?:[.,]\d{1,2})?))?$/u;

export const find = view({
  path: "/manage/find",
  summary: "Find anything",
  description:
    "By any id, a merchant's order, a bank's reference, the last four digits of a card (with an " +
    `amount: what was to be paid there and what arrived), or how a name begins. At most ${MOST_FOUND}.`,
  input: Type.Object({
    q: text({ max: 255 }, { description: "What to look for.", examples: ["order-1"] }),
  }),
  data: Type.Object({
    items: Type.Array(
      Type.Object({
        kind: oneOf(FOUND_KINDS, { description: "What it is.", examples: ["invoice"] }),
        id: uuid({ description: "Its id." }),
        title: Type.String({ description: "What it is called.", examples: ["order-1"] }),
        detail: Type.String({
          description: "In a few words: how it stands, how much.",
          examples: ["paid, 1000.00 RUB"],
        }),
      }),
    ),
  }),
  async read(app, { q }) {
    const rows = await search(app, q.trim());
    const once = new Map(rows.map((row) => [`${row.kind} ${row.id}`, row]));
    return { items: [...once.values()].slice(0, MOST_FOUND).map(wireOf) };
  },
});

/** An id is an id, and nothing else is looked for then. */
async function search(app: App, sought: string): Promise<FoundRow[]> {
  const { db } = app;
  const [id] = UUID.exec(sought) ?? [];
  if (id !== undefined) return foundById(db, id);
  if (sought === "") return [];
  const [, digits, amount] = ENDING.exec(sought) ?? [];
  const [, document] = DOCUMENT.exec(sought) ?? [];
  const names = new Set([sought, ...formsOf(referenceOf(sought))]);
  const parts = await Promise.all([
    ...[...names].map((name) => foundByName(db, name)),
    document === undefined ? [] : foundByDocument(db, document),
    digits === undefined ? [] : byEnding(app, digits, amount),
    foundByBeginning(db, sought),
  ]);
  return parts.flat();
}

async function byEnding(app: App, digits: string, amount: string | undefined): Promise<FoundRow[]> {
  const ids = await requisitesEndingIn(app, digits);
  if (ids.length === 0) return [];
  const minor = amount === undefined ? undefined : minorFromText(amount.replace(",", "."));
  return minor === undefined ? foundRequisites(app.db, ids) : foundMoney(app.db, ids, minor);
}

function wireOf({ kind, id, title, word, amount_minor, currency }: FoundRow) {
  const amount = amount_minor === null ? [] : [toDecimalText(amount_minor), currency ?? ""];
  const detail = [word ?? "", amount.join(" ").trim()].filter((part) => part !== "").join(", ");
  return { kind, id, title, detail };
}
