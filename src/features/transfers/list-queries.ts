// The ways into the transfers, by the index that leads to the fewest rows.

import type { TransferState } from "../../domain/transfer.ts";
import type { Ways } from "../operators/noun.ts";
import type { TransferRow } from "./nouns.ts";

export type TransferView = TransferRow;

interface TransferFilter {
  readonly state?: TransferState;
  readonly reference?: string;
  readonly amountMinor: bigint | undefined;
  readonly requisiteIds: readonly string[] | undefined;
}

export function waysToTransfers(filter: TransferFilter): Ways {
  const { state, reference, amountMinor, requisiteIds: ids } = filter;
  const isWaiting = state === "suspense";
  return {
    by: {
      reference,
      // One look-up a requisite.
      "requisite_id in (select id from requisites)": reference === undefined ? undefined : true,
      // What waits is little, and has an index of its own.
      "state = 'suspense'": isWaiting ? true : undefined,
    },
    each: ids && { column: "requisite_id", ids },
    filters: { state: isWaiting ? undefined : state, amount_minor: amountMinor },
  };
}
