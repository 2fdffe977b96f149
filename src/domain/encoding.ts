// Texts from and to bytes, in the encodings that banks write. Unknown bytes are refused.

import { Refusal } from "./refusal.ts";
import { rowAt } from "./statement.ts";

export const TEXT_ENCODINGS = ["utf-8", "windows-1251", "ibm866"] as const;

export type TextEncoding = (typeof TEXT_ENCODINGS)[number];

/** A letter that the encoding has not is written as a question mark, as banks do. */
export function encodeText(text: string, encoding: TextEncoding): Uint8Array {
  if (encoding === "utf-8") return Buffer.from(text);
  const bytes = new TextDecoder(encoding).decode(
    Uint8Array.from({ length: 256 }, (_, byte) => byte),
  );
  const table = new Map([...bytes].map((letter, byte) => [letter, byte]));
  return Uint8Array.from([...text], (letter) => table.get(letter) ?? 0x3f);
}

/** Where a header of an exchange file says its encoding, in that encoding. */
const HEADER_BYTES = 4_096;
const HEADER_WORD = "Кодировка";

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const NO_TEXT = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/;

export function decodeText(bytes: Uint8Array): string {
  const text = unicodeText(bytes) ?? decode(bytes, oldEncodingOf(bytes)) ?? "\0";
  const at = text.search(NO_TEXT);
  if (at !== -1) throw new Refusal("statement_undecodable", { row: String(rowAt(text, at)) });
  return text;
}

/** UTF-16 says so by its first bytes; nothing else that is read here passes for UTF-8 but UTF-8. */
function unicodeText(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return decode(bytes, "utf-16le");
  if (first === 0xfe && second === 0xff) return decode(bytes, "utf-16be");
  return decode(bytes, "utf-8");
}

/** The header's word can be read in the file's own encoding only. */
function oldEncodingOf(bytes: Uint8Array): string {
  const head = bytes.subarray(0, HEADER_BYTES);
  const found = ["windows-1251", "ibm866"].find((one) => decode(head, one)?.includes(HEADER_WORD));
  return found ?? "windows-1251";
}

/** Without its byte order mark. */
function decode(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
