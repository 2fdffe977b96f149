// A list as the texts of a file, page after page. Guards that a file that does not hold everything says so, where
// whoever adds it up comes by.

import { numberText } from "../screens/locale.ts";
import type { Look } from "../screens/look.ts";

const CUT = {
  en: (most: string, at: string) => {
    const older = at === "" ? "Older ones are" : `What is older than ${at} is`;
    return `NOT ALL ROWS ARE HERE: a file holds ${most}. ${older} missing: take shorter periods.`;
  },
  ru: (most: string, at: string) => {
    const older = at === "" ? "Более старых" : `Того, что раньше ${at},`;
    return `ЗДЕСЬ НЕ ВСЕ СТРОКИ: в файл входит ${most}. ${older} здесь нет: возьмите периоды короче.`;
  },
};

/** What stands below the last row of a file that does not hold all of them. */
export function cutWords({ language }: Look, most: number, moment = ""): string {
  return CUT[language](numberText(most, language), moment);
}

interface Listed<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

interface Wanted<Item> {
  pageAfter(next: string): Promise<Listed<Item>>;
  /** The first begins the file. */
  textOf(items: readonly Item[], isFirst: boolean): Promise<string>;
  /** What stands at the end of one that is cut. */
  cutAt(next: string): string;
  readonly most: number;
}

export async function* fileParts<Item>(
  first: Listed<Item>,
  { pageAfter, textOf, cutAt, most }: Wanted<Item>,
): AsyncGenerator<string> {
  let page = first;
  // A page without rows has been looked through, too.
  for (let sent = 0; ; ) {
    yield await textOf(page.items, sent === 0);
    sent += Math.max(1, page.items.length);
    if (page.next === null) return;
    if (sent >= most) {
      yield cutAt(page.next);
      return;
    }
    page = await pageAfter(page.next);
  }
}
