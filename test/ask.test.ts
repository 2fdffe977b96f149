// A page asks a door: the same checks, the same gate, and what people type.

import assert from "node:assert/strict";
import { it } from "node:test";
import { getBalance } from "../src/features/ledger/get-balance.endpoint.ts";
import {
  createUser,
  readUsers,
  updateUser,
} from "../src/features/merchants/manage-users.endpoint.ts";
import { createRefund } from "../src/features/refunds/manage-refunds.endpoint.ts";
import { ask, fromTexts } from "../src/platform/ask.ts";
import { openOneGateway } from "./one-gateway.ts";

const { gateway, own } = await openOneGateway();
const { operator_id: id } = await own.get("me");
const { app } = gateway;
const as = (role: "operator" | "viewer") => ({ id, name: "page", role });

it("is answered as a call over HTTP is, also where the path names something", async () => {
  const { user } = await ask(app, createUser, { name: "asked" }, as("operator"));
  const renamed = await ask(
    app,
    updateUser,
    { user_id: user.user_id, name: "again" },
    as("operator"),
  );
  assert.equal(renamed.name, "again");
  const { items } = await ask(app, readUsers, { limit: 200 }, as("viewer"));
  assert.ok(items.some(({ name }) => name === "again"));
});

it("refuses who may not, what the door would not take, and a door that knows no sessions", async () => {
  await assert.rejects(ask(app, createUser, { name: "x" }, as("viewer")), /viewer/i);
  await assert.rejects(ask(app, createUser, { name: "" }, as("operator")));
  await assert.rejects(ask(app, createUser, { name: "x", no: 1 } as never, as("operator")));
  await assert.rejects(ask(app, getBalance, {} as never, as("operator")), /no door for pages/);
});

it("reads numbers as people write them, and leaves to the door what is none", () => {
  const amount = (text: string) => fromTexts(createRefund, { amount: text }).amount;
  assert.deepEqual(
    ["1 519,80", "1519.8", " 7 ", "1\u202f000"].map(amount),
    [1519.8, 1519.8, 7, 1000],
  );
  const none = ["1e3", "0x10", "--1", "NaN"];
  assert.deepEqual(none.map(amount), none);
  for (const text of ["1,2,3", "150,000", "150.000"])
    assert.throws(() => amount(text), { name: "Error", fields: ["amount"] });
  assert.deepEqual(fromTexts(createRefund, { amount: ["1", "2"], reason: "", other: "x" }), {
    amount: 2,
  });
});
