// /manage/sources: phones that tell of money. A token, or the key of one that signs, is shown once, when the
// source is added.

import { Refusal } from "../../domain/refusal.ts";
import type { Tx } from "../../platform/db.ts";
import { Type, text, uuid } from "../../platform/field.ts";
import { change, changed, list } from "../operators/doors.ts";
import { holdSecretKey } from "../operators/installation.ts";
import { requisitesById } from "../requisites/queries.ts";
import { adapterOf } from "./adapters.ts";
import { sealSourceKey, sourceTokenDigest } from "./source-gate.ts";
import {
  adapter,
  type Binding,
  banks,
  channel,
  endings,
  needs_statement,
  requisite_ids,
  Sources,
  senders,
} from "./source-nouns.ts";
import { bindRequisites, endSource, insertSource, updateSource } from "./source-queries.ts";

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
