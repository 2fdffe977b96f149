// /desk/payouts/files: a file is made, kept, and answered by the bank.

import assert from "node:assert/strict";
import { it } from "node:test";
import { freshAmount, freshReference, resultsFile } from "../../../test/desk.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { CARD, pauseRail, payouts } from "../../../test/payouts.ts";
import { anna, setAnnasRole, wordsIn } from "../../../test/people.ts";

const { gateway, own, trade } = await openOneGateway();
await pauseRail(gateway);
const user = payouts(gateway, trade);
await user.earn(1);

it("303: made; the bytes with whole numbers for who may; the bank's answer settles it", async () => {
  const visit = await anna(gateway);
  assert.match(wordsIn(await visit.open("/desk/payouts/files")), /No file was made yet/);
  const id = await user.made({ amount: freshAmount() });
  const made = await visit.fill("/desk/payouts/files/new", "/desk/payouts/files/new", {
    format: "csv",
  });
  assert.equal(made.status, 303, wordsIn(made.text));
  assert.ok(!(await visit.open(made.location)).includes(CARD));
  const file = await visit.post(made.location);
  assert.match(
    file.headers.get("content-disposition") ?? "",
    /attachment; filename="payouts-.*\.csv"/,
  );
  assert.ok(file.text.includes(CARD));
  const number = file.text.split("\r\n")[1]?.split(";")[0];
  const body = new FormData();
  const answer = Buffer.from(resultsFile(`${number};sent;${freshReference()};`), "base64");
  body.append("file", new Blob([answer]), "answer.csv");
  const settled = await visit.send(`${made.location}/results`, { method: "POST", body });
  assert.match(wordsIn(settled.text), /Rows 1 Settled 1/);
  assert.equal((await own.get(`payouts/${id}`)).payout.state, "done");
  // Brought to the bank once more it would pay twice: shown to who wants to look at it, and says so.
  const over = await visit.post(made.location);
  assert.equal(over.status, 422);
  assert.ok(wordsIn(over.text).includes(`${number}. Do not bring it to the bank`), over.text);
  assert.ok(!over.text.includes(CARD));
  assert.match(over.text, /<button class="button danger" name="not_for_bank" value="true">/);
  const seen = await visit.post(made.location, { not_for_bank: "true" });
  assert.equal(seen.text, file.text);
  assert.match(seen.headers.get("content-disposition") ?? "", /-not-for-bank\.csv"/);
  await setAnnasRole(own, "viewer");
  assert.equal((await visit.post(made.location)).status, 403);
  assert.doesNotMatch(await visit.open(made.location), /<form[^>]*files/);
});
