// Sources and their messages: as they are stored, and as whoever manages the gateway sees them.

import { TEMPLATE_BANKS } from "../../domain/notification.ts";
import type { App } from "../../platform/app.ts";
import { listOf, oneOf, Type, text, uuid } from "../../platform/field.ts";
import { column, noun, type RowOf } from "../operators/noun.ts";
import { ADAPTER_NAMES, CHANNELS } from "./adapters.ts";

export const adapter = oneOf(ADAPTER_NAMES, {
  description: "The form that the phone's app reports in.",
  examples: ["kopeck"],
});

export const channel = oneOf(CHANNELS, {
  description: "What it forwards: texts of the mobile network, or notifications of apps.",
});

export const banks = listOf(
  oneOf(TEMPLATE_BANKS, { description: "A bank." }),
  { min: 1, max: TEMPLATE_BANKS.length },
  { description: "Banks whose wordings its texts are read by.", examples: [["sber"]] },
);

export const senders = listOf(
  text({ max: 255 }, { description: "A sender." }),
  { min: 1, max: 50 },
  {
    description: "Who may tell of money: numbers and names of senders, or packages of apps.",
    examples: [["900"]],
  },
);

export const needs_statement = Type.Boolean({
  description: "Whether money that it alone has told of stays frozen until a statement shows it.",
});

export const requisite_ids = listOf(
  uuid({ description: "A requisite." }),
  { min: 0, max: 100 },
  {
    description: "The requisites that it tells of.",
    examples: [["00000000-0000-4000-8000-000000000101"]],
  },
);

export const endings = listOf(
  Type.String({ pattern: "^[0-9a-fA-F-]{36}:\\d{3,4}$" }),
  { min: 0, max: 500 },
  {
    description:
      "Digits that the bank prints for a requisite beside those of its numbers: its id, a colon, the digits.",
    examples: [["00000000-0000-4000-8000-000000000101:4006"]],
  },
);

/** A requisite that a source tells of. */
export interface Binding {
  readonly requisite_id: string;
  readonly endings: readonly string[];
}

export const Sources = noun(
  {
    from: "sources",
    columns: `row.*, array(
      select json_build_object('requisite_id', requisite_id, 'endings', endings)
      from source_requisites where source_id = row.id order by requisite_id) as requisites`,
    missing: "source_not_found",
  },
  {
    source_id: column.id("The source: a phone."),
    name: column.text("What it is called.", "Phone in the office"),
    adapter: column.as(adapter),
    channel: column.as(channel),
    banks: column.as(banks),
    senders: column.as(senders),
    needs_statement: column.as(needs_statement),
    requisite_ids: column.shown(requisite_ids, "requisites", (bound: readonly Binding[]) =>
      bound.map(({ requisite_id }) => requisite_id),
    ),
    endings: column.shown(endings, "requisites", (bound: readonly Binding[]) =>
      bound.flatMap((one) => one.endings.map((digits) => `${one.requisite_id}:${digits}`)),
    ),
    token_digest: column.unseen<Buffer | null>(),
    key_sealed: column.unseen<Buffer | null>(),
    created_at: column.moment("When it was added."),
    revoked_at: column.momentOrNull("When it was revoked, or null."),
    last_heard_at: column.momentOrNull("When it was last heard."),
    last_beat_at: column.momentOrNull(
      "When its last heartbeat came; null for one that sends none.",
    ),
    silent_since: column.momentOrNull("Since when it is silent while money is expected, or null."),
    unread: column.shown(
      Type.Integer({ description: "Texts of its senders that no template has read." }),
      "unread",
      (count: bigint) => Number(count),
    ),
  },
);

export type SourceRow = RowOf<typeof Sources>;

export const FATES = ["accepted", "noted", "duplicate", "broken", "waiting", "unclear"] as const;

export const fate = oneOf(FATES, {
  description:
    "What became of it: accepted as money, noted without being anybody's money, a duplicate; or it is broken " +
    "(its balance does not follow), waiting (its moment cannot be right) or unclear (which requisite it is for).",
});

export const Messages = noun(
  { from: "messages", columns: "row.*" },
  {
    message_id: column.id("The message."),
    source_id: column.uuid("Who reported it."),
    sender: column.text("Who sent it.", "900"),
    channel: column.as(channel),
    text: column.text("What was read of it: without the payer's comment.", "VISA0007 12:00 …"),
    text_sealed: column.unseen<Buffer>(),
    kind: column.as(
      oneOf(["income", "own", "outflow", "blocked"], {
        description: "Money of a payer, of the card's owner, money that left, or a blocked card.",
      }),
    ),
    fate: column.as(fate),
    requisite_id: column.uuidOrNull("The requisite that it is for, or null."),
    amount: column.amountOrNull("amount_minor", "How much."),
    balance: column.amountOrNull("balance_minor", "The balance since."),
    made_at: column.textOrNull("When the money was paid, as far as the message tells."),
    transfer_id: column.uuidOrNull("The transfer that it tells of, or null."),
    received_at: column.moment("When the gateway heard of it."),
  },
);

/** The text is sealed; what may be shown of it is no column. */
export type MessageRow = Omit<RowOf<typeof Messages>, "text">;

export function messageToWire(row: MessageRow, { secrets }: App) {
  return Messages.toWire({ ...row, text: openText(secrets, row) });
}

export function messageSeal(id: string): string {
  return `${id} message`;
}

export function sealText(secrets: App["secrets"], id: string, words: string): Buffer {
  return secrets.seal(messageSeal(id), words);
}

function openText(
  secrets: App["secrets"],
  { id, text_sealed: sealed }: Pick<MessageRow, "id" | "text_sealed">,
): string {
  return secrets.open(messageSeal(id), sealed);
}
