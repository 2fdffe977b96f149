// /manage/requisites: the operator's receiving cards and phones. Numbers are masked; seeing one whole
// is a change of its own to the audit log.

import Type from "typebox";
import { isoOrNull } from "../../domain/moment.ts";
import { minorFromNumber, toDecimalNumber } from "../../domain/money.ts";
import { Refusal } from "../../domain/refusal.ts";
import { BANK_CODES, BANKS, isCardNumber, isPhoneNumber } from "../../domain/requisite.ts";
import type { App } from "../../platform/app.ts";
import {
  checked,
  currencyCode,
  decimal,
  integer,
  lastDigits,
  oneOf,
  text,
  textOrNull,
  uuid,
  yesNo,
} from "../../platform/field.ts";
import { pageFields, pageOf, toPage } from "../../platform/page.ts";
import { holdSecretKey } from "../merchants/installation.ts";
import { change, view } from "../operators/doors.ts";
import { addRequisites } from "./queries.ts";
import {
  findRequisite,
  listRequisites,
  lockRequisite,
  type RequisiteView,
  updateRequisite,
} from "./requisite-queries.ts";
import { maskedWallets, openWallets, requisitesEndingIn, sealWallet } from "./wallet.ts";

const bank = oneOf(BANK_CODES, { description: "Bank code." });
const requisite_id = uuid({ description: "The requisite." });

const Requisite = Type.Object({
  requisite_id: Type.String({ description: "The requisite." }),
  bank,
  currency: Type.String({ description: "Currency code." }),
  receiver_name: Type.String({ description: "Whom the payer sees." }),
  card: textOrNull({ description: "The card's number, masked." }),
  phone: textOrNull({ description: "The phone's number, masked." }),
  enabled: Type.Boolean({ description: "Whether it is given out." }),
  min_sum: Type.Number({ description: "Smallest payment." }),
  max_sum: Type.Number({ description: "Largest payment." }),
  max_live_payments: Type.Integer({ description: "Payments under way at once." }),
  max_day_payments: Type.Integer({ description: "Payments a day." }),
  max_day_sum: Type.Number({ description: "Sum of a day." }),
  live_payments: Type.Integer({ description: "Payments under way now." }),
  day: textOrNull({ description: "The last day that it was used on." }),
  day_payments: Type.Integer({ description: "Payments of that day." }),
  day_sum: Type.Number({ description: "Sum of that day." }),
  last_used_at: textOrNull({ description: "When it was last given out." }),
  created_at: Type.String({ description: "When it was added." }),
});

const MOST = 1_000_000;

const limits = {
  min_sum: Type.Optional(decimal({ min: 0.01 }, { description: "Smallest payment; 1." })),
  max_sum: Type.Optional(decimal({ min: 0.01 }, { description: "Largest payment; 150000." })),
  max_live_payments: Type.Optional(
    integer({ min: 0, max: MOST }, { description: "Payments under way at once; 30." }),
  ),
  max_day_payments: Type.Optional(
    integer({ min: 0, max: MOST }, { description: "Payments a day; 300." }),
  ),
  max_day_sum: Type.Optional(decimal({ min: 0 }, { description: "Sum of a day; 1000000." })),
};

const receiver_name = text({ max: 100 }, { description: "Whom the payer sees." });

export const readBanks = view({
  path: "/manage/banks",
  summary: "List the banks that requisites can be of",
  input: Type.Object({}),
  data: Type.Object({
    items: Type.Array(
      Type.Object({
        bank: Type.String({ description: "Bank code." }),
        name: Type.String({ description: "Bank name." }),
      }),
    ),
  }),
  async read() {
    return { items: BANK_CODES.map((each) => ({ bank: each, name: BANKS[each] })) };
  },
});

export const readRequisites = view({
  path: "/manage/requisites",
  summary: "List requisites",
  input: Type.Object({
    ...pageFields,
    bank: Type.Optional(bank),
    enabled: Type.Optional(yesNo({ description: "Those that are given out, or the others." })),
    wallet: Type.Optional(lastDigits({ description: "Last four digits of a card or phone." })),
  }),
  data: pageOf(Requisite),
  async read(app, { bank: wanted, enabled, wallet, ...wish }) {
    const ids = wallet === undefined ? undefined : await requisitesEndingIn(app, wallet);
    const rows = await listRequisites(app.db, wish, { bank: wanted, enabled, ids });
    return toPage(rows, (row) => toWire(app, row));
  },
});

export const readRequisite = view({
  path: "/manage/requisites/:requisite_id",
  summary: "Show a requisite",
  input: Type.Object({ requisite_id }),
  data: Requisite,
  notFound: "There is no such requisite.",
  async read(app, input) {
    const row = await findRequisite(app.db, input.requisite_id);
    if (row === undefined) throw new Refusal("requisite_not_found");
    return toWire(app, row);
  },
});

