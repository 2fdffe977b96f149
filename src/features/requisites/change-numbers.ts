// Changes the card, phone or account number of a requisite.
// A number that money was reported by never becomes another requisite's: that money would be booked there again.

import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { holdSecretKey } from "../operators/installation.ts";
import type { RequisiteRow } from "./nouns.ts";
import { accountStays } from "./queries.ts";
import { openWallets, sealWallet } from "./wallet.ts";
import {
  endNumber,
  lockWallets,
  NUMBER_KINDS,
  type NumberKind,
  setNumber,
} from "./wallet-queries.ts";

type Said = { readonly [Kind in NumberKind]?: string | undefined };

interface Changed {
  /** As the row has them now. */
  readonly sealed: Partial<Pick<RequisiteRow, `${NumberKind}_sealed`>>;
  /** Two numbers may look alike where they are masked. */
  readonly words: Readonly<Record<string, true>>;
}

/** Before the requisite itself is locked, because all of them are locked in one order. */
export async function lockForNumbers(tx: Tx, app: App, said: Said): Promise<void> {
  if (NUMBER_KINDS.every((kind) => said[kind] === undefined)) return;
  await holdSecretKey(tx, app);
  await lockWallets(tx);
}

/**
 * The numbers of the input that differ from the current ones. The caller has locked the usage row: a payment is
 * either counted before, and its number stays the requisite's, or it reads the new number.
 */
export async function changeNumbers(
  tx: Tx,
  app: App,
  row: RequisiteRow,
  said: Said,
): Promise<Changed> {
  const { id } = row;
  const wanted = NUMBER_KINDS.flatMap((kind) => {
    const number = said[kind];
    return number === undefined ? [] : [{ kind, number }];
  });
  if (wanted.length === 0) return { sealed: {}, words: {} };
  const before = openWallets(app.secrets, row);
  const others = wanted.filter(({ kind, number }) => number !== before[kind]);
  const now = app.clock.now();
  const sealed: [string, Buffer][] = [];
  for (const { kind, number } of others) {
    if (kind === "account" && before.account !== null && (await accountStays(tx, id))) {
      throw new Refusal("requisite_account_stays");
    }
    await endNumber(tx, id, kind, now);
    const fresh = sealWallet(app.secrets, id, kind, number);
    if (!(await setNumber(tx, fresh, now))) throw new Refusal("requisite_taken");
    sealed.push([`${kind}_sealed`, fresh.sealed]);
  }
  return {
    sealed: Object.fromEntries(sealed),
    words: Object.fromEntries(others.map(({ kind }) => [`${kind}_changed`, true])),
  };
}
