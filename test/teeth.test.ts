// The bugs that the torture plants: each must still be there to be planted, its text in the source and the guards that
// would stop it in the database. A part that breaks down on either has caught nothing, and looks as if it had.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { BUGS, checkSharpness } from "../torture/teeth.ts";
import { openTestGateway, type TestGateway } from "./gateway.ts";
import { ONE_ENGINE } from "./one-gateway.ts";

class Undone extends Error {}

describe("every planted bug", () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await openTestGateway(ONE_ENGINE);
  });
  after(() => gateway.stop());

  it("changes a text that is there", checkSharpness);

  for (const { name, guards } of BUGS.filter((bug) => bug.guards.length > 0)) {
    it(`takes guards away that are there: ${name}`, async () => {
      const taken = gateway.app.db.transaction(async (tx) => {
        for (const guard of guards) await tx.query(guard, []);
        throw new Undone();
      });
      await assert.rejects(taken, Undone);
    });
  }
});
