// Forms of pages, from bytes to fields, also those that bring a file. Guards that what is no form is refused,
// whatever it is, and that reading one takes one walk over its bytes.

import type { FastifyInstance } from "fastify";
import type { InTurn } from "./body.ts";
import { HttpFailure } from "./failure.ts";

export function acceptFormsOnly(server: FastifyInstance, inTurn: InTurn): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser<string>(
    "application/x-www-form-urlencoded",
    { parseAs: "string" },
    (_request, text, done) => inTurn(text.length, done, () => readForm(text)),
  );
  server.addContentTypeParser<Buffer>(
    "multipart/form-data",
    { parseAs: "buffer" },
    ({ headers }, bytes, done) =>
      inTurn(bytes.length, done, () => readMultipart(headers["content-type"] ?? "", bytes)),
  );
}

/** More than any form here has, with every box of it ticked; a field takes 1.5 µs to read, and 64 KiB hold 32,000. */
const MAX_FORM_FIELDS = 512;

/** A field that was sent several times has all of its texts. */
export function readForm(text: string): Record<string, string | string[]> {
  // What was left out would be taken for what somebody has unticked.
  if (text.split("&", MAX_FORM_FIELDS + 1).length > MAX_FORM_FIELDS)
    throw new HttpFailure("body_too_large");
  return gathered([...new URLSearchParams(text)]);
}

function gathered<Value>(entries: readonly (readonly [string, Value])[]) {
  const form = new Map<string, Value | Value[]>();
  for (const [name, value] of entries) {
    const before = form.get(name);
    if (before === undefined) form.set(name, value);
    else form.set(name, Array.isArray(before) ? [...before, value] : [before, value]);
  }
  return Object.fromEntries(form);
}

/** Far more than any form here has. */
const MAX_PARTS = 64;
const MAX_HEAD_BYTES = 4_096;

export interface FormFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export function readMultipart(
  contentType: string,
  body: Buffer,
): Record<string, string | string[] | FormFile> {
  const boundary = /;\s*boundary=(?:"([^"]{1,70})"|([^;\s]{1,70}))/i.exec(contentType);
  const mark = boundary?.[1] ?? boundary?.[2];
  if (mark === undefined) throw new HttpFailure("form_expected");
  const line = Buffer.from(`\r\n--${mark}`);
  const form = new Map<string, string | string[] | FormFile>();
  // The first boundary has no line before it.
  let at = body.subarray(0, line.length - 2).equals(line.subarray(2)) ? line.length - 2 : -1;
  for (let parts = 0; at >= 0 && parts < MAX_PARTS; parts += 1) {
    if (body.toString("latin1", at, at + 2) === "--") return Object.fromEntries(form);
    const headEnd = body.subarray(at, at + MAX_HEAD_BYTES).indexOf("\r\n\r\n");
    const end = headEnd < 0 ? -1 : body.indexOf(line, at + headEnd + 2);
    if (end < 0) break;
    const { name, fileName } = namesIn(body.toString("utf8", at, at + headEnd));
    const bytes = body.subarray(at + headEnd + 4, Math.max(end, at + headEnd + 4));
    if (fileName !== undefined) form.set(name, { name: fileName, bytes });
    else form.set(name, joined(form.get(name), bytes.toString("utf8")));
    at = end + line.length;
  }
  throw new HttpFailure("form_expected");
}

function joined(before: string | string[] | FormFile | undefined, text: string): string | string[] {
  if (typeof before === "string") return [before, text];
  return Array.isArray(before) ? [...before, text] : text;
}

function namesIn(head: string): { name: string; fileName: string | undefined } {
  const [, fields = ""] = /^content-disposition:\s*form-data((?:;.*)?)$/im.exec(head) ?? [];
  const name = /;\s*name="([^"]*)"/i.exec(fields)?.[1];
  if (name === undefined) throw new HttpFailure("form_expected");
  return { name, fileName: /;\s*filename="([^"]*)"/i.exec(fields)?.[1] };
}
