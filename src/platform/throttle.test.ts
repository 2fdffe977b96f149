// What is taken on at once: no more than was said, and room again when something ends, however it ends.

import assert from "node:assert/strict";
import { it } from "node:test";
import { HttpFailure } from "./failure.ts";
import { atMost } from "./throttle.ts";

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
