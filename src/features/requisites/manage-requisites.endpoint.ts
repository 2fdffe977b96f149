// /manage/requisites: the operator's receiving cards and phones. Numbers are masked; seeing one whole
// is a change of its own to the audit log.

import type { Static, TObject } from "typebox";
import { minorFromNumber } from "../../domain/money.ts";
import { Refusal } from "../../domain/refusal.ts";
import {
  BANK_CODES,
  BANKS,
  isAccountNumber,
  isCardNumber,
  isPhoneNumber,
  looksLikeCard,
} from "../../domain/requisite.ts";
import {
  checked,
  currencyCode,
  decimal,
  integer,
  lastDigits,
  Type,
  text,
  textOrNull,
  uuid,
  uuids,
  yesNo,
} from "../../platform/field.ts";
import { change, changed, list, view } from "../operators/doors.ts";
import { holdSecretKey } from "../operators/installation.ts";
import { changeNumbers, lockForNumbers } from "./change-numbers.ts";
import { bank, type RequisiteRow, Requisites, requisiteToWire } from "./nouns.ts";
import { addRequisites, updateRequisite, waysToRequisites } from "./queries.ts";
import { openWallets, requisitesEndingIn, sealWallets } from "./wallet.ts";
import { lockWallets } from "./wallet-queries.ts";

const requisite_id = uuid({
  description: "The requisite.",
  examples: ["00000000-0000-4000-8000-000000000106"],
});

const MOST = 1_000_000;

const limits = {
  min_sum: Type.Optional(
    decimal({ min: 0.01 }, { description: "Smallest payment; 1 for a new one." }),
  ),
  max_sum: Type.Optional(
    decimal({ min: 0.01 }, { description: "Largest payment; 150000 for a new one." }),
  ),
  max_live_payments: Type.Optional(
    integer(
      { min: 0, max: MOST },
      { description: "Payments under way at once; 30 for a new one." },
    ),
  ),
  max_day_payments: Type.Optional(
    integer({ min: 0, max: MOST }, { description: "Payments a day; 300 for a new one." }),
  ),
  max_day_sum: Type.Optional(
    decimal({ min: 0 }, { description: "Sum of a day; 1000000 for a new one." }),
  ),
};

const account = checked(
  text(
    { max: 34 },
    { description: "The account's number, as statements write it: 20 digits, or an IBAN." },
  ),
  "account",
  isAccountNumber,
);

const cardNumber = checked(
  checked(text({ max: 19 }, { description: "The card's number." }), "card", looksLikeCard),
  "check_digit",
  (card: string) => !looksLikeCard(card) || isCardNumber(card),
);

const phoneNumber = (words: { readonly examples?: string[] } = {}) =>
  checked(
    text({ max: 16 }, { description: "The phone: +79990000001.", ...words }),
    "phone",
    isPhoneNumber,
  );

const receiver_name = text(
  { max: 100 },
  { description: "Whom the payer sees.", examples: ["Юлия М."] },
);

export const readBanks = view({
  path: "/manage/banks",
  summary: "List the banks that requisites can be of",
  description: "Their codes, and the names that payers see.",
  input: Type.Object({}),
  data: Type.Object({
    items: Type.Array(
      Type.Object({
        bank: Type.String({ description: "Bank code.", examples: ["sber"] }),
        name: Type.String({ description: "Bank name.", examples: ["Сбербанк"] }),
      }),
    ),
  }),
  async read() {
    return { items: BANK_CODES.map((each) => ({ bank: each, name: BANKS[each] })) };
  },
});

export const readRequisites = list({
  path: "/manage/requisites",
  summary: "List requisites",
  description: "Their numbers are masked; the newest first.",
  noun: { ...Requisites, toWire: requisiteToWire },
  filters: {
    bank: Type.Optional(bank),
    enabled: Type.Optional(yesNo({ description: "Those that are given out, or the others." })),
    wallet: Type.Optional(lastDigits({ description: "Last four digits of a card or phone." })),
    ids: Type.Optional(uuids("These requisites alone", "00000000-0000-4000-8000-000000000106")),
  },
  async ways(app, { wallet, ids, ...filter }) {
    const ending = wallet === undefined ? undefined : await requisitesEndingIn(app, wallet);
    const asked = ids?.toLowerCase().split(",");
    return waysToRequisites({
      ...filter,
      ids: asked === undefined ? ending : asked.filter((id) => ending?.includes(id) ?? true),
    });
  },
});

export const readRequisite = view({
  path: "/manage/requisites/:requisite_id",
  summary: "Show a requisite",
  description: "Its numbers are masked.",
  input: Type.Object({ requisite_id }),
  data: Requisites.wire,
  notFound: "There is no such requisite.",
  async read(app, input) {
    return requisiteToWire(await Requisites.find(app.db, input.requisite_id), app);
  },
});

