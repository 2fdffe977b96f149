// Another card, phone or account of a requisite, which is the same account at its bank still. Guards that no number
// becomes another requisite's whose money was told of by it: the same money would be booked there once more.

import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { holdSecretKey } from "../operators/installation.ts";
import type { RequisiteRow } from "./nouns.ts";
import { accountStays } from "./requisite-queries.ts";
import { openWallets, sealWallet } from "./wallet.ts";
import { keepFormer, lockWallets, type NumberKind, renumber, setNumber } from "./wallet-queries.ts";

const KINDS = ["card", "phone", "account"] as const satisfies readonly NumberKind[];

type Said = { readonly [Kind in NumberKind]?: string | undefined };

interface Changed {
  /** As the row has them now. */
  readonly sealed: Partial<Pick<RequisiteRow, `${NumberKind}_sealed`>>;
  /** Two numbers may look alike where they are masked. */
  readonly words: Readonly<Record<string, true>>;
}

/** Before the requisite itself is, because all of them are locked in one order. */
export async function lockForNumbers(tx: Tx, app: App, said: Said): Promise<void> {
  if (KINDS.every((kind) => said[kind] === undefined)) return;
  await holdSecretKey(tx, app);
  await lockWallets(tx);
}

/** What is said and is another number than before. A former card or phone leads to the requisite still. */
export async function changeNumbers(
  tx: Tx,
  app: App,
  row: RequisiteRow,
  said: Said,
): Promise<Changed> {
  const { id } = row;
  const wanted = KINDS.flatMap((kind) => {
    const number = said[kind];
    return number === undefined ? [] : [{ kind, number }];
  });
  if (wanted.length === 0) return { sealed: {}, words: {} };
  const before = openWallets(app.secrets, row);
  const others = wanted.filter(({ kind, number }) => number !== before[kind]);
  if (others.some(({ kind }) => kind !== "account")) await renumber(tx, id);
  const now = app.clock.now();
  const sealed: [string, Buffer][] = [];
  for (const { kind, number } of others) {
    if (kind !== "account") await keepFormer(tx, kind, id, now);
    else if (before.account !== null && (await accountStays(tx, id))) {
      throw new Refusal("requisite_account_stays");
    }
    const fresh = sealWallet(app.secrets, id, kind, number);
    if (!(await setNumber(tx, kind, fresh, now))) throw new Refusal("requisite_taken");
    sealed.push([`${kind}_sealed`, fresh.sealed]);
  }
  return {
    sealed: Object.fromEntries(sealed),
    words: Object.fromEntries(others.map(({ kind }) => [`${kind}_changed`, true])),
  };
}
