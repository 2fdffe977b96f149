// Tokens at the desk: made and shown once, revoked.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { anna } from "../../../test/people.ts";

const { gateway, own } = await openOneGateway();
const visit = await anna(gateway);

it("makes a token that is shown once, and revokes it", async () => {
  const path = "/desk/operators/new";
  const made = await visit.fill(path, path, {
    name: "reports",
    role: "viewer",
    expires_in_days: "90",
  });
  assert.match(made.text, /<code>kop_/);
  const token = (await own.get("operators")).items.find(
    (one: { name: string }) => one.name === "reports",
  );
  const revoke = `/desk/operators/${token.operator_id}/revoke`;
  assert.match(await visit.open("/desk/operators"), new RegExp(revoke));
  await visit.fill(revoke, revoke);
  assert.doesNotMatch(await visit.open("/desk/operators"), new RegExp(revoke));
});
