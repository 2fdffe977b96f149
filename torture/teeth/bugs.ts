// Twenty-five ways to lose money, each by a few words that are missing or wrong.

import type { Bug } from "./bug.ts";
import { MONEY_BUGS } from "./money-bugs.ts";
import { OTHER_BUGS } from "./other-bugs.ts";
import { RACE_BUGS } from "./race-bugs.ts";

export const BUGS: readonly Bug[] = [...MONEY_BUGS, ...OTHER_BUGS, ...RACE_BUGS];
