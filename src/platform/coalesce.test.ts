// Calls that arrive together share a set; nobody suffers from a neighbour; the queue has an end.

import assert from "node:assert/strict";
import { it } from "node:test";
import { coalesce } from "./coalesce.ts";
import { LockTimeout } from "./db-failure.ts";
import { HttpFailure } from "./failure.ts";

type Options = Parameters<typeof coalesce<number, number>>[0];

/** Answers each call with itself, unless it is told what happens to a set; keeps the sets. */
function echoing(
  happens: (calls: readonly number[]) => unknown = () => {},
  options: Partial<Options> = {},
) {
  const sets: number[][] = [];
  const run: Options["run"] = async (calls) => {
    sets.push([...calls]);
    const instead = (await happens(calls)) as (number | Error)[] | undefined;
    return instead ?? calls;
  };
  return { sets, echo: coalesce<number, number>({ ...options, run }) };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));
const statusesOf = async (calls: Promise<number>[]) =>
  (await Promise.allSettled(calls)).map(({ status }) => status);

it("gathers what arrives while a set is on its way, up to the largest size", async () => {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const { sets, echo } = echoing(() => opened, { maxSetSize: 3 });
  const first = echo(0);
  await turn();
  assert.deepEqual(sets, [[0]], "a lone call is a set of one at once");
  const rest = [1, 2, 3, 4, 5].map((call) => echo(call));
  open();
  assert.deepEqual(await Promise.all([first, ...rest]), [0, 1, 2, 3, 4, 5]);
  assert.deepEqual(sets, [[0], [1, 2, 3], [4, 5]]);
});

it("lets a second set go beside the first where there are two lanes, and no third", async () => {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const { sets, echo } = echoing(() => opened, { lanes: 2 });
  const answers: Promise<number>[] = [];
  for (const call of [0, 1, 2]) {
    answers.push(echo(call));
    await turn();
  }
  assert.deepEqual(sets, [[0], [1]]);
  open();
  assert.deepEqual(await Promise.all(answers), [0, 1, 2]);
});

it("refuses one call of a set without the others", async () => {
  const { echo } = echoing((calls) => calls.map((call) => (call % 2 ? call : new Error("even"))));
  const calls = [echo(1), echo(2), echo(3)];
  assert.deepEqual(await statusesOf(calls), ["fulfilled", "rejected", "fulfilled"]);
  await assert.rejects(calls[1] ?? assert.fail(), /even/);
});

it("runs each alone when a set fails unexpectedly, so that only the bad one fails", async () => {
  const { sets, echo } = echoing((calls) => {
    if (calls.includes(13)) throw new Error("bad call");
  });
  const calls = [echo(1), echo(13), echo(2)];
  assert.deepEqual(await statusesOf(calls), ["fulfilled", "rejected", "fulfilled"]);
  assert.deepEqual(sets, [[1, 13, 2], [1], [13], [2]]);
});

it("does not repeat a set whose failure is expected, such as a database that is away", async () => {
  const { sets, echo } = echoing(() => Promise.reject(new HttpFailure("unavailable")));
  assert.deepEqual(await statusesOf([echo(1), echo(2)]), ["rejected", "rejected"]);
  assert.equal(sets.length, 1);
});

it("runs each alone, at the same time, when one of a set waits for a lock in vain", async () => {
  const { echo } = echoing((calls) => {
    if (calls.includes(13)) throw new LockTimeout(undefined);
  });
  const calls = [echo(1), echo(13), echo(2)];
  assert.deepEqual(await statusesOf(calls), ["fulfilled", "rejected", "fulfilled"]);
});

it("treats a set with too few answers as failed", async () => {
  await assert.rejects(echoing(() => []).echo(1), /must answer each/);
});

it("answers 503 past the longest queue, and serves the rest", async () => {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const { echo } = echoing(() => opened, { maxQueueLength: 2 });
  const first = echo(0);
  await turn();
  const queued = [echo(1), echo(2)];
  await assert.rejects(echo(3), { code: "overloaded", status: 503, retryAfterSeconds: 1 });
  open();
  assert.deepEqual(await Promise.all([first, ...queued]), [0, 1, 2]);
});
