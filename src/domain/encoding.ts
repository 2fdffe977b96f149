// Texts as bytes in the encodings that banks write; Node only reads the old ones, so the table for writing
// is made by reading every byte.

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
