// How somebody looks at a screen: in which language, where, and when. Nothing here reads a clock.

import type { Language } from "../../platform/failure.ts";

export interface Look {
  readonly language: Language;
  /** The time zone that moments are shown in. */
  readonly zone: string;
  readonly now: Date;
}
