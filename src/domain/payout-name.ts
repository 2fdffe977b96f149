// What in a statement's text may be the name of a payout: whole words alone, compared to the letter. Guards that
// no likeness decides about money, and no word so short that a date or a contract's number could be it.

const LEAST_LENGTH = 8;
const MOST_WORDS = 40;

/** From a letter or digit to one, with what names of documents are written with. */
const RUN = /[\p{L}\p{N}](?:[\p{L}\p{N}._/-]*[\p{L}\p{N}])?/gu;

export function payoutWords(text: string): string[] {
  const words = new Set<string>();
  for (const [run] of text.matchAll(RUN)) {
    for (const word of [/(?!)/, "/", /[._/]/, /[._/-]/].flatMap((by) => run.split(by))) {
      if (word.length >= LEAST_LENGTH && /\p{N}/u.test(word)) words.add(word);
    }
    if (words.size >= MOST_WORDS) break;
  }
  return [...words];
}
