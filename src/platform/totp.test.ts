// Codes of an app and of paper: those of the standard, each good once, and read as people type them.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openSecrets } from "./secret.ts";
import {
  freshRecoveryCodes,
  freshTotpSecret,
  otpauthUrl,
  recoveryCodeOf,
  totpCode,
  totpStep,
} from "./totp.ts";

const secrets = openSecrets(Buffer.alloc(32, 1));
/** RFC 6238's key, "12345678901234567890", in base32. */
const RFC_SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const at = (seconds: number) => new Date(seconds * 1000);

// Appendix B of RFC 6238 has eight digits; six of them are the last six.
for (const [seconds, code] of [
  [59, "94287082"],
  [1_111_111_111, "14050471"],
  [20_000_000_000, "65353130"],
] as const)
  it(`the code of RFC 6238 at ${seconds} s`, () => {
    assert.equal(totpCode(RFC_SECRET, at(seconds)), code.slice(2));
    assert.equal(totpStep(RFC_SECRET, code.slice(2), at(seconds), null), Math.floor(seconds / 30));
  });

// Appendix D of RFC 4226 has the same key, counted from 0.
for (const [step, code] of ["755224", "287082", "359152", "969429", "338314"].entries())
  it(`the code of RFC 4226 for ${step}`, () => {
    assert.equal(totpCode(RFC_SECRET, at(step * 30)), code);
  });

it("a code is good in its step and in the next, not before, not after", () => {
  const code = totpCode(RFC_SECRET, at(300));
  const steps = [299, 300, 329, 330, 359, 360].map((seconds) =>
    totpStep(RFC_SECRET, code, at(seconds), null),
  );
  assert.deepEqual(steps, [undefined, 10, 10, 10, 10, undefined]);
});

it("a code is good once, and none older than it is good afterwards", () => {
  const [before, present] = [totpCode(RFC_SECRET, at(270)), totpCode(RFC_SECRET, at(300))];
  assert.equal(totpStep(RFC_SECRET, before, at(300), 8), 9);
  assert.equal(totpStep(RFC_SECRET, before, at(300), 9), undefined);
  assert.equal(totpStep(RFC_SECRET, present, at(300), 9), 10);
  assert.equal(totpStep(RFC_SECRET, present, at(301), 10), undefined);
  assert.equal(totpStep(RFC_SECRET, before, at(301), 10), undefined);
  assert.equal(totpStep(RFC_SECRET, totpCode(RFC_SECRET, at(0)), at(0), null), 0);
});

it("a code is read with what people put into it, and nothing else is a code", () => {
  for (const typed of ["287 082", " 287-082\n", "２８７０８２"])
    assert.equal(totpStep(RFC_SECRET, typed, at(59), null), 1);
  for (const typed of ["", "28708", "2870822", "28708a", "-1", "287082".repeat(1_000), "٢٨٧٠٨٢"])
    assert.equal(totpStep(RFC_SECRET, typed, at(59), null), undefined);
});

it("a secret is 160 bits in base32, and what is none is a fault of ours", () => {
  const secret = freshTotpSecret(secrets);
  assert.match(secret, /^[A-Z2-7]{32}$/);
  assert.notEqual(freshTotpSecret(secrets), secret);
  const known = { freshHex: () => Buffer.from("12345678901234567890").toString("hex") };
  assert.equal(freshTotpSecret(known), RFC_SECRET);
  for (const damaged of ["", RFC_SECRET.slice(1), RFC_SECRET.toLowerCase()])
    assert.throws(() => totpCode(damaged, at(0)), /is none/);
});

it("the link for the app names who gives the code and whose it is", () => {
  const link = otpauthUrl({ secret: RFC_SECRET, issuer: "Чай: 2", account: "anna+1@example.com" });
  const url = new URL(link);
  assert.equal(decodeURIComponent(url.pathname), "/Чай  2:anna+1@example.com");
  assert.deepEqual(Object.fromEntries(url.searchParams), {
    secret: RFC_SECRET,
    issuer: "Чай  2",
    algorithm: "SHA1",
    digits: "6",
    period: "30",
  });
  otpauthUrl({ secret: RFC_SECRET, issuer: "\ud800", account: "\udfff" });
});

it("ten codes for paper, all different, each read as it was shown", () => {
  const codes = freshRecoveryCodes(secrets);
  assert.equal(new Set(codes).size, 10);
  for (const code of codes) {
    assert.match(code, /^(?:[0-9A-HJKMNP-TV-Z]{4}-){5}[0-9A-HJKMNP-TV-Z]{4}$/);
    assert.equal(recoveryCodeOf(code), code);
  }
});

it("a code from paper is read however it was typed, and nothing else is one", () => {
  const code = "0A1B-2C3D-4E5F-6G7H-8J9K-MNPX";
  for (const typed of [
    code.toLowerCase(),
    code.replaceAll("-", ""),
    ` ${code.replaceAll("-", " – ")}\n`,
    "OAlB 2C3D 4E5F 6G7H 8J9K MNPX",
    "оаiв 2с3d 4е5f 6g7н 8j9к мnрх",
  ])
    assert.equal(recoveryCodeOf(typed), code);
  for (const typed of ["", code.slice(1), `${code}0`, code.replace("X", "U"), "0".repeat(100_000)])
    assert.equal(recoveryCodeOf(typed), undefined);
});
