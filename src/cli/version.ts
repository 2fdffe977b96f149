// Which Kopeck this is, for a command line that opens nothing else.

import { readFileSync } from "node:fs";
import { join } from "node:path";

const manifest = readFileSync(join(import.meta.dirname, "../../package.json"), "utf8");

export const VERSION = String((JSON.parse(manifest) as { version: string }).version);
