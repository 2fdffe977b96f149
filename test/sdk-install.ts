// The SDK as a stranger gets it: built and packed in a copy, unpacked into the node_modules of a
// project outside of this one. No registry is asked.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

const TOP = join(import.meta.dirname, "..");
export const BINARIES = join(TOP, "node_modules/.bin");

export interface Project {
  readonly folder: string;
  /** What the package holds, as npm lists it. */
  readonly packed: readonly string[];
  /** Where the package lies. */
  readonly sdk: string;
  remove(): void;
}

export function installSdk(): Project {
  const home = mkdtempSync(join(tmpdir(), "kopeck-sdk-"));
  const copy = join(home, "copy");
  const folder = join(home, "project");
  const sdk = join(folder, "node_modules/@kopeck/sdk");
  mkdirSync(sdk, { recursive: true });
  const isOurs = (path: string): boolean => !/[/\\](?:dist|node_modules)$/.test(path);
  cpSync(join(TOP, "sdk"), copy, { recursive: true, filter: isOurs });

  const npm = (...args: string[]): string =>
    execFileSync("npm", args, {
      cwd: copy,
      env: environment(home),
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  npm("run", "build");
  const [pack] = JSON.parse(npm("pack", "--json", "--offline")) as [Packed];
  execFileSync("tar", ["-xzf", join(copy, pack.filename), "-C", sdk, "--strip-components=1"]);
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
  return {
    folder,
    sdk,
    packed: pack.files.map(({ path }) => path),
    remove: () => rmSync(home, { recursive: true }),
  };
}

interface Packed {
  readonly filename: string;
  readonly files: { path: string }[];
}

/** Without what an npm above us has left there, which would lead this one back to our folder. */
function environment(home: string): Record<string, string | undefined> {
  const clean = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
  return {
    ...Object.fromEntries(clean),
    PATH: [BINARIES, process.env["PATH"]].join(delimiter),
    npm_config_cache: join(home, "cache"),
    npm_config_update_notifier: "false",
  };
}
