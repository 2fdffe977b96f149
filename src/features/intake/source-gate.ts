// Who reports: a source, proven by its token, or by a signature of what it sends. Guards that a source opens
// one door, that a signature holds for five minutes, and that a wrong secret costs the same work whoever it
// is for.

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

export function sealSourceKey(secrets: Secrets, sourceId: string, key: string): Buffer {
  return secrets.seal(`${sourceId} source key`, key);
}

export function openSourceKey(secrets: Secrets, sourceId: string, sealed: Buffer): string {
  return secrets.open(`${sourceId} source key`, sealed);
}

/** A signature and what it is of, as one secret: the seconds, the hexadecimal digest, the body. */
const SIGNED = /^signed (\d{9,11}) ([0-9a-f]{64}) (.*)$/is;
const SIGNATURE_SECONDS = 5 * 60;

export const sourceGate: Gate<Source> = {
  name: "sourceToken",
  header: "access-token",
  description:
    "The token of the source that the path names, here or as Authorization: Bearer. Of a source that signs " +
    "instead: X-Signature, the hexadecimal HMAC-SHA256 of the body and the seconds in X-Timestamp.",
  refusal: (missing) => new Refusal("unauthorized", {}, missing),
  secretOf(headers, body) {
    const of = (name: string): string => {
      const value = headers[name];
      return typeof value === "string" ? value : "";
    };
    const signature = of("x-signature");
    if (signature !== "") return `signed ${of("x-timestamp")} ${signature} ${body ?? ""}`;
    return of("access-token") || (/^Bearer +(\S+)$/i.exec(of("authorization"))?.[1] ?? "");
  },
  async lookUp(app, presented) {
    const ids = presented.map(({ id }) => id.toLowerCase()).filter((id) => UUID.test(id));
    const rows = new Map((await livingSources(app.db, ids)).map((row) => [row.id, row]));
    return presented.map((claim) => prove(app, claim, rows.get(claim.id.toLowerCase())));
  },
};

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const NOBODY = Buffer.alloc(32);

function prove(app: App, { id, secret }: Credentials, row?: SourceRow): Source | undefined {
  const { secrets } = app;
  const [, seconds, signature = "", body = ""] = SIGNED.exec(secret) ?? [];
  const isProven =
    seconds === undefined
      ? sameDigest(
          row?.token_digest ?? NOBODY,
          sourceTokenDigest(secrets, id.toLowerCase(), secret),
        )
      : isSigned(app, row, { seconds, signature, body });
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
  const ageSeconds = Math.abs(clock.now().getTime() / 1000 - Number(seconds));
  const isSame = sameDigest(right, Buffer.from(signature, "hex"));
  return isSame && sealed !== null && ageSeconds <= SIGNATURE_SECONDS;
}
