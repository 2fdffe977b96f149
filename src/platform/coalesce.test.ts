// Calls that arrive together share a set; nobody suffers from a neighbour; the queue has an end.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { coalesce } from "./coalesce.ts";
import { Held } from "./db-held.ts";
import { HttpFailure } from "./failure.ts";

function gate() {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), opened };
}

describe("coalesce", () => {
  it("runs a lone call at once as a set of one", async () => {
    const sets: number[][] = [];
    const double = coalesce<number, number>({
      run: async (calls) => {
        sets.push([...calls]);
        return calls.map((call) => call * 2);
      },
    });
    assert.equal(await double(21), 42);
    assert.deepEqual(sets, [[21]]);
  });

  it("gathers what arrives while a set is on its way, up to the largest size", async () => {
    const sets: number[][] = [];
    const { open, opened } = gate();
    const echo = coalesce<number, number>({
      maxSetSize: 3,
      run: async (calls) => {
        sets.push([...calls]);
        if (sets.length === 1) await opened;
        return calls;
      },
    });
    const first = echo(0);
    await new Promise((resolve) => setImmediate(resolve));
    const rest = [1, 2, 3, 4, 5].map((call) => echo(call));
    open();
    assert.deepEqual(await Promise.all([first, ...rest]), [0, 1, 2, 3, 4, 5]);
    assert.deepEqual(sets, [[0], [1, 2, 3], [4, 5]]);
  });

  it("lets a second set go beside the first where there are two lanes, and no third", async () => {
    const sets: number[][] = [];
    const { open, opened } = gate();
    const echo = coalesce<number, number>({
      lanes: 2,
      run: async (calls) => {
        sets.push([...calls]);
        await opened;
        return calls;
      },
    });
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const answers = [echo(0)];
    await turn();
    answers.push(echo(1));
    await turn();
    answers.push(echo(2));
    await turn();
    assert.deepEqual(sets, [[0], [1]]);
    open();
    assert.deepEqual(await Promise.all(answers), [0, 1, 2]);
    assert.deepEqual(sets, [[0], [1], [2]]);
  });

  it("refuses one call of a set without the others", async () => {
    const odd = coalesce<number, number>({
      run: async (calls) => calls.map((call) => (call % 2 ? call : new Error(`even ${call}`))),
    });
    const [one, two, three] = await Promise.allSettled([odd(1), odd(2), odd(3)]);
    assert.equal(one?.status, "fulfilled");
    assert.equal(two?.status === "rejected" && (two.reason as Error).message, "even 2");
    assert.equal(three?.status, "fulfilled");
  });

  it("runs each alone when a set fails unexpectedly, so that only the bad one fails", async () => {
    const sets: number[] = [];
    const fragile = coalesce<number, number>({
      run: async (calls) => {
        sets.push(calls.length);
        if (calls.includes(13)) throw new Error("bad call");
        return calls;
      },
    });
    const outcomes = await Promise.allSettled([fragile(1), fragile(13), fragile(2)]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ["fulfilled", "rejected", "fulfilled"],
    );
    assert.deepEqual(sets, [3, 1, 1, 1]);
  });

  it("does not repeat a set whose failure is expected, such as a database that is away", async () => {
    let runs = 0;
    const away = coalesce<number, number>({
      run: async () => {
        runs += 1;
        throw new HttpFailure("unavailable");
      },
    });
    const outcomes = await Promise.allSettled([away(1), away(2)]);
    assert.ok(outcomes.every(({ status }) => status === "rejected"));
    assert.equal(runs, 1);
  });

  it("asks a call that needs a held row again later, and answers its neighbours at once", async () => {
    let isHeld = true;
    const sets: number[][] = [];
    const echo = coalesce<number, number>({
      run: async (calls) => {
        sets.push([...calls]);
        return calls.map((call) => (call === 13 && isHeld ? new Held() : call));
      },
    });
    const held = echo(13);
    assert.deepEqual(await Promise.all([echo(1), echo(2)]), [1, 2]);
    assert.deepEqual(sets, [[13, 1, 2]]);
    assert.equal(await echo(3), 3);
    isHeld = false;
    assert.equal(await held, 13);
  });

  it("where a set cannot say which of them needs the held row, each is asked alone", async () => {
    let isHeld = true;
    const echo = coalesce<number, number>({
      run: async (calls) => {
        if (calls.includes(13) && isHeld) throw new Held();
        return calls;
      },
    });
    const held = echo(13);
    assert.deepEqual(await Promise.all([echo(1), echo(2)]), [1, 2]);
    isHeld = false;
    assert.equal(await held, 13);
  });

  it("treats a set with too few answers as failed", async () => {
    const short = coalesce<number, number>({ run: async () => [] });
    await assert.rejects(short(1), /must answer each/);
  });

  it("answers 503 past the longest queue, and serves the rest", async () => {
    const { open, opened } = gate();
    const slow = coalesce<number, number>({
      maxQueueLength: 2,
      run: async (calls) => {
        await opened;
        return calls;
      },
    });
    const first = slow(0);
    await new Promise((resolve) => setImmediate(resolve));
    const queued = [slow(1), slow(2)];
    await assert.rejects(slow(3), { code: "overloaded", status: 503, retryAfterSeconds: 1 });
    open();
    assert.deepEqual(await Promise.all([first, ...queued]), [0, 1, 2]);
  });
});
