// Who manages the gateway, proven by a token. Guards that a viewer changes nothing, that a cashier sets
// nothing, that a bank only tells of money, and that a token which was revoked or has run out opens nothing.

import { Refusal, type RefusalCode } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Credentials, Gate } from "../../platform/endpoint.ts";
import type { Secrets } from "../../platform/secret.ts";
import type { OperatorRow, Role } from "./nouns.ts";
import { livingOperators } from "./queries.ts";

export type Operator = Pick<OperatorRow, "id" | "name" | "role">;

export function tokenDigest(secrets: Secrets, token: string): Buffer {
  return secrets.digest("operator token", token);
}

async function prove(
  { db, clock, secrets }: App,
  presented: readonly Credentials[],
): Promise<(Operator | undefined)[]> {
  const sent = new Set(presented.map(({ secret }) => secret));
  const digests = new Map(
    [...sent].map((secret) => [secret, tokenDigest(secrets, tokenOf(secret))]),
  );
  const rows = await livingOperators(db, [...digests.values()], clock.now());
  // The token itself is never looked for, only its keyed digest: how long that takes tells nothing.
  const byDigest = new Map(rows.map((row) => [row.digest.toString("hex"), row]));
  return presented.map(({ secret }) => {
    const row = byDigest.get(digests.get(secret)?.toString("hex") ?? "");
    return row && { id: row.id, name: row.name, role: row.role };
  });
}

function tokenOf(header: string): string {
  return /^Bearer +(\S+)$/i.exec(header)?.[1] ?? "";
}

/** What those hear who are known, and may do something else. */
const NOT_ENOUGH: Readonly<Record<Role, RefusalCode>> = {
  viewer: "viewer_cannot_change",
  cashier: "cashier_sets_nothing",
  bank: "bank_only_adds_transfers",
  // Operators may do everything; a gate that keeps them out would be a mistake.
  operator: "unauthorized",
};

function gateFor(
  roles: readonly Role[],
  words: Pick<Gate<Operator>, "name" | "description" | "callers" | "forbids">,
): Gate<Operator> {
  const admits = ({ role }: Operator) =>
    roles.includes(role) ? undefined : new Refusal(NOT_ENOUGH[role]);
  return {
    ...words,
    header: "authorization",
    refusal: (missing) => new Refusal("unauthorized", {}, missing),
    admits,
    async lookUp(app, presented) {
      const operators = await prove(app, presented);
      return operators.map((operator) => operator && (admits(operator) ?? operator));
    },
  };
}

/** For what only looks. */
export const viewerGate = gateFor(["operator", "cashier", "viewer"], {
  name: "viewer",
  description: "Bearer and the token of an operator whose role is operator, cashier or viewer.",
  callers: "operators",
  forbids: "The token is a bank's.",
});

/** For what changes something. */
export const operatorGate = gateFor(["operator"], {
  name: "operator",
  description: "Bearer and the token of an operator whose role is operator.",
  callers: "operators",
  forbids: "The token is a cashier's, a viewer's or a bank's.",
});

/** For what is done with money that is on its way, by hand and every day. */
export const cashierGate = gateFor(["operator", "cashier"], {
  name: "cashier",
  description: "Bearer and the token of an operator whose role is operator or cashier.",
  callers: "operators",
  forbids: "The token is a viewer's or a bank's.",
});

/** For telling of money that arrived: what a program that reads a bank needs, and nothing else. */
export const bankGate = gateFor(["operator", "cashier", "bank"], {
  name: "bank",
  description: "Bearer and the token of an operator whose role is operator, cashier or bank.",
  forbids: "The token is a viewer's.",
});
