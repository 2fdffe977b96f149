// /manage/messages: what phones have told, and what became of it; and what a text would be read as.

import { isoOrNull, momentFormat } from "../../domain/moment.ts";
import { toDecimalNumber } from "../../domain/money.ts";
import { readNotification, TEMPLATE_BANKS, toldAt } from "../../domain/notification.ts";
import { endpoint } from "../../platform/endpoint.ts";
import {
  numberOrNull,
  oneOf,
  periodFields,
  Type,
  text,
  textOrNull,
  uuid,
} from "../../platform/field.ts";
import { list } from "../operators/doors.ts";
import { type Operator, viewerGate } from "../operators/operator.ts";
import { waysToMessages } from "./message-queries.ts";
import { banks, fate, Messages, messageToWire } from "./source-nouns.ts";

export const readMessages = list({
  path: "/manage/messages",
  summary: "List messages",
  description: "What templates have read of what phones reported; the newest first.",
  noun: { ...Messages, toWire: messageToWire },
  filters: {
    ...periodFields,
    source_id: Type.Optional(uuid({ description: "Messages of this source." })),
    requisite_id: Type.Optional(uuid({ description: "Messages for this requisite." })),
    fate: Type.Optional(fate),
  },
  ways: (_app, filter) => waysToMessages(filter),
});

const Input = Type.Object({
  text: text(
    { max: 200_000 },
    {
      description: "A message, as a phone has it.",
      examples: ["VISA0007 12:00 Перевод 500р от Иван П. Баланс: 1500р"],
    },
  ),
  banks: Type.Optional(banks),
});

const Read = Type.Object({
  kind: oneOf(["income", "own", "outflow", "blocked", "code", "nothing"], {
    description: "What it is: only income is money of a payer.",
  }),
  role: textOrNull({ description: "primary, or companion for a bank's second wording." }),
  amount: numberOrNull({ description: "How much." }),
  fee: numberOrNull({ description: "What the bank has taken beside it." }),
  balance: numberOrNull({ description: "The balance since." }),
  last4: textOrNull({ description: "The last digits of what it arrived on." }),
  payer: textOrNull({ description: "Who sent it." }),
  made_at: textOrNull({ description: "When it would have been paid, were it told now." }),
});

/** It is a POST so that a text with a code in it stands in nobody's log of addresses. */
export const tryTemplates = endpoint<typeof Input, typeof Read, Operator>({
  method: "POST",
  path: "/manage/templates/try",
  summary: "See what a text would be read as",
  description: "By the templates of all banks, or of these. Nothing is kept of it.",
  gate: viewerGate,
  problems: "all",
  refusesUnknown: true,
  maxBodyBytes: 512 * 1024,
  input: Input,
  data: Read,
  async handle({ clock, config }, { input }) {
    const { banks: some = TEMPLATE_BANKS } = input;
    const read = readNotification(input.text, some);
    const none = { role: null, amount: null, fee: null, balance: null, last4: null };
    if (!("amountMinor" in read)) return { kind: read.kind, ...none, payer: null, made_at: null };
    const told = toldAt(
      { ...read, sentAt: null, receivedAt: clock.now() },
      momentFormat(config.timeZone),
    );
    const { balanceMinor: balance } = read;
    return {
      kind: read.kind,
      role: read.kind === "income" ? read.role : null,
      amount: toDecimalNumber(read.amountMinor),
      fee: read.kind === "income" ? null : toDecimalNumber(read.feeMinor),
      balance: balance === null ? null : toDecimalNumber(balance),
      last4: read.last4,
      payer: read.kind === "income" ? read.payer : null,
      made_at: isoOrNull(told?.at ?? null),
    };
  },
});
