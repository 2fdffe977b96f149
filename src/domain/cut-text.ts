// The beginning of a text. Guards that none ends in half of a character, as an emoji in two would be: a set of rows
// with such a half in it is nothing that the database reads.

export function cutText(text: string, most: number): string {
  return text.slice(0, most).toWellFormed();
}
