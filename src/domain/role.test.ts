// The table of rights, cell by cell: written here once more, in another form, so that a slip in one of them shows.

import assert from "node:assert/strict";
import { it } from "node:test";
import { MEMBER_ROLES, may, RIGHTS, type Right, rightsOf } from "./role.ts";

/** Columns in the order of owner, developer, accountant, support. */
const CELLS: Readonly<Record<Right, string>> = {
  look: "++++",
  payer: "+-++",
  balance: "+-+-",
  resend: "++-+",
  link: "++++",
  refund: "+-+-",
  ask_payout: "+-+-",
  confirm_payout: "+---",
  settings: "++--",
  keys: "++--",
  people: "+---",
};

it("each role may exactly what the table says", () => {
  assert.deepEqual(MEMBER_ROLES, ["owner", "developer", "accountant", "support"]);
  assert.deepEqual(Object.keys(RIGHTS), Object.keys(CELLS));
  for (const right of Object.keys(CELLS) as Right[]) {
    const row = MEMBER_ROLES.map((role) => (may(role, right) ? "+" : "-")).join("");
    assert.equal(row, CELLS[right], right);
  }
});

it("an owner may everything, and nobody may what an owner may not", () => {
  assert.deepEqual(rightsOf("owner"), Object.keys(RIGHTS));
  assert.deepEqual(rightsOf("support"), ["look", "payer", "resend", "link"]);
});
