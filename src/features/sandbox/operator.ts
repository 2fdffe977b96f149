// The sandbox's operator: one token that everybody knows, for the verbs that only a sandbox has.

import { Refusal } from "../../domain/refusal.ts";
import type { Gate } from "../../platform/endpoint.ts";
import { sameDigest } from "../../platform/secret.ts";

const OPERATOR_TOKEN = "sandbox_operator_token";

export const sandboxOperatorGate: Gate<{ readonly name: string }> = {
  name: "sandboxOperator",
  header: "authorization",
  description: `The sandbox's operator: Bearer ${OPERATOR_TOKEN}.`,
  refusal: () => new Refusal("unauthorized"),
  async lookUp({ secrets }, claims) {
    const right = secrets.digest("operator", `Bearer ${OPERATOR_TOKEN}`);
    return claims.map(({ secret }) =>
      sameDigest(secrets.digest("operator", secret), right) ? { name: "sandbox" } : undefined,
    );
  },
};
