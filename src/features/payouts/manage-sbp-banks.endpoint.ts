// The directory of banks for payouts by SBP, as users see it and operators replace it.

import { visibleText } from "../../domain/visible-text.ts";
import { hotEndpoint } from "../../platform/endpoint.ts";
import { Type, text, uuid } from "../../platform/field.ts";
import { remembering } from "../../platform/remember.ts";
import { userGate } from "../merchants/principal.ts";
import { change, view } from "../operators/doors.ts";
import { lockSbpBanks, replaceSbpBanks, type SbpBank, sbpBanks } from "./queries.ts";

const Bank = Type.Object({
  id: text(
    { max: 32 },
    { description: "Bank identifier in the fast payment system.", examples: ["100000000111"] },
  ),
  name: text({ max: 200 }, { description: "Bank name.", examples: ["Сбербанк"] }),
});

export const readSbpBanks = view({
  path: "/manage/sbp-banks",
  summary: "List the banks of the fast payment system",
  description: "As users see them, sorted by id.",
  input: Type.Object({}),
  data: Type.Object({ items: Type.Array(Bank) }),
  async read({ db }) {
    return { items: await sbpBanks(db) };
  },
});

export const putSbpBanks = change({
  path: "/manage/sbp-banks",
  summary: "Replace the banks of the fast payment system",
  description: "What is not in the list is gone from the directory.",
  act: "sbp_banks.replace",
  maxBodyBytes: 1024 * 1024,
  input: Type.Object({
    banks: Type.Array(Bank, { minItems: 1, maxItems: 1000, description: "All of them." }),
  }),
  data: Type.Object({
    added: Type.Integer({ description: "Banks that are new." }),
    renamed: Type.Integer({ description: "Banks with another name than before." }),
    removed: Type.Integer({ description: "Banks that are gone." }),
  }),
  async make(tx, _app, { banks }) {
    const before = await lockSbpBanks(tx);
    await replaceSbpBanks(tx, banks.map(seen));
    const after = await sbpBanks(tx);
    const old = new Map(before.map(({ id, name }) => [id, name]));
    const ids = new Set(after.map(({ id }) => id));
    const data = {
      added: after.filter(({ id }) => !old.has(id)).length,
      renamed: after.filter(({ id, name }) => old.has(id) && old.get(id) !== name).length,
      removed: before.filter(({ id }) => !ids.has(id)).length,
    };
    return { data, subject: "sbp_banks", before: { banks: before }, after: { banks: after } };
  },
});

/** A mark before a file's first letter, or a space behind an id, would make a bank that nobody's payout names. */
function seen({ id, name }: SbpBank): SbpBank {
  return { id: visibleText(id) || id, name: visibleText(name) || name };
}

const WHOLE_LIST = "all";
const recall = remembering(async (db) => new Map([[WHOLE_LIST, await sbpBanks(db)]]));

export const SbpBanks = Type.Array(
  Type.Object({
    id: Type.String({
      description: "Bank identifier in the fast payment system.",
      examples: ["100000000111"],
    }),
    name: Type.String({ description: "Bank name.", examples: ["Сбербанк"] }),
  }),
);

export const listSbpBanks = hotEndpoint({
  method: "GET",
  path: "/payoff/get-sbp-bank-list",
  summary: "Banks for payouts through SBP",
  description: "The directory of the fast payment system, sorted by id.",
  gate: userGate,
  identifier: "user_id",
  input: Type.Object({
    user_id: uuid({
      description: "The user; also used for authorization.",
      examples: ["00000000-0000-4000-8000-000000000001"],
    }),
  }),
  data: Type.Object({ banks: SbpBanks }),
  problems: "first",
  async handleSet(app, calls) {
    const users = calls.map(({ principal }) => principal);
    const banks = (await recall(app, users, [WHOLE_LIST])).get(WHOLE_LIST) ?? [];
    return calls.map(() => ({ banks }));
  },
});
