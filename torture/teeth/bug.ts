// A bug that can be planted: some words of the source changed, and the guards of the database that would
// stop it taken away. What is tried are the checks of the torture, not the second lock on the door.

import type { Rewrite } from "./plant.ts";

export interface Bug {
  readonly name: string;
  readonly rewrites: readonly Rewrite[];
  /** Guards of the database that are taken away. */
  readonly sql?: string;
  /** Only two at once can show it: a race on a real PostgreSQL, and which. */
  readonly race?: "refunds" | "transfers" | "releases";
}

export const drop = (table: string, constraint: string): string =>
  `alter table ${table} drop constraint ${constraint};`;
