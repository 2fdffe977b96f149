// A file while it waits to be applied: sealed, with whatever is needed to read it again.

import type { CsvProfile } from "../../domain/statement-csv.ts";
import type { Secrets } from "../../platform/secret.ts";
import type { BroughtContent } from "./import-queries.ts";
import type { BroughtFile } from "./read-file.ts";

interface Content {
  readonly base64: string;
  readonly profile?: CsvProfile | undefined;
}

export function sealContent(secrets: Secrets, importId: string, content: Content): Buffer {
  return secrets.seal(importId, JSON.stringify(content));
}

export function openContent(
  secrets: Secrets,
  { id, requisite_id: requisiteId, content_sealed: sealed }: BroughtContent,
): BroughtFile {
  const content: unknown = JSON.parse(secrets.open(id, sealed));
  const { base64, profile } = content as Content;
  return { bytes: Buffer.from(base64, "base64"), requisiteId, profile };
}