export const addRequisite = change({
  path: "/manage/requisites",
  summary: "Add a requisite",
  description: "A card, a phone or both; it is given out at once.",
  act: "requisite.add",
  input: Type.Object({
    bank,
    receiver_name,
    card: Type.Optional(cardNumber),
    phone: Type.Optional(phoneNumber({ examples: ["+79990000007"] })),
    account: Type.Optional(account),
    currency: Type.Optional(currencyCode({ description: "Currency code; RUB." })),
    ...limits,
  }),
  data: Requisites.wire,
  async make(tx, app, input) {
    const { bank: at, receiver_name: name, currency = "RUB" } = input;
    const { card = null, phone = null, account: number = null } = input;
    if (card === null && phone === null) throw new Refusal("requisite_needs_number");
    await holdSecretKey(tx, app);
    await lockWallets(tx);
    const id = app.newId();
    const row = {
      id,
      bank: at,
      receiver_name: name,
      currency,
      ...limitsOf(FRESH_LIMITS, input),
      numbers: sealWallets(app.secrets, id, { card, phone, account: number }),
    };
    await addRequisites(tx, [row], app.clock.now());
    const after = requisiteToWire(await Requisites.find(tx, id), app);
    return { data: after, subject: id, before: null, after };
  },
});

export const changeRequisite = change({
  path: "/manage/requisites/:requisite_id",
  summary: "Change a requisite: limits, numbers, on and off",
  description:
    "What is left out stays as it is. Details that were issued stay valid; those of one that is off are shown on no payment page any more. Another card or phone of the same account is shown from now on, and what is told by a former one is its own still. An account that a statement has named stays.",
  act: "requisite.update",
  input: Type.Object({
    requisite_id,
    receiver_name: Type.Optional(receiver_name),
    enabled: Type.Optional(yesNo({ description: "Whether it is given out." })),
    card: Type.Optional(cardNumber),
    phone: Type.Optional(phoneNumber()),
    account: Type.Optional(account),
    ...limits,
  }),
  data: Requisites.wire,
  notFound: "There is no such requisite.",
  async make(tx, app, input) {
    await lockForNumbers(tx, app, input);
    const row = await Requisites.lock(tx, input.requisite_id);
    const { receiver_name: name = row.receiver_name, enabled = row.enabled } = input;
    const { sealed, words } = await changeNumbers(tx, app, row, input);
    const next = { ...row, receiver_name: name, enabled, ...limitsOf(row, input), ...sealed };
    await updateRequisite(tx, next);
    const done = changed({ toWire: (one: RequisiteRow) => requisiteToWire(one, app) }, row, next);
    return Object.keys(words).length > 0 ? { ...done, after: { ...done.data, ...words } } : done;
  },
});

export const revealRequisite = change({
  path: "/manage/requisites/:requisite_id/reveal",
  summary: "Show a requisite's whole numbers",
  description: "The audit log says who looked.",
  act: "requisite.reveal",
  input: Type.Object({ requisite_id }),
  data: Type.Object({
    card: textOrNull({ description: "The card's number." }),
    phone: textOrNull({ description: "The phone's number." }),
    account: textOrNull({ description: "The account's number." }),
  }),
  notFound: "There is no such requisite.",
  async make(tx, { secrets }, input) {
    const row = await Requisites.lock(tx, input.requisite_id);
    return { data: openWallets(secrets, row), subject: row.id, before: null, after: null };
  },
});

type Limits = Pick<
  RequisiteRow,
  "min_minor" | "max_minor" | "max_live_payments" | "max_day_payments" | "max_day_sum_minor"
>;

/** What a new requisite may take, as the words above say. */
const FRESH_LIMITS: Limits = {
  min_minor: 100n,
  max_minor: 15_000_000n,
  max_live_payments: 30,
  max_day_payments: 300,
  max_day_sum_minor: 100_000_000n,
};

/** What was left out stays as it is. */
function limitsOf(old: Limits, input: Static<TObject<typeof limits>>): Limits {
  const minor = (value: number | undefined, before: bigint) =>
    value === undefined ? before : (minorFromNumber(value) ?? before);
  const next = {
    min_minor: minor(input.min_sum, old.min_minor),
    max_minor: minor(input.max_sum, old.max_minor),
    max_live_payments: input.max_live_payments ?? old.max_live_payments,
    max_day_payments: input.max_day_payments ?? old.max_day_payments,
    max_day_sum_minor: minor(input.max_day_sum, old.max_day_sum_minor),
  };
  if (next.min_minor > next.max_minor) throw new Refusal("limits_crossed");
  return next;
}
