// Loaded before everything else in a process that is to have a bug: some source texts are changed as
// they are loaded, none on the disk. A text that is not found ends the process, because a bug that was
// not planted proves nothing. Guards of the database are taken away by the last of the migrations.

import { registerHooks } from "node:module";

export interface Rewrite {
  /** Under src/. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** The rewrites of a process, as JSON; whoever starts a gateway hands it on. */
export const PLANTED = "KOPECK_TORTURE_PLANTED";

export function rewritten(source: string, { file, from, to }: Rewrite): string {
  if (!source.includes(from)) throw new Error(`${file} does not say any more: ${from}`);
  return source.replaceAll(from, () => to);
}

const rewrites = JSON.parse(process.env[PLANTED] ?? "[]") as readonly Rewrite[];

if (rewrites.length > 0) {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const own = rewrites.filter(({ file }) => url.endsWith(`/src/${file}`));
      if (own.length === 0) return loaded;
      const source = Buffer.from(loaded.source as Uint8Array).toString("utf8");
      return { ...loaded, source: own.reduce(rewritten, source) };
    },
  });
}
