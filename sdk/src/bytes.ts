// The bytes that signatures are over. No type that a caller sees names them: before TypeScript 5.7 there is no
// Uint8Array of something, and whoever has an older one reads the types that lead here as an error.

export type Bytes = Uint8Array<ArrayBuffer>;

const encoder = new TextEncoder();

/** Always a copy, so that whoever owns the bytes cannot change them while they are checked. */
export function bytesOf(content: string | Uint8Array | ArrayBuffer): Bytes {
  if (typeof content === "string") return encoder.encode(content);
  if (ArrayBuffer.isView(content) || content instanceof ArrayBuffer) return new Uint8Array(content);
  // Else every event would be refused as forged, and nobody would know why.
  throw new TypeError("Give the body as it came, bytes or text, not what was parsed of it.");
}

export function bytesOfBase64(text: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
