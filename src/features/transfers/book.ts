// Money as it is told by whoever sees a card's statement: by the card's number or its requisite. The one
// way in, for a bank's program, an operator and the sandbox alike.

import { needsTwo } from "../../domain/approval.ts";
import { minorFromNumber } from "../../domain/money.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { butErrors } from "../../platform/failure.ts";
import { requisitesById } from "../requisites/queries.ts";
import { ownersByWallet } from "../requisites/wallet.ts";
import { type Accepted, type Arrival, acceptTransfers } from "./transfers.ts";

export interface Told {
  readonly wallet?: string | undefined;
  readonly requisite_id?: string | undefined;
  readonly amount: number;
  readonly reference: string;
  readonly made_at?: string | undefined;
  readonly payer?: string | undefined;
  /** Whether a person tells of it, as in the sandbox, or a bank's program. */
  readonly channel?: "hand" | "api";
  /** Whether that person is an operator at work, whose word alone is not enough from a sum on. */
  readonly isByOperator?: boolean;
}

/** Numbers whose owners the caller knows are not asked about. */
export async function bookTold(
  tx: Tx,
  app: App,
  told: readonly Told[],
  known: Owners = new Map(),
): Promise<(Accepted | Error)[]> {
  const receiverOf = await receivers(tx, app, told, known);
  const arrivals = told.map((one): Arrival | Refusal => {
    const receiver = receiverOf(one);
    if (receiver instanceof Refusal) return receiver;
    const { amount, reference, made_at: madeAt, payer = null, channel = "hand" } = one;
    const amountMinor = minorFromNumber(amount) ?? 0n;
    const needsSecond = one.isByOperator && needsTwo(amountMinor, app.config.fourEyesFrom);
    return {
      requisiteId: receiver.id,
      currency: receiver.currency,
      reference,
      payer,
      channel,
      amountMinor,
      hold: needsSecond ? "told_by_hand" : undefined,
      ...(madeAt === undefined ? {} : { madeAt }),
    };
  });
  return butErrors(arrivals, (known) => acceptTransfers(tx, app, known));
}

interface Receiver {
  readonly id: string;
  readonly currency: string;
}

export type Owners = ReadonlyMap<string, Receiver>;

/** Where each arrived. Who names both the number and the requisite means one and the same. */
async function receivers(
  tx: Tx,
  { secrets }: App,
  told: readonly Told[],
  known: Owners,
): Promise<(one: Told) => Receiver | Refusal> {
  const wallets = walletsIn(told).filter((wallet) => !known.has(wallet));
  const ids = [...new Set(told.flatMap(({ requisite_id: id }) => id?.toLowerCase() ?? []))];
  const [owners, rows] = await Promise.all([
    wallets.length === 0 ? known : ownersByWallet(tx, secrets, wallets),
    ids.length === 0 ? [] : requisitesById(tx, ids),
  ]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ({ wallet, requisite_id: id }) => {
    const named = id === undefined ? undefined : byId.get(id.toLowerCase());
    if (id !== undefined && named === undefined) return new Refusal("requisite_not_found");
    if (wallet === undefined && named !== undefined) return named;
    const owner = known.get(wallet ?? "") ?? owners.get(wallet ?? "");
    const isOther = owner === undefined || (named !== undefined && named.id !== owner.id);
    return isOther ? new Refusal("wallet_unknown") : owner;
  };
}

export function walletsIn(told: readonly Pick<Told, "wallet">[]): string[] {
  return [...new Set(told.flatMap(({ wallet }) => wallet ?? []))];
}
