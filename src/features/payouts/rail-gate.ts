// Which rail tells of its attempts, proven by a signature of what it sends. Guards that a signature holds for five
// minutes, and that a wrong one costs the same work whoever it is for.

import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Credentials, Gate } from "../../platform/endpoint.ts";
import { HttpFailure } from "../../platform/failure.ts";
import { sameDigest } from "../../platform/secret.ts";
import { type RailRow, railsByCode } from "./rail-queries.ts";
import { namesTwoStates, openRailSecret, railSignature, SECRET_PREFIX } from "./rail-secret.ts";

export type Rail = Pick<RailRow, "code">;

const HEADERS = ["webhook-id", "webhook-timestamp", "webhook-signature"] as const;
const SIGNATURE_SECONDS = 5 * 60;
/** A rotation has two at once. */
const MOST_SIGNATURES = 4;

export const railGate: Gate<Rail> = {
  name: "railSignature",
  header: "webhook-signature",
  description:
    "What the rail that the path names has signed with its secret, by the Standard Webhooks: v1 and the base64 " +
    "HMAC-SHA256 of webhook-id, webhook-timestamp and the body, joined by dots.",
  refusal: (missing) => new Refusal("unauthorized", {}, missing),
  secretOf(headers, body = "") {
    if (namesTwoStates(body)) throw new HttpFailure("malformed_json");
    const [id, seconds, signature] = HEADERS.map((name) => headers[name]);
    if (typeof signature !== "string" || signature === "") return "";
    return JSON.stringify([String(id), String(seconds), signature, body]);
  },
  async lookUp(app, presented) {
    const codes = presented.map(({ id }) => id);
    const rows = new Map((await railsByCode(app.db, codes)).map((row) => [row.code, row]));
    return presented.map((claim) => prove(app, claim, rows.get(claim.id)));
  },
};

/** Who has no secret is compared as well, with one that nobody has. */
function prove({ secrets, clock }: App, { secret }: Credentials, row?: RailRow): Rail | undefined {
  const [id, seconds, signatures, body] = partsOf(secret);
  const sealed = row?.secret_sealed ?? null;
  const key =
    row === undefined || sealed === null
      ? SECRET_PREFIX
      : openRailSecret(secrets, row.code, sealed);
  const right = railSignature(key, { id, seconds, body });
  const isSigned = signatures
    .split(" ", MOST_SIGNATURES)
    .map((one) => sameDigest(right, Buffer.from(one.replace(/^v1,/, ""), "base64")))
    .includes(true);
  const ageSeconds = Math.abs(clock.now().getTime() / 1000 - Number(seconds));
  const isFresh = ageSeconds <= SIGNATURE_SECONDS;
  return row !== undefined && sealed !== null && isSigned && isFresh
    ? { code: row.code }
    : undefined;
}

function partsOf(secret: string): [id: string, seconds: string, signatures: string, body: string] {
  const [id = "", seconds = "", signatures = "", body = ""] =
    secret === "" ? [] : (JSON.parse(secret) as string[]);
  return [id, seconds, signatures, body];
}
