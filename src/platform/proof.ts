// Callers who have proven themselves, known while the settings stand. Guards that a proof is never worth
// more than the settings it was made by: whoever relies on one has to find, in the statement that does
// the work, that the version of the settings is still the same, and else answers that it is stale.

import { hash } from "node:crypto";
import type { Db } from "./db.ts";
import type { Claim } from "./endpoint.ts";
import { HttpFailure } from "./failure.ts";

/** The answer to a call whose proof is older than the settings: the caller is proven again. */
export class StaleProof extends HttpFailure {
  constructor() {
    // What the caller is told where the settings never stand still for as long as a call takes.
    super("overloaded");
  }
}

interface Proof<Principal> {
  readonly principal: Principal;
  readonly endsAt: Date | null;
}

export interface Proofs<Principal> {
  recall(db: Db, claim: Claim, now: Date): Principal | undefined;
  keep(db: Db, version: bigint, claim: Claim, proof: Proof<Principal>): void;
}

/** Past this many it is begun anew: nothing here grows without end. */
const MAX_KEPT = 10_000;

export function openProofs<Principal>(): Proofs<Principal> {
  const memories = new WeakMap<Db, { version: bigint; kept: Map<string, Proof<Principal>> }>();
  return {
    recall(db, claim, now) {
      const proof = memories.get(db)?.kept.get(keyOf(claim));
      if (proof === undefined || (proof.endsAt !== null && proof.endsAt <= now)) return undefined;
      return proof.principal;
    },
    keep(db, version, claim, proof) {
      let memory = memories.get(db);
      if (memory !== undefined && memory.version > version) return;
      if (memory?.version !== version || memory.kept.size >= MAX_KEPT) {
        memory = { version, kept: new Map() };
        memories.set(db, memory);
      }
      memory.kept.set(keyOf(claim), proof);
    },
  };
}

/** The secret itself is not kept, nor compared: how long that takes tells nothing. */
function keyOf({ id, secret }: Claim): string {
  return hash("sha256", `${id} ${secret}`, "base64url");
}
