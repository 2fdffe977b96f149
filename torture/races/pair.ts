// Two actors that want what only one can have, and what may come of it.

import assert from "node:assert/strict";
import { Refusal, type RefusalCode } from "../../src/domain/refusal.ts";
import type { Answer } from "../../test/gateway.ts";
import { accepted } from "../accepted.ts";
import type { Random } from "../random.ts";
import type { Scene } from "./scene.ts";

export interface Pair {
  readonly name: string;
  /**
   * In which orders the two can come, the left one's first; the outcome shows which it was, and each
   * must come about.
   */
  readonly orders: readonly [string, string];
  /** How much earlier the left one is let go at first: a job is at its rows sooner than a request. */
  readonly leadMs: number;
  /** Whether several of its races may run at once: then calls of several share a set. */
  readonly inCrowds: boolean;
  prepare(scene: Scene, count: number, random: Random): Promise<readonly Race[]>;
}

export interface Race {
  /** What has to happen right before it. */
  ready?(): Promise<void> | void;
  left(): Promise<unknown>;
  right(): Promise<unknown>;
  /** Throws where the outcome is not one of those allowed; else in which order they came. */
  judge(): Promise<string>;
}

interface Sides<Left, Right> {
  ready?(): Promise<void> | void;
  left(): Promise<Left>;
  right(): Promise<Right>;
  judge(left: Left, right: Right): Promise<string>;
}

/** Keeps what both have answered for the judge. */
export function race<Left, Right>({ ready, left, right, judge }: Sides<Left, Right>): Race {
  const answers: { left?: Left; right?: Right } = {};
  return {
    ...(ready === undefined ? {} : { ready }),
    async left() {
      answers.left = await left();
    },
    async right() {
      answers.right = await right();
    },
    judge: () => judge(answers.left as Left, answers.right as Right),
  };
}

export const SYMMETRIC = {
  orders: ["left first", "right first"],
  leadMs: 0,
} as const satisfies Partial<Pair>;

export async function several<One>(
  count: number,
  make: (index: number) => Promise<One>,
): Promise<One[]> {
  const all: One[] = [];
  // One after another: each is older than the next.
  for (let index = 0; index < count; index += 1) all.push(await make(index));
  return all;
}

/** Of two answers, one must be a success and the other this refusal: whose is the success? */
export function oneAccepted(left: Answer, right: Answer, code: RefusalCode): "left" | "right" {
  const [winner, loser] = left.status === 200 ? [left, right] : [right, left];
  accepted(winner);
  assertRefused(loser, code);
  return winner === left ? "left" : "right";
}

export function assertRefused(
  { status, text, body }: Answer,
  code: RefusalCode,
  params: Readonly<Record<string, string>> = {},
): void {
  const refusal = new Refusal(code, params);
  assert.equal(status, refusal.status, text);
  // Where all problems of an input are told, a refusal is one in a list.
  assert.deepEqual([body.error].flat(), [refusal.words("en")]);
}
