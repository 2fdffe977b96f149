// Loaded before everything else in a process that is to have a bug: some source texts are changed as
// they are loaded, none on the disk. A text that is not found ends the process, because a bug that was
// not planted proves nothing.

import { registerHooks } from "node:module";

export interface Rewrite {
  /** Under src/. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** The rewrites of a process, as JSON. */
export const PLANTED = "KOPECK_TORTURE_PLANTED";

export function rewritten(source: string, { file, from, to }: Rewrite): string {
  if (!source.includes(from)) throw new Error(`${file} does not say any more: ${from}`);
  return source.replaceAll(from, () => to);
}

const rewrites = JSON.parse(process.env[PLANTED] ?? "[]") as readonly Rewrite[];

if (rewrites.length > 0) {
  const waiting = new Set(rewrites);
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const own = rewrites.filter(({ file }) => url.endsWith(`/src/${file}`));
      if (own.length === 0) return loaded;
      let source = Buffer.from(loaded.source as Uint8Array).toString("utf8");
      for (const rewrite of own) {
        source = rewritten(source, rewrite);
        waiting.delete(rewrite);
      }
      return { ...loaded, source };
    },
  });
  process.on("exit", () => {
    if (waiting.size === 0) return;
    process.stderr.write(`never loaded: ${[...waiting].map(({ file }) => file).join(", ")}\n`);
    process.exitCode = 3;
  });
}
