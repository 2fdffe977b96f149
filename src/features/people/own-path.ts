// What came in an address or a form, as a path of ours or as a text that doors take.

/** Longer than any address that a page makes; what stands before us may refuse a longer header. */
const MAX_PATH_CHARACTERS = 4_000;

/** A path of ours and nothing else, whatever it was made of. */
export function ownPath(wanted: string | undefined, otherwise = "/start"): string {
  const isShort = (wanted?.length ?? 0) <= MAX_PATH_CHARACTERS;
  const isOwn =
    wanted !== undefined && isShort && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(wanted);
  return isOwn ? wanted : otherwise;
}

const SOUGHT_CHARACTERS = 255;

/** What somebody looks for, as doors take it: no longer than any name, and no character that was cut in two. */
export function soughtIn(text = ""): string {
  return [...text.toWellFormed().trim()].slice(0, SOUGHT_CHARACTERS).join("").trim();
}
