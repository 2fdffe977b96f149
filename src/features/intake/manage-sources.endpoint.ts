// /manage/sources and /manage/messages: phones that tell of money, and what they told. A token or
// key is shown once, when the source is added.

import { isoOrNull, momentFormat } from "../../domain/moment.ts";
import { toDecimalNumber } from "../../domain/money.ts";
import { readNotification, TEMPLATE_BANKS, toldAt } from "../../domain/notification.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { Tx } from "../../platform/db.ts";
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
import { change, changed, list } from "../operators/doors.ts";
import { holdSecretKey } from "../operators/installation.ts";
import { type Operator, viewerGate } from "../operators/operator.ts";
import { requisitesById } from "../requisites/queries.ts";
import { adapterOf } from "./adapters.ts";
import { sealSourceKey, sourceTokenDigest } from "./source-gate.ts";
import {
  adapter,
  type Binding,
  banks,
  channel,
  endings,
  fate,
  Messages,
  messageToWire,
  needs_statement,
  requisite_ids,
  Sources,
  senders,
} from "./source-nouns.ts";
import {
  bindRequisites,
  endSource,
  insertSource,
  updateSource,
  waysToMessages,
} from "./source-queries.ts";

const name = text(
  { max: 100 },
  { description: "What it is called.", examples: ["Phone in the office"] },
);
const source_id = uuid({ description: "The source." });

export const readSources = list({
  path: "/manage/sources",
  summary: "List sources",
  description: "Phones that tell of money, those that were revoked as well; the newest first.",
  noun: Sources,
  filters: {},
});

export const addSource = change({
  path: "/manage/sources",
  summary: "Add a source",
  description:
    "The answer holds its token, or the key that it signs with, which is shown only once. Without needs_statement, texts of the mobile network need a statement, and notifications do not.",
  act: "source.add",
  input: Type.Object({
    name,
    adapter,
    channel: Type.Optional(channel),
    banks,
    senders,
    needs_statement: Type.Optional(needs_statement),
    requisite_ids: Type.Optional(requisite_ids),
    endings: Type.Optional(endings),
  }),
  data: Type.Object({
    source: Sources.wire,
    token: Type.String({
      description: "Its token, or the key that it signs with; it is shown only now.",
      examples: ["kop_…"],
    }),
  }),
  notFound: "There is no such requisite.",
  async make(tx, app, input) {
    const { adapter: form, channel: forwards = adapterOf(form).channel } = input;
    await holdSecretKey(tx, app);
    const id = app.newId();
    const token = app.secrets.fresh("kop_");
    const { signs } = adapterOf(form);
    const row = {
      id,
      name: input.name,
      adapter: form,
      channel: forwards,
      banks: input.banks,
      senders: input.senders,
      needs_statement: input.needs_statement ?? forwards === "sms",
      token_digest: signs ? null : sourceTokenDigest(app.secrets, id, token),
      key_sealed: signs ? sealSourceKey(app.secrets, id, token) : null,
    };
    await insertSource(tx, row, app.clock.now());
    await bind(tx, id, input.requisite_ids ?? [], input.endings ?? []);
    const source = Sources.toWire(await Sources.find(tx, id));
    return { data: { source, token }, subject: id, before: null, after: source };
  },
});

export const changeSource = change({
  path: "/manage/sources/:source_id",
  summary: "Change a source",
  description: "What is left out stays as it is; a list takes the place of the one before.",
  act: "source.update",
  input: Type.Object({
    source_id,
    name: Type.Optional(name),
    banks: Type.Optional(banks),
    senders: Type.Optional(senders),
    needs_statement: Type.Optional(needs_statement),
    requisite_ids: Type.Optional(requisite_ids),
    endings: Type.Optional(endings),
  }),
  data: Sources.wire,
  notFound: "There is no such source or requisite.",
  async make(tx, _app, { source_id: id, requisite_ids: ids, endings: digits, ...changes }) {
    const row = await Sources.lock(tx, id);
    await updateSource(tx, { ...row, ...changes });
    const known = Sources.toWire(row);
    await bind(tx, row.id, ids ?? known.requisite_ids, digits ?? known.endings);
    return changed(Sources, row, await Sources.find(tx, row.id));
  },
});

export const revokeSource = change({
  path: "/manage/sources/:source_id/revoke",
  summary: "Revoke a source",
  description: "Nothing that it reports is taken from now on.",
  act: "source.revoke",
  input: Type.Object({ source_id }),
  data: Sources.wire,
  notFound: "There is no such source.",
  async make(tx, { clock }, { source_id: id }) {
    const row = await Sources.lock(tx, id);
    await endSource(tx, row.id, clock.now());
    return changed(Sources, row, await Sources.find(tx, row.id));
  },
});

/** Digits of a requisite that it does not tell of say nothing, and are left out. */
async function bind(
  tx: Tx,
  sourceId: string,
  requisiteIds: readonly string[],
  digits: readonly string[],
): Promise<void> {
  const ids = [...new Set(requisiteIds.map((id) => id.toLowerCase()))];
  const known = await requisitesById(tx, ids);
  if (known.length < ids.length) throw new Refusal("requisite_not_found");
  const bindings: Binding[] = ids.map((id) => ({
    requisite_id: id,
    endings: digits
      .filter((one) => one.toLowerCase().startsWith(`${id}:`))
      .map((one) => one.slice(id.length + 1)),
  }));
  await bindRequisites(tx, sourceId, bindings);
}

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
