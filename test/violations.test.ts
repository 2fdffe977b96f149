// The check of the books can fail: each planted corruption is found, under its own number.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { findViolations, type Violation } from "../src/features/ledger/queries.ts";
import { assertBooksAreRight } from "./books.ts";
import { CORRUPTIONS, GUARDED, UNGUARDED } from "./corruptions.ts";
import { onEachEngine, openTestGateway, type TestGateway } from "./gateway.ts";
import { liveALittle } from "./little-life.ts";

onEachEngine("the check of the books", (engine) => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await openTestGateway(engine);
    await liveALittle(gateway);
  });
  after(() => gateway.stop());

  it("finds nothing while they are right", () => assertBooksAreRight(gateway));

  for (const [name, invariant, sql] of CORRUPTIONS) {
    it(`finds that ${name} (${invariant})`, async () => {
      const { db, clock } = gateway.app;
      let found: Violation[] = [];
      const plant = db.transaction(async (tx) => {
        await tx.query(UNGUARDED + sql);
        if (invariant !== 2) {
          await tx.query(GUARDED);
        }
        found = await findViolations(tx, new Date(clock.now().getTime() + 10_000));
        throw new Error("planted");
      });
      await assert.rejects(plant, /planted/);
      assert.ok(
        found.some((one) => one.invariant === invariant),
        JSON.stringify(found),
      );
    });
  }

  it("finds nothing afterwards either", () => assertBooksAreRight(gateway));
});
