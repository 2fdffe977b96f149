// Who manages the gateway, proven by a token. Guards that a viewer changes nothing, and that a token
// which was revoked or has run out opens nothing.

import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Claim, Gate } from "../../platform/endpoint.ts";
import type { Secrets } from "../../platform/secret.ts";
import { livingOperators } from "./queries.ts";

export const ROLES = ["operator", "viewer"] as const;
export type Role = (typeof ROLES)[number];

export interface Operator {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}

export function tokenDigest(secrets: Secrets, token: string): Buffer {
  return secrets.digest("operator token", token);
}

async function prove(
  { db, clock, secrets }: App,
  claims: readonly Claim[],
): Promise<(Operator | undefined)[]> {
  const sent = new Set(claims.map(({ secret }) => secret));
  const digests = new Map(
    [...sent].map((secret) => [secret, tokenDigest(secrets, tokenOf(secret))]),
  );
  const rows = await livingOperators(db, [...digests.values()], clock.now());
  // The token itself is never looked for, only its keyed digest: how long that takes tells nothing.
  const byDigest = new Map(rows.map((row) => [row.digest.toString("hex"), row]));
  return claims.map(({ secret }) => {
    const row = byDigest.get(digests.get(secret)?.toString("hex") ?? "");
    return row && { id: row.id, name: row.name, role: row.role };
  });
}

function tokenOf(header: string): string {
  return /^Bearer +(\S+)$/i.exec(header)?.[1] ?? "";
}

const refusal = (): Refusal => new Refusal("unauthorized");

/** For what only looks. */
export const viewerGate: Gate<Operator> = {
  name: "viewer",
  header: "authorization",
  description: "Bearer and the token of an operator, whatever the role.",
  callers: "operators",
  refusal,
  lookUp: prove,
};

/** For what changes something. */
export const operatorGate: Gate<Operator> = {
  name: "operator",
  header: "authorization",
  description: "Bearer and the token of an operator whose role is operator.",
  callers: "operators",
  forbids: "The token is a viewer's.",
  refusal,
  async lookUp(app, claims) {
    const operators = await prove(app, claims);
    return operators.map((operator) =>
      operator?.role === "viewer" ? new Refusal("viewer_cannot_change") : operator,
    );
  },
};
