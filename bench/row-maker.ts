// What measures one row, or a few that are measured together.

import type { Row, RowName } from "./row.ts";
import type { Scene } from "./scene.ts";
import type { EngineName } from "./stage.ts";

export interface RowMaker {
  readonly names: readonly RowName[];
  readonly engines?: readonly EngineName[];
  /** The quick form leaves it to the full one on all other engines. */
  readonly quickOn?: readonly EngineName[];
  measure(scene: Scene): Promise<Row[]>;
}