export const addRequisite = change({
  path: "/manage/requisites",
  summary: "Add a requisite",
  act: "requisite.add",
  input: Type.Object({
    bank,
    receiver_name,
    card: Type.Optional(
      checked(text({ max: 19 }, { description: "The card's number." }), "card", isCardNumber),
    ),
    phone: Type.Optional(
      checked(
        text({ max: 16 }, { description: "The phone: +79990000001." }),
        "phone",
        isPhoneNumber,
      ),
    ),
    currency: Type.Optional(currencyCode({ description: "Currency code; RUB." })),
    ...limits,
  }),
  data: Requisite,
  async make(tx, app, input) {
    const { bank: at, card, phone, currency = "RUB" } = input;
    if (card === undefined && phone === undefined) throw new Refusal("requisite_needs_number");
    await holdSecretKey(tx, app);
    const id = app.newId();
    const sealedCard = card === undefined ? null : sealWallet(app.secrets, id, "card", card);
    const sealedPhone = phone === undefined ? null : sealWallet(app.secrets, id, "phone", phone);
    const row = withLimits(
      {
        id,
        bank: at,
        currency,
        receiver_name: input.receiver_name,
        card_sealed: sealedCard?.sealed ?? null,
        phone_sealed: sealedPhone?.sealed ?? null,
        enabled: true,
        min_minor: 100n,
        max_minor: 15_000_000n,
        max_live_payments: 30,
        max_day_payments: 300,
        max_day_sum_minor: 100_000_000n,
        live_payments: 0,
        day: null,
        day_payments: 0,
        day_sum_minor: 0n,
        last_used_at: null,
        created_at: app.clock.now(),
      },
      input,
    );
    const digests = {
      card_digest: sealedCard?.digest ?? null,
      phone_digest: sealedPhone?.digest ?? null,
    };
    const added = await addRequisites(tx, [{ ...row, ...digests }], row.created_at);
    if (added === 0) throw new Refusal("requisite_taken");
    const after = toWire(app, row);
    return { data: after, subject: id, before: null, after };
  },
});

export const changeRequisite = change({
  path: "/manage/requisites/:requisite_id",
  summary: "Change a requisite: limits, on and off",
  description:
    "What is left out stays as it is. Details that were issued stay valid; those of one that is off are shown on no payment page any more.",
  act: "requisite.update",
  input: Type.Object({
    requisite_id,
    receiver_name: Type.Optional(receiver_name),
    enabled: Type.Optional(yesNo({ description: "Whether it is given out." })),
    ...limits,
  }),
  data: Requisite,
  notFound: "There is no such requisite.",
  async make(tx, app, input) {
    const row = await lockRequisite(tx, input.requisite_id);
    if (row === undefined) throw new Refusal("requisite_not_found");
    const changed = withLimits(row, input);
    await updateRequisite(tx, changed);
    const after = toWire(app, changed);
    return { data: after, subject: row.id, before: toWire(app, row), after };
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
  }),
  notFound: "There is no such requisite.",
  async make(tx, { secrets }, input) {
    const row = await lockRequisite(tx, input.requisite_id);
    if (row === undefined) throw new Refusal("requisite_not_found");
    return { data: openWallets(secrets, row), subject: row.id, before: null, after: null };
  },
});

type Limits = Type.Static<Type.TObject<typeof limits>> & {
  readonly receiver_name?: string;
  readonly enabled?: boolean;
};

function withLimits(row: RequisiteView, input: Limits): RequisiteView {
  const minor = (value: number | undefined, old: bigint) =>
    value === undefined ? old : (minorFromNumber(value) ?? old);
  const changed = {
    ...row,
    receiver_name: input.receiver_name ?? row.receiver_name,
    enabled: input.enabled ?? row.enabled,
    min_minor: minor(input.min_sum, row.min_minor),
    max_minor: minor(input.max_sum, row.max_minor),
    max_live_payments: input.max_live_payments ?? row.max_live_payments,
    max_day_payments: input.max_day_payments ?? row.max_day_payments,
    max_day_sum_minor: minor(input.max_day_sum, row.max_day_sum_minor),
  };
  if (changed.min_minor > changed.max_minor) throw new Refusal("limits_crossed");
  return changed;
}

function toWire(app: App, row: RequisiteView): Type.Static<typeof Requisite> {
  const { card, phone } = maskedWallets(app, row);
  return {
    requisite_id: row.id,
    bank: row.bank,
    currency: row.currency,
    receiver_name: row.receiver_name,
    card,
    phone,
    enabled: row.enabled,
    min_sum: toDecimalNumber(row.min_minor),
    max_sum: toDecimalNumber(row.max_minor),
    max_live_payments: row.max_live_payments,
    max_day_payments: row.max_day_payments,
    max_day_sum: toDecimalNumber(row.max_day_sum_minor),
    live_payments: row.live_payments,
    day: row.day,
    day_payments: row.day_payments,
    day_sum: toDecimalNumber(row.day_sum_minor),
    last_used_at: isoOrNull(row.last_used_at),
    created_at: row.created_at.toISOString(),
  };
}
