// Every command that talks to a running gateway, in the order of the help.

import type { Command } from "./command.ts";
import { MONEY_COMMANDS } from "./money-commands.ts";
import { SETUP_COMMANDS } from "./setup-commands.ts";

export const COMMANDS: readonly Command[] = [...SETUP_COMMANDS, ...MONEY_COMMANDS];
