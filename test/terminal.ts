// A terminal for a test: what a program shows to a person who sits there, and what that person types.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { stripVTControlCharacters } from "node:util";

/** What a test that needs one is skipped for. */
export const NO_TERMINAL =
  spawnSync("script", ["--version"]).status !== 0 && "needs script of util-linux";

interface Seat {
  readonly env?: Record<string, string>;
  readonly columns?: number;
  /** What is typed once the program has shown the given text. */
  readonly typed?: readonly [after: RegExp, text: string];
}

/** Everything that stands on the screen in the end, and the exit code. */
export async function onTerminal(words: readonly string[], { env, columns = 200, typed }: Seat) {
  const quoted = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const child = spawn("script", ["-qec", `stty cols ${columns}; exec ${quoted}`, "/dev/null"], {
    env: { PATH: process.env["PATH"], TERM: "xterm", NO_COLOR: "1", ...env },
  });
  let screen = "";
  let isTyped = false;
  child.stdout.on("data", (bytes: Buffer) => {
    screen += bytes;
    if (typed === undefined || isTyped || !typed[0].test(screen)) return;
    isTyped = true;
    child.stdin.write(typed[1]);
  });
  const [code] = await once(child, "close");
  return { code, raw: screen, screen: stripVTControlCharacters(screen).replaceAll("\r\n", "\n") };
}
