// Movements in the ledger: what left, what the bank took, what went between own accounts. Guards that a movement is
// booked once, however many formats tell of it: by the unique place that it has among equal ones of its day.

import { assignMovements } from "../../domain/line-outcome.ts";
import { type MovementKind, movementSeen, movementUndone } from "../../domain/posting.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { post } from "../ledger/post.ts";
import { addMovements, freeMovements, freeUntold, replaceMovement } from "./movement-queries.ts";

/** What a line tells. */
interface Told {
  readonly requisiteId: string;
  readonly currency: string;
  readonly format: string;
  readonly direction: "in" | "out";
  readonly day: string;
  readonly amountMinor: bigint;
}

/** A line that is no payer's money. */
interface MovementLine extends Told {
  readonly id: string;
  readonly kind: MovementKind;
}

/** What the ledger has a movement as. */
export interface Movement {
  readonly id: string;
  readonly kind: MovementKind;
}

/** Each of two that take the same place at once finds in the next round what the other has added. */
const MOST_ROUNDS = 10;

/** The movement of each line; those that no other format has told of are booked. */
export async function tellMovements(
  tx: Tx,
  app: App,
  lines: readonly MovementLine[],
): Promise<ReadonlyMap<string, Movement>> {
  if (lines.length === 0) return new Map();
  const asked = lines.map((line) => ({ ...line, lineId: line.id, bucket: bucketOf(line) }));
  const buckets = [...new Map(asked.map((line) => [line.bucket, line])).values()];
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const found = assignMovements(asked, await freeMovements(tx, buckets));
    const untold = lines.filter(({ id }) => !found.has(id));
    if (untold.length === 0) return found;
    const fresh = untold.map((line) => ({ ...line, id: app.newId() }));
    const added = await addMovements(tx, fresh);
    const postings = fresh
      .filter(({ id }) => added.has(id))
      .map((movement) => movementSeen({ ...movement, sourceId: movement.id }));
    await post(tx, app, postings);
  }
  throw new Error("A line has found no movement.");
}

function bucketOf({ requisiteId, format, direction, day, amountMinor }: MovementLine): string {
  return [requisiteId, format, direction, day, amountMinor].join(" ");
}

/** A line tells of a movement no more: without any other line it goes out of the ledger. */
export async function untellMovement(
  tx: Tx,
  app: App,
  { id: sourceId, kind }: Movement,
  line: Told,
): Promise<void> {
  const isOver = await freeUntold(tx, sourceId);
  if (isOver) await post(tx, app, [movementUndone({ ...line, sourceId, kind })]);
}

/** A movement is what this line says, for all lines that tell of it. */
export async function correctMovement(
  tx: Tx,
  app: App,
  { id: sourceId, kind: was }: Movement,
  { kind, ...line }: Told & Pick<Movement, "kind">,
): Promise<Movement> {
  const next = { id: app.newId(), kind };
  await replaceMovement(tx, sourceId, next);
  await post(tx, app, [
    movementUndone({ ...line, sourceId, kind: was }),
    movementSeen({ ...line, sourceId: next.id, kind }),
  ]);
  return next;
}
