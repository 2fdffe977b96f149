// Callers who have proven themselves, known while the settings stand. Guards that a proof is never worth
// more than the settings it was made by: whoever relies on one has to find, in the statement that does
// the work, that the version of the settings is still the same, and else answers that it is stale.

import { hash } from "node:crypto";
import type { App } from "./app.ts";
import { type Db, joined } from "./db.ts";
import type { Claim, Endpoint } from "./endpoint.ts";
import { HttpFailure } from "./failure.ts";
import { InvalidInput } from "./problem.ts";

/** The answer to a call whose proof is older than the settings: the caller is proven again. */
export class StaleProof extends HttpFailure {
  constructor() {
    super("overloaded");
  }
}

interface Ways<Data> {
  /** Somebody who is known already, without a statement. */
  readonly known: unknown;
  prove(): Promise<unknown>;
  ask(principal: unknown): Promise<Data>;
  /** Proves and asks in one; slower, and never stale. */
  askHeld(): Promise<Data>;
}

const MAX_PROOFS = 2;

/**
 * Somebody who is known already is proven again only where the work finds that the proof is stale; or
 * where the input is wrong, because nobody is told about the input before it is certain who asks. Where
 * the settings do not stand still for as long as a call takes, they are held for it.
 */
export async function proven<Data>({ known, prove, ask, askHeld }: Ways<Data>): Promise<Data> {
  for (let tries = 1; tries <= MAX_PROOFS; tries += 1) {
    const principal = tries === 1 && known !== undefined ? known : await prove();
    try {
      return await ask(principal);
    } catch (error) {
      if (error instanceof InvalidInput && principal === known) await prove();
      if (!(error instanceof StaleProof)) throw error;
    }
  }
  return askHeld();
}

export interface HeldCall {
  readonly claim: Claim;
  readonly input: unknown;
}

/** Who calls is proven in the transaction of the work, while changes of the settings wait for its end. */
export function runHeld(
  app: App,
  { gate, handle }: Endpoint,
  calls: readonly HeldCall[],
): Promise<unknown[]> {
  return app.db.transaction(async (tx) => {
    const held: App = { ...app, db: joined(tx) };
    await gate.hold?.(tx);
    const claims = calls.map(({ claim }) => claim);
    const principals = (await gate.lookUp(held, claims)).map((one) => one ?? gate.refusal());
    const own = calls
      .map(({ input }, index) => ({ input: input as never, principal: principals[index] }))
      .filter(({ principal }) => !(principal instanceof Error));
    const answers = (own.length === 0 ? [] : await handle(held, own)).values();
    return principals.map((one) => (one instanceof Error ? one : answers.next().value));
  });
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
