// Passwords: what is stored opens with the one text, whoever asks too much is told so, and what is easy to
// guess is not taken.

import assert from "node:assert/strict";
import { argon2Sync } from "node:crypto";
import { it } from "node:test";
import { HttpFailure } from "./failure.ts";
import { checkPassword, hashPassword, passwordProblem } from "./password.ts";

const RIGHT = { isRight: true, isWeak: false };
const WRONG = { isRight: false, isWeak: false };

/** As another implementation, or an earlier setting, would have stored it. */
function storedWith(message: string, memory: number, passes: number): string {
  const nonce = Buffer.alloc(16, 7);
  const tag = argon2Sync("argon2id", {
    message,
    nonce,
    memory,
    passes,
    parallelism: 1,
    tagLength: 32,
  });
  const text = (bytes: Buffer) => bytes.toString("base64").replaceAll("=", "");
  return `$argon2id$v=19$m=${memory},t=${passes},p=1$${text(nonce)}$${text(tag)}`;
}

it("a password is right for its own hash and for no other, and no hash is like another", async () => {
  const phc = await hashPassword("seven green kettles");
  assert.match(phc, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  assert.deepEqual(await checkPassword("seven green kettles", phc), RIGHT);
  assert.deepEqual(await checkPassword("seven green kettle", phc), WRONG);
  assert.deepEqual(await checkPassword("", phc), WRONG);
  assert.notEqual(await hashPassword("seven green kettles"), phc);
});

it("a password is the same however its accents and spaces are encoded, and no further", async () => {
  const phc = await hashPassword("caf\u00e9 \u0439 twelve");
  assert.deepEqual(await checkPassword("cafe\u0301\u00a0\u0438\u0306 twelve", phc), RIGHT);
  assert.deepEqual(await checkPassword("cafe й twelve", phc), WRONG);
  assert.deepEqual(await checkPassword("ｃaf\u00e9 й twelve", phc), WRONG);
});

it("a password of nobody is wrong, whatever it is", async () => {
  assert.deepEqual(await checkPassword("seven green kettles", undefined), WRONG);
  assert.deepEqual(await checkPassword("", undefined), WRONG);
});

it("a right password under a cheaper hash is weak, a wrong one is only wrong", async () => {
  const cheap = storedWith("seven green kettles", 8_192, 1);
  assert.deepEqual(await checkPassword("seven green kettles", cheap), {
    isRight: true,
    isWeak: true,
  });
  assert.deepEqual(await checkPassword("seven green kettle", cheap), WRONG);
  const present = storedWith("seven green kettles", 19_456, 2);
  assert.deepEqual(await checkPassword("seven green kettles", present), RIGHT);
});

it("what is no hash is a fault of ours, never a wrong password", async () => {
  for (const damaged of ["", "seven green kettles", "$argon2i$v=19$m=8,t=1,p=1$AAAA$AAAA"])
    await assert.rejects(checkPassword("seven green kettles", damaged), /is none/);
});

it("a text far too long is wrong without being normalised, and is never hashed", async () => {
  const phc = await hashPassword("");
  assert.deepEqual(await checkPassword("\u0301".repeat(1_000_000), phc), WRONG);
  await assert.rejects(hashPassword("a".repeat(1_025)), RangeError);
});

it("two passwords at a time, 32 in line, and the rest are told to come later", async () => {
  const cheap = storedWith("seven green kettles", 8, 1);
  const all = Array.from({ length: 36 }, () => checkPassword("seven green kettles", cheap));
  const settled = await Promise.allSettled(all);
  const refused = settled.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
  assert.equal(refused.length, 2);
  for (const reason of refused) assert.ok(reason instanceof HttpFailure && reason.status === 503);
  assert.deepEqual((await checkPassword("seven green kettles", cheap)).isRight, true);
});

const ABOUT = { about: ["anna.petrova@example.com", "Анна Петрова", "Tea & Co"] };

for (const [text, problem] of [
  ["elevenchars", "password_too_short"],
  ["😀😀😀😀😀😀", "password_too_short"],
  [`${"xk7-".repeat(32)}1`, "password_too_long"],
  ["\u0301".repeat(2_000), "password_too_long"],
  ["aaaaaaaaaaaaaaaa", "password_common"],
  ["qwertyuiop123", "password_common"],
  ["йцукенгшщзхъ", "password_common"],
  ["123456789012345", "password_common"],
  ["password1234", "password_common"],
  ["P@$$w0rd!2026", "password_common"],
  ["Пароль123456", "password_common"],
  ["Summer-2026-Summer", "password_common"],
  ["my kopeck is fast", "password_personal"],
  ["K0peck-gateway-x", "password_personal"],
  ["P-e-t-r-0-v-a-99xyz", "password_personal"],
  ["петрова любит чай", "password_personal"],
  ["seven green kettles", undefined],
  ["семь зелёных чайников", undefined],
  ["837465920174", undefined],
  [`${"seven green kettles ".repeat(6)}12345678`, undefined],
] as const)
  it(`a new password ${JSON.stringify(text.slice(0, 30))}: ${problem ?? "will do"}`, () => {
    assert.equal(passwordProblem(text, ABOUT), problem);
  });
