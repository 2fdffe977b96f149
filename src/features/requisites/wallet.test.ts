// Opening the numbers of requisites: what is kept of it, and for whom.

import assert from "node:assert/strict";
import { it } from "node:test";
import type { App } from "../../platform/app.ts";
import { openSecrets } from "../../platform/secret.ts";
import { maskedWallets, numberOf, sealWallet } from "./wallet.ts";

const secrets = openSecrets(Buffer.alloc(32, 1));
const app = { secrets, memory: new Map() } as unknown as App;
const card_sealed = sealWallet(secrets, "one", "card", "2200000000000004").sealed;
const requisite = { id: "one", card_sealed, phone_sealed: null, account_sealed: null };

it("a number that was opened once does not open for another requisite, nor as another kind of number, whose row it was put in", () => {
  assert.equal(numberOf(app, "one", "card", card_sealed), "2200000000000004");
  assert.equal(maskedWallets(app, requisite).card, "220000******0004");
  const other = { ...requisite, id: "two" };
  assert.throws(() => numberOf(app, "two", "card", card_sealed));
  assert.throws(() => maskedWallets(app, other));
  assert.throws(() => numberOf(app, "one", "phone", card_sealed));
  assert.throws(() => maskedWallets(app, { ...requisite, phone_sealed: card_sealed }));
});
