// POST /invoice/h2h: the second step; tells the payer where to send the money, and how much.

import { momentFormat } from "../../domain/moment.ts";
import { toDecimalText } from "../../domain/money.ts";
import { BANK_CODES, BANKS } from "../../domain/requisite.ts";
import { hotEndpoint } from "../../platform/endpoint.ts";
import { ipv4, oneOf, Type, text, textOrNull, uuid } from "../../platform/field.ts";
import { shopGate } from "../merchants/principal.ts";
import { issueDetails } from "./details.ts";

const Input = Type.Object({
  invoice_id: uuid({ description: "The invoice created in step one." }),
  shop_id: uuid({
    description: "The shop; also used for authorization.",
    examples: ["00000000-0000-4000-8000-000000000002"],
  }),
  ip: Type.Optional(ipv4({ description: "IPv4 address of the payer.", examples: ["203.0.113.7"] })),
  user_agent: Type.Optional(text({ max: 1024 }, { description: "User agent of the payer." })),
  payment_data: Type.Object(
    { bank: oneOf(BANK_CODES, { description: "The payer's bank.", examples: ["sber"] }) },
    { description: "What the method needs." },
  ),
});

const shown = (description: string, example: string) =>
  Type.String({ description, examples: [example] });
const never = (description: string) => Type.Boolean({ description, examples: [false] });

const Data = Type.Object({
  step_two_type: shown("Kind of the second step: p2p_data.", "p2p_data"),
  wallet: shown("Card number to pay to, or phone for p2p_sbp.", "2202200000000007"),
  receiver_name: shown("Name of the receiver.", "Иван И."),
  bank: shown("Display name of the bank.", "Сбербанк"),
  amount: shown("Exact amount to pay, two decimals.", "1020.00"),
  time_end: shown("Until when the details hold, YYYY-MM-DD HH:MM:SS.", "2026-03-01 12:20:00"),
  url: textOrNull({ description: "Always null for transfers." }),
  type: shown("Kind of the result: p2p_data.", "p2p_data"),
  is_redirect: never("Whether the payer is to be redirected."),
  fingerprint: never("Whether a client fingerprint is required."),
  is_need_get_info: never("Whether more must be asked for."),
});

export const createH2hPayment = hotEndpoint({
  method: "POST",
  path: "/invoice/h2h",
  summary: "Create an h2h payment",
  description: "Repeated while the details hold, for the same bank: the same answer again.",
  gate: shopGate,
  identifier: "shop_id",
  input: Input,
  data: Data,
  notFound: "The shop has no such invoice.",
  problems: "all",
  lanes: 2,
  async handleSet(app, calls) {
    const moments = momentFormat(app.config.timeZone);
    const outcomes = await issueDetails(
      app,
      calls.map(({ input, principal }) => ({
        shop: principal,
        invoiceId: input.invoice_id.toLowerCase(),
        bank: input.payment_data.bank,
        payerIp: input.ip ?? null,
        payerUserAgent: input.user_agent ?? null,
      })),
    );
    return outcomes.map((outcome) =>
      outcome instanceof Error
        ? outcome
        : {
            step_two_type: "p2p_data",
            wallet: outcome.wallet,
            receiver_name: outcome.receiverName,
            bank: BANKS[outcome.bank],
            amount: toDecimalText(outcome.amountMinor),
            time_end: moments.text(outcome.endsAt),
            url: null,
            type: "p2p_data",
            is_redirect: false,
            fingerprint: false,
            is_need_get_info: false,
          },
    );
  },
});
