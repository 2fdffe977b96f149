// How much work a wrong secret is: the same statements for a holder that exists and for one that does
// not, whatever the process has in mind. Counted, not timed: how long they take is the machine's affair.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { type Take, watch } from "../bench/watched-db.ts";
import { DOORS, type Door, failureOf, knock } from "./contract-doors.ts";
import { onOneEngine, openTestGateway, type TestGateway } from "./gateway.ts";

const NOBODY = "00000000-0000-4000-8000-0000000000ff";
/** What jobs ask in the meantime is not about these. */
const OF_CALLERS = /^(?!.*receivers).*(?:settings_version|api_keys|shops|users|tariffs)/s;

onOneEngine("the statements of a wrong secret", (engine) => {
  let gateway: TestGateway;
  let take: Take;
  before(async () => {
    gateway = await openTestGateway(engine);
    take = watch(gateway.app.db);
  });
  after(() => gateway.stop());

  const cases = (door: Door) => ({
    "an unknown identifier": { id: NOBODY, secret: door.secret },
    "a wrong secret": { id: door.id, secret: "wrong" },
    "a missing header": { id: door.id, secret: undefined },
    "the secret of another": { id: door.id, secret: door.other.secret },
    "a secret that is right elsewhere": { id: door.other.id, secret: door.secret },
  });

  const statementsOf = async (door: Door, id: string, secret: string | undefined) => {
    const options = { headers: { [door.header]: secret } };
    const body = door.body?.(id, NOBODY);
    take();
    failureOf(
      await gateway.call(door.path(id), body === undefined ? options : { body, ...options }),
      401,
    );
    return take()
      .map(({ text }) => text)
      .filter((text) => OF_CALLERS.test(text));
  };

  for (const door of DOORS) {
    /** What was asked before, by which a process has this or that in mind. */
    const before: Record<string, () => Promise<unknown>> = {
      // All that a process has in mind is worth nothing after a change.
      "on a cold process": () => gateway.app.db.query("update shops set name = name", []),
      "on a warm process": async () => {
        const { id, secret } = door.other;
        assert.equal((await knock(gateway, door)).status, 200);
        await gateway.call(door.path(id), { headers: { [door.header]: secret } });
      },
    };
    for (const [name, prepare] of Object.entries(before)) {
      it(`${door.name}: are the same ${name}, and the second time`, async () => {
        let first: string[] | undefined;
        for (const [wrong, { id, secret }] of Object.entries(cases(door))) {
          await prepare();
          const statements = await statementsOf(door, id, secret);
          first ??= statements;
          assert.ok(first.length > 0);
          assert.deepEqual(statements, first, wrong);
        }
        for (const { id, secret } of Object.values(cases(door))) {
          const once = await statementsOf(door, id, secret);
          assert.deepEqual(await statementsOf(door, id, secret), once);
        }
      });
    }
  }
});
