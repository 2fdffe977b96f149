// What is taken on at once: no more than was said, and room again when something ends, however it ends.

import assert from "node:assert/strict";
import { it } from "node:test";
import { HttpFailure } from "./failure.ts";
import { atMost, openThrottle } from "./throttle.ts";

it("so much at once is run at once, and more is refused with 503", async () => {
  const run = atMost(2);
  const first = Promise.withResolvers<string>();
  const second = Promise.withResolvers<string>();
  const both = [run(() => first.promise), run(() => second.promise)];
  const isOverloaded = (error: unknown) => error instanceof HttpFailure && error.status === 503;
  await assert.rejects(
    run(() => assert.fail("it was run")),
    isOverloaded,
  );
  first.resolve("done");
  assert.equal(await both[0], "done");
  const third = run(async () => "third");
  assert.equal(await third, "third");
  second.resolve("done as well");
  assert.equal(await both[1], "done as well");
});

it("so much at once leaves room again where work has failed", async () => {
  const run = atMost(1);
  await assert.rejects(
    run(() => Promise.reject(new Error("the work's own"))),
    /the work's own/,
  );
  assert.equal(await run(async () => "next"), "next");
});

it("so much more waits for its turn, in order, and only past that is the answer 503", async () => {
  const run = atMost(1, 2);
  const first = Promise.withResolvers<void>();
  const done: string[] = [];
  const running = run(() => first.promise);
  const waiting = ["second", "third"].map((name) => run(async () => void done.push(name)));
  await assert.rejects(
    run(() => assert.fail("it was run")),
    HttpFailure,
  );
  assert.deepEqual(done, []);
  first.reject(new Error("the work's own"));
  await assert.rejects(running, /the work's own/);
  await Promise.all(waiting);
  assert.deepEqual(done, ["second", "third"]);
  assert.equal(await run(async () => "free again"), "free again");
});

it("who asks more often than allowed is still given all that is allowed", () => {
  let ms = 0;
  const throttle = openThrottle({ now: () => new Date(ms) }, { burst: 10, perSecond: 5 });
  const asked = Array.from({ length: 1_000 }, () => {
    ms += 7;
    return throttle.allows("one");
  });
  assert.equal(asked.filter(Boolean).length, 10 + Math.floor((5 * (999 * 7)) / 1_000));
});
