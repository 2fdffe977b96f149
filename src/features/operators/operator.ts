// Who manages the gateway, proven by a token. Guards that a viewer changes nothing, that a cashier sets
// nothing, that a bank only tells of money, and that a token which was revoked or has run out opens nothing.

import { Refusal, type RefusalCode } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import { settingsVersion } from "../../platform/db.ts";
import type { Credentials, Gate } from "../../platform/endpoint.ts";
import { isOver, keptAtVersion, type Proven } from "../../platform/remember.ts";
import type { Secrets } from "../../platform/secret.ts";
import type { OperatorRow, Role } from "./nouns.ts";
import { livingOperators } from "./queries.ts";

export type Operator = Pick<OperatorRow, "id" | "name" | "role"> &
  // Of one who was proven by a token: by the settings of which version.
  Partial<Proven>;

export function tokenDigest(secrets: Secrets, token: string): Buffer {
  return secrets.digest("operator token", token);
}

/** Somebody who was proven by a token, and until when it lives. */
interface Proof {
  readonly operator: Operator;
  readonly endsAt: Date | null;
}

const proofs = keptAtVersion<Proof>();

/** The version is asked for once the claims are there: a token whose end was answered before is not found under it. */
async function prove(
  app: App,
  presented: readonly Credentials[],
): Promise<(Operator | undefined)[]> {
  const version = await settingsVersion(app.db);
  const kept = proofs(app, version);
  const now = app.clock.now();
  // The token itself is never looked for, only its keyed digest: how long that takes tells nothing.
  const sent = new Set(presented.map(({ secret }) => secret));
  const digests = new Map(
    [...sent].map((secret) => [secret, tokenDigest(app.secrets, tokenOf(secret)).toString("hex")]),
  );
  const strangers = [...digests.values()].filter((digest) => !kept.has(digest));
  if (strangers.length > 0) {
    const wanted = strangers.map((digest) => Buffer.from(digest, "hex"));
    const rows = await livingOperators(app.db, wanted, now);
    for (const { id, name, role, digest, ends_at: endsAt } of rows) {
      kept.set(digest.toString("hex"), {
        operator: { id, name, role, settingsVersion: version },
        endsAt,
      });
    }
  }
  return presented.map(({ secret }) => {
    const proof = kept.get(digests.get(secret) ?? "");
    return proof === undefined || isOver(proof.endsAt, now) ? undefined : proof.operator;
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
