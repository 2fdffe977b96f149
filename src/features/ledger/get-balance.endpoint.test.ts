// GET /account/users/{userId}/balance over HTTP, by status. Guards that the total on the wire is the
// sum of its parts to the kopeck, whatever the accounts hold.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { OTHER_USER, SHOP, USER } from "../../../test/cast.ts";
import { failureOf } from "../../../test/contract-doors.ts";
import {
  type Answer,
  onEachEngine,
  openTestGateway,
  type TestGateway,
} from "../../../test/gateway.ts";

/** Kopecks as the text of a JSON number: no noise, no exponent, no trailing zeros. */
function wire(minor: bigint): string {
  const digits = String(minor).padStart(3, "0");
  const cents = digits.slice(-2).replace(/0+$/, "");
  return digits.slice(0, -2) + (cents === "" ? "" : `.${cents}`);
}

function balanceText(availableMinor: bigint, frozenMinor: bigint): string {
  return `{"data":{"balance":${wire(availableMinor + frozenMinor)},"active_balance":${wire(availableMinor)},"freeze_balance":${wire(frozenMinor)}},"status":200,"status_check":true}`;
}

onEachEngine("GET /account/users/{userId}/balance", (engine) => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await openTestGateway(engine);
  });
  after(() => gateway.stop());

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

  describe("200", () => {
    it("starts at nothing, with the envelope and the three fields in order", async () => {
      const answer = await balance(USER.id, USER.secret);
      assert.equal(answer.status, 200);
      assert.match(answer.headers.get("content-type") ?? "", /^application\/json\b/);
      assert.equal(answer.text, balanceText(0n, 0n));
    });

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
      it(`adds up ${available} and ${frozen} kopecks`, async () => {
        await setAccount(USER.id, "RUB", "available", available);
        await setAccount(USER.id, "RUB", "frozen", frozen);
        const answer = await balance(USER.id, USER.secret);
        assert.equal(answer.text, balanceText(available, frozen));
      });
    }

    it("counts neither what is reserved nor what belongs to somebody else", async () => {
      await setAccount(USER.id, "RUB", "available", 1_050n);
      await setAccount(USER.id, "RUB", "frozen", 200n);
      await setAccount(USER.id, "RUB", "reserved", 77_700n);
      await setAccount(OTHER_USER.id, "RUB", "available", 999n);
      assert.equal((await balance(USER.id, USER.secret)).text, balanceText(1_050n, 200n));
      const other = await balance(OTHER_USER.id, OTHER_USER.secret);
      assert.equal(other.text, balanceText(999n, 0n));
    });

    it("answers many users at once, each with their own", async () => {
      await setAccount(USER.id, "RUB", "available", 11n);
      await setAccount(USER.id, "RUB", "frozen", 0n);
      await setAccount(OTHER_USER.id, "RUB", "available", 22n);
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => {
          const user = index % 2 === 0 ? USER : OTHER_USER;
          return balance(user.id, user.secret);
        }),
      );
      for (const [index, answer] of answers.entries()) {
        assert.equal(answer.text, balanceText(index % 2 === 0 ? 11n : 22n, 0n));
      }
    });

    it("gives each currency for itself, roubles when none is asked for", async () => {
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

    it("ignores query parameters that it does not know, also one named as the path's", async () => {
      const answer = await balance(USER.id, USER.secret, `?userId=${OTHER_USER.id}&x=1`);
      assert.equal(answer.status, 200);
      assert.notEqual(answer.text, (await balance(OTHER_USER.id, OTHER_USER.secret)).text);
    });
  });

  describe("401", () => {
    for (const [name, id, secret] of [
      ["another user's secret", USER.id, OTHER_USER.secret],
      ["another user's identifier", OTHER_USER.id, USER.secret],
      ["a wrong secret", USER.id, "f".repeat(40)],
      ["a secret that lacks a character", USER.id, USER.secret.slice(0, -1)],
      ["an empty secret", USER.id, ""],
      ["no secret", USER.id, undefined],
      ["a key of the user's shop", USER.id, SHOP.key],
      ["an unknown user", "00000000-0000-4000-8000-0000000000ff", USER.secret],
      ["a shop's identifier and key", SHOP.id, SHOP.key],
    ] as const) {
      it(name, async () => {
        failureOf(await balance(id, secret), 401);
      });
    }

    it("the secret in the shops' header", async () => {
      const headers = { "x-api-key": USER.secret };
      failureOf(await gateway.call(`/account/users/${USER.id}/balance`, { headers }), 401);
    });

    it("a wrong secret, whatever else is wrong", async () => {
      failureOf(await balance(USER.id, OTHER_USER.secret, "?currency=nonsense"), 401);
      failureOf(await balance(USER.id, OTHER_USER.secret, "?currency=CHF"), 401);
    });
  });

  describe("404", () => {
    it("the user has no account in the currency", async () => {
      const message = failureOf(await balance(USER.id, USER.secret, "?currency=CHF"), 404);
      assert.match(message, /CHF/);
    });

    it("only another user has an account in the currency", async () => {
      for (const kind of ["available", "frozen", "reserved"]) {
        await setAccount(OTHER_USER.id, "EUR", kind, 1n);
      }
      assert.equal((await balance(OTHER_USER.id, OTHER_USER.secret, "?currency=EUR")).status, 200);
      failureOf(await balance(USER.id, USER.secret, "?currency=EUR"), 404);
    });
  });

  describe("422", () => {
    for (const [name, id] of [
      ["no UUID", "me"],
      ["a number", "1"],
      ["a UUID without hyphens", USER.id.replaceAll("-", "")],
      ["a UUID with one too many", `${USER.id}0`],
      ["a UUID as a URN", `urn:uuid:${USER.id}`],
      ["a UUID and a NUL", `${USER.id}%00`],
    ] as const) {
      it(`${name}, with and without a secret`, async () => {
        for (const secret of [USER.secret, OTHER_USER.secret, undefined]) {
          const message = failureOf(await balance(id, secret), 422);
          assert.equal(message, "The user id field must be a UUID.");
        }
      });
    }

    for (const currency of ["JPY", "KWD", "CLF", "XXX"]) {
      it(`the currency ${currency}, which has not two decimals`, async () => {
        assert.equal(
          failureOf(await balance(USER.id, USER.secret, `?currency=${currency}`), 422),
          "The currency field must be the code of a currency with two decimals.",
        );
      });
    }

    for (const currency of [
      "rub",
      "RU",
      "RUBL",
      "R%00B",
      "%F0%9F%98%80",
      "RUB%0A",
      "RUB&currency=USD",
    ]) {
      it(`the currency ${currency}`, async () => {
        const message = failureOf(
          await balance(USER.id, USER.secret, `?currency=${currency}`),
          422,
        );
        assert.match(message, /\bcurrency\b/);
      });
    }
  });
});
