// A source proves itself by its token, or by a signature that holds for five minutes. A wrong
// secret costs the same work for every source.

import { createHmac } from "node:crypto";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Credentials, Gate } from "../../platform/endpoint.ts";
import { type Secrets, sameDigest } from "../../platform/secret.ts";
import type { SourceRow } from "./source-nouns.ts";
import { livingSources } from "./source-queries.ts";

export type Source = Omit<SourceRow, "token_digest" | "key_sealed">;

export function sourceTokenDigest(secrets: Secrets, sourceId: string, token: string): Buffer {
  return secrets.digest("source token", `${sourceId}\0${token}`);
}

export function sourceKeySeal(sourceId: string): string {
  return `${sourceId} source key`;
}

export function sealSourceKey(secrets: Secrets, sourceId: string, key: string): Buffer {
  return secrets.seal(sourceKeySeal(sourceId), key);
}

function openSourceKey(secrets: Secrets, sourceId: string, sealed: Buffer): string {
  return secrets.open(sourceKeySeal(sourceId), sealed);
}

const SIGNATURE_SECONDS = 5 * 60;

export const sourceGate: Gate<Source> = {
  name: "sourceToken",
  header: "access-token",
  description:
    "The token of the source that the path names, here or as Authorization: Bearer. Of a source that signs " +
    "instead: X-Signature, the hexadecimal HMAC-SHA256 of the body and the seconds in X-Timestamp.",
  refusal: (missing) => new Refusal("unauthorized", {}, missing),
  // Two forms that no header can write: which one a request has is decided here, and nowhere else.
  secretOf(headers, body = "") {
    const of = (name: string): string => {
      const value = headers[name];
      return typeof value === "string" ? value : "";
    };
    const signature = of("x-signature");
    if (signature !== "") {
      return JSON.stringify({ seconds: of("x-timestamp"), signature, body } satisfies Presented);
    }
    const token = of("access-token") || (/^Bearer +(\S+)$/i.exec(of("authorization"))?.[1] ?? "");
    return token === "" ? "" : JSON.stringify({ token } satisfies Presented);
  },
  async lookUp(app, presented) {
    const ids = presented.map(({ id }) => id.toLowerCase()).filter((id) => UUID.test(id));
    const rows = new Map((await livingSources(app.db, ids)).map((row) => [row.id, row]));
    return presented.map((claim) => prove(app, claim, rows.get(claim.id.toLowerCase())));
  },
};

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const NOBODY = Buffer.alloc(32);

type Presented = { readonly token: string } | Signed;

function prove(app: App, { id, secret }: Credentials, row?: SourceRow): Source | undefined {
  const presented: Presented = secret === "" ? { token: "" } : JSON.parse(secret);
  const isProven =
    "token" in presented
      ? sameDigest(
          row?.token_digest ?? NOBODY,
          sourceTokenDigest(app.secrets, id.toLowerCase(), presented.token),
        )
      : isSigned(app, row, presented);
  if (row === undefined || !isProven) return undefined;
  const { token_digest: _digest, key_sealed: _key, ...source } = row;
  return source;
}

interface Signed {
  readonly seconds: string;
  readonly signature: string;
  readonly body: string;
}

/** Who has no key is compared as well, with one that nobody has. */
function isSigned({ secrets, clock }: App, row: SourceRow | undefined, signed: Signed): boolean {
  const { seconds, signature, body } = signed;
  const sealed = row?.key_sealed ?? null;
  const key =
    row === undefined || sealed === null ? NOBODY : openSourceKey(secrets, row.id, sealed);
  const right = createHmac("sha256", key)
    .update(body + seconds)
    .digest();
  const signedAt = /^\d{9,11}$/.test(seconds) ? Number(seconds) : Number.NaN;
  const ageSeconds = Math.abs(clock.now().getTime() / 1000 - signedAt);
  const isSame = sameDigest(right, Buffer.from(signature, "hex"));
  return isSame && sealed !== null && ageSeconds <= SIGNATURE_SECONDS;
}
