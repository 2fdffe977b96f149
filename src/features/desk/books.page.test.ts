// The books at the desk: accounts, the statement of one, and asking for a check.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { anna, wordsIn } from "../../../test/people.ts";

const { gateway, trade } = await openOneGateway();
const visit = await anna(gateway);

it("shows accounts and what was booked on one, and lets the books be checked", async () => {
  await trade.pay(await trade.order({ amount: 1000 }));
  assert.match(wordsIn(await visit.open("/desk/books")), /not been checked yet.*Fees/s);
  const fees = await visit.open("/desk/books/fees.RUB");
  assert.match(wordsIn(fees), /Balance 60\.00/);
  assert.match((await visit.get("/desk/books/fees.RUB.csv")).text, /60/);
  const asked = await visit.fill("/desk/books/checks", "/desk/books/check");
  assert.equal(asked.location, "/desk/books/checks");
  assert.match(wordsIn(await visit.open("/desk/books/checks")), /Anna.*under way/);
});
