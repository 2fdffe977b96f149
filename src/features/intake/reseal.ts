// What sources have sealed, under another secret key, and whether it opens at all.

import type { Queryable, Tx } from "../../platform/db.ts";
import type { Secrets } from "../../platform/secret.ts";
import { replaceTexts, sealedTexts } from "./message-queries.ts";
import { openSourceKey, sealSourceKey } from "./source-gate.ts";
import { openText, sealText } from "./source-nouns.ts";
import { everySourceKey, replaceSourceKey } from "./source-queries.ts";

const PAGE = 1_000;
const FIRST = "00000000-0000-0000-0000-000000000000";

async function* pagesOf(db: Queryable) {
  let page = await sealedTexts(db, FIRST, PAGE);
  while (page.length > 0) {
    yield page;
    page = await sealedTexts(db, page.at(-1)?.id ?? FIRST, PAGE);
  }
}

/** How many keys and texts were sealed anew; whoever has locked the installation knows that these are all. */
export async function resealSources(tx: Tx, present: Secrets, next: Secrets): Promise<number> {
  let sealed = 0;
  for (const { id, key_sealed: key } of await everySourceKey(tx)) {
    await replaceSourceKey(tx, id, sealSourceKey(next, id, openSourceKey(present, id, key)));
    sealed += 1;
  }
  for await (const page of pagesOf(tx)) {
    const fresh = page.map((one) => ({
      id: one.id,
      text_sealed: sealText(next, one.id, openText(present, one)),
    }));
    await replaceTexts(tx, fresh);
    sealed += page.length;
  }
  return sealed;
}

/** Those that do not open with this secret key, in words. */
export async function sourceFaults(db: Queryable, secrets: Secrets): Promise<string[]> {
  const keys = (await everySourceKey(db)).map(({ id, key_sealed: key }) => ({
    what: `the key of source ${id}`,
    open: () => openSourceKey(secrets, id, key),
  }));
  const faults = keys.filter((one) => !opens(one.open)).map(({ what }) => `${what} does not open`);
  for await (const page of pagesOf(db)) {
    const broken = page.filter((one) => !opens(() => openText(secrets, one)));
    faults.push(...broken.map(({ id }) => `the text of message ${id} does not open`));
  }
  return faults;
}

function opens(open: () => string): boolean {
  try {
    open();
    return true;
  } catch {
    return false;
  }
}
