// GET /account/users/{userId}/balance over HTTP, by status. Guards that the total on the wire is the
// sum of its parts to the kopeck, whatever the accounts hold.

import assert from "node:assert/strict";
import { it } from "node:test";
import { OTHER_USER, USER } from "../../../test/cast.ts";
import { failureOf } from "../../../test/contract-doors.ts";
import type { Answer } from "../../../test/gateway.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";

/** Kopecks as the text of a JSON number: no noise, no exponent, no trailing zeros. */
function wire(minor: bigint): string {
  const digits = String(minor).padStart(3, "0");
  const cents = digits.slice(-2).replace(/0+$/, "");
  return digits.slice(0, -2) + (cents === "" ? "" : `.${cents}`);
}

function balanceText(availableMinor: bigint, frozenMinor: bigint): string {
  return `{"data":{"balance":${wire(availableMinor + frozenMinor)},"active_balance":${wire(availableMinor)},"freeze_balance":${wire(frozenMinor)}},"status":200,"status_check":true}`;
}

const { gateway } = await openOneGateway();

const balance = (userId: string, secret?: string, query = ""): Promise<Answer> =>
  gateway.call(`/account/users/${userId}/balance${query}`, {
    headers: { "x-api-signature-sha256": secret },
  });

const setAccount = (userId: string, currency: string, kind: string, minor: bigint) =>
  gateway.app.db.query(
    `insert into ledger_balances (user_id, currency, ${kind}_minor) values ($1, $2, $3)
     on conflict (user_id, currency) do update set ${kind}_minor = excluded.${kind}_minor`,
    [userId, currency, minor],
  );

it("200: adds up to the kopeck, from nothing to more than a double holds", async () => {
  assert.equal((await balance(USER.id, USER.secret)).text, balanceText(0n, 0n));
  for (const [available, frozen] of [
    [1n, 0n],
    [0n, 1n],
    [10n, 20n],
    [70n, 30n],
    [100n, 5n],
    [123456n, 654321n],
    [1_000_000_000_001n, 99n],
    [3_518_437_208_883_199n, 3_518_437_208_883_200n],
  ] as const) {
    await setAccount(USER.id, "RUB", "available", available);
    await setAccount(USER.id, "RUB", "frozen", frozen);
    const { text } = await balance(USER.id, USER.secret);
    assert.equal(text, balanceText(available, frozen));
  }
});

it("200: counts what is the user's own and not reserved, for many users at once", async () => {
  await setAccount(USER.id, "RUB", "available", 1_050n);
  await setAccount(USER.id, "RUB", "frozen", 200n);
  await setAccount(USER.id, "RUB", "reserved", 77_700n);
  await setAccount(OTHER_USER.id, "RUB", "available", 999n);
  const users = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? USER : OTHER_USER));
  const answers = await Promise.all(users.map(({ id, secret }) => balance(id, secret)));
  for (const [index, { text }] of answers.entries()) {
    assert.equal(text, index % 2 === 0 ? balanceText(1_050n, 200n) : balanceText(999n, 0n));
  }
});

it("200: gives each currency for itself, roubles when none is asked for", async () => {
  for (const kind of ["available", "frozen", "reserved"]) {
    await setAccount(OTHER_USER.id, "USD", kind, kind === "frozen" ? 250n : 100n);
    await setAccount(OTHER_USER.id, "RUB", kind, kind === "frozen" ? 3n : 4n);
  }
  const read = async (query: string) =>
    (await balance(OTHER_USER.id, OTHER_USER.secret, query)).text;
  assert.equal(await read("?currency=USD"), balanceText(100n, 250n));
  assert.equal(await read("?currency=RUB"), balanceText(4n, 3n));
  assert.equal(await read(""), balanceText(4n, 3n));
  assert.equal(await read("?currency="), balanceText(4n, 3n));
});

it("404 where the user has no account in the currency, though another has", async () => {
  await setAccount(OTHER_USER.id, "EUR", "reserved", 1n);
  assert.equal((await balance(OTHER_USER.id, OTHER_USER.secret, "?currency=EUR")).status, 200);
  const message = failureOf(await balance(USER.id, USER.secret, "?currency=EUR"), 404);
  assert.match(message, /EUR/);
});

it("422 for what is no currency, or one without two decimals", async () => {
  const codes = ["rub", "RU", "RUBL", "R%00B", "%F0%9F%98%80", "RUB%0A", "RUB&currency=USD"];
  for (const code of [...codes, "JPY", "KWD", "CLF", "XXX"]) {
    const message = failureOf(await balance(USER.id, USER.secret, `?currency=${code}`), 422);
    assert.match(message, /\bcurrency\b/, code);
  }
});
