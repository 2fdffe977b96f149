// Texts without invisible characters, and cut without splitting a character.

/** Controls, formats, fillers, variations, an empty cell of braille, and what is no letter of anybody's. */
const INVISIBLE = /(?!\s)\p{C}|\p{Default_Ignorable_Code_Point}|\u2800/gu;

/** Without what nobody sees, and with one plain space where there is any. */
export function visibleText(written: string): string {
  return written.replace(INVISIBLE, "").replace(/\s+/g, " ").trim();
}

export function cutText(text: string, most: number): string {
  return text.slice(0, most).toWellFormed();
}
