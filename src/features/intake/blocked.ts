// A bank says that it has blocked a card or an account: nobody is sent there any more. Guards that whoever
// asks later finds who said so.

import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { recordAudit } from "../operators/doors.ts";
import { type RequisiteRow, Requisites, requisiteToWire } from "../requisites/nouns.ts";
import { updateRequisite } from "../requisites/queries.ts";
import { type BoundRequisite, hasEnding } from "./bound.ts";
import { countBlocked } from "./count.ts";
import type { Source } from "./source-gate.ts";

/** Of a card alone, and neither of its account, which is what is arrested, nor of a law. */
const OF_A_CARD = /^(?!.*(?:сч[её]т|операци|доступ|арест|\d-ФЗ)).*(?<!\p{L})карт[аыу]/iu;

function withoutFormer(one: BoundRequisite): BoundRequisite {
  return { ...one, numbers: one.numbers.filter(({ isCurrent }) => isCurrent) };
}

/**
 * Those that the text names by their digits; all of the source's, where it names none. A bank that issues a card anew
 * blocks the former one: that is no trouble of the present one.
 */
export async function stopBlocked(
  tx: Tx,
  app: App,
  source: Source,
  bound: readonly BoundRequisite[],
  text: string,
): Promise<void> {
  const digits = text.match(/(?<!\d)\d{4}(?!\d)/g) ?? [];
  const isNamed = (one: BoundRequisite) => digits.some((four) => hasEnding(one, four));
  const named = bound.filter(isNamed);
  const inUse = OF_A_CARD.test(text) ? named.filter((one) => isNamed(withoutFormer(one))) : named;
  const stopped = (named.length > 0 ? inUse : bound).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  for (const { id } of stopped) {
    const row: RequisiteRow = await Requisites.lock(tx, id);
    if (!row.enabled) continue;
    const next = { ...row, enabled: false };
    await updateRequisite(tx, next);
    const [before, after] = [row, next].map((one) => requisiteToWire(one, app));
    const by = `source ${source.name}`;
    await recordAudit(tx, app, { by, act: "requisite.block", subject: id, before, after });
    tx.onCommit(() => {
      countBlocked(app, 1);
      const about = { requisite: id, source: source.id };
      app.log.warn(about, "the bank has blocked a requisite: it is given out no more");
    });
  }
}
