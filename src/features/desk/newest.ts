// A list that a page counts or sums up: page after page, as far as that is worth its time.

const MOST_COUNTED = 1000;
/** As many as a door gives at once. */
export const PAGE = 200;

/** All of a list, the newest first, or its newest: `next` says whether there are more. */
export async function newestOf<Item>(
  pageAfter: (
    after: string | undefined,
  ) => Promise<{ items: readonly Item[]; next: string | null }>,
) {
  const all: Item[] = [];
  let next: string | null = null;
  do {
    const page = await pageAfter(next ?? undefined);
    all.push(...page.items);
    next = page.next;
  } while (next !== null && all.length < MOST_COUNTED);
  return { items: all, next };
}
