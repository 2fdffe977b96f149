// Hosts that the operator vouches for, as they are compared later, and what is no host; what live mode
// refuses.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { readConfig } from "./config.ts";
import { StartFailure } from "./failure.ts";

describe("KOPECK_ALLOWED_HOOK_HOSTS", () => {
  const read = (text: string): readonly string[] =>
    readConfig({ KOPECK_ALLOWED_HOOK_HOSTS: text }).allowedHookHosts;

  it("is empty unless set", () => {
    assert.deepEqual(readConfig({}).allowedHookHosts, []);
    assert.deepEqual(read(""), []);
  });

  it("is a list of names and addresses in the form that a URL gives them", () => {
    const hosts = ["hooks.internal", "10.0.0.5", "127.0.0.1", "fd00::1"];
    assert.deepEqual(read(" Hooks.Internal, 10.0.0.5 ,0x7f.1,[FD00:0::1],"), hosts);
  });

  it("refuses what is no host", () => {
    for (const text of ["a b", "http://a", "a:8080", "a/b", "user@a", "10.0.0.0/8", "*.a?b"]) {
      assert.throws(() => read(text), StartFailure, text);
    }
  });
});

describe("live mode", () => {
  const KEY = "0123456789abcdef".repeat(4);
  const SANDBOX_KEY = createHash("sha256").update("kopeck sandbox").digest("hex");
  const live = { KOPECK_MODE: "live", KOPECK_SECRET_KEY: KEY };

  it("refuses a key that everybody knows or guesses", () => {
    for (const [key, message] of [
      ["", /^KOPECK_SECRET_KEY is missing/],
      [SANDBOX_KEY, /^KOPECK_SECRET_KEY is the sandbox's own/],
      [SANDBOX_KEY.toUpperCase(), /^KOPECK_SECRET_KEY is the sandbox's own/],
      ["00".repeat(32), /^KOPECK_SECRET_KEY is one byte again and again/],
      ["ab".repeat(32), /^KOPECK_SECRET_KEY is one byte again and again/],
    ] as const) {
      assert.throws(() => readConfig({ ...live, KOPECK_SECRET_KEY: key }), { message });
    }
    assert.equal(readConfig(live).secretKey.toString("hex"), KEY);
  });

  it("leaves the sandbox its own key, and any other", () => {
    assert.equal(readConfig({}).secretKey.toString("hex"), SANDBOX_KEY);
    for (const key of [SANDBOX_KEY, "ab".repeat(32)]) {
      assert.equal(readConfig({ KOPECK_SECRET_KEY: key }).secretKey.toString("hex"), key);
    }
  });

  it("refuses plain http beyond this machine", () => {
    const read = (text: string): string => readConfig({ ...live, KOPECK_BASE_URL: text }).baseUrl;
    for (const text of [
      ...["http://pay.example", "http://10.0.0.5:8080", "http://[fd00::1]", "http://128.0.0.1"],
      ...["http://localhost.example", "http://127.0.0.1.example", "http://0.0.0.0"],
    ]) {
      assert.throws(
        () => read(text),
        { message: /^KOPECK_BASE_URL must be https in live mode/ },
        text,
      );
    }
    for (const text of [
      ...["https://pay.example", "http://localhost:8080", "http://127.0.0.1", "http://127.9.8.7"],
      "http://[::1]:8080",
    ]) {
      assert.equal(read(text), text);
    }
    assert.equal(readConfig(live).baseUrl, "http://localhost:8080");
    assert.equal(
      readConfig({ KOPECK_BASE_URL: "http://pay.example" }).baseUrl,
      "http://pay.example",
    );
  });

  it("reads the proxies that are trusted, as addresses and networks", () => {
    const read = (text: string) => readConfig({ KOPECK_TRUSTED_PROXIES: text }).trustedProxies;
    assert.deepEqual(read(""), []);
    assert.deepEqual(read("127.0.0.1, 10.0.0.0/8,::1,fd00::/8"), [
      ...["127.0.0.1", "10.0.0.0/8", "::1", "fd00::/8"],
    ]);
    for (const text of [
      "localhost",
      "10.0.0.0/33",
      "10.0.0",
      "::1/129",
      "10.0.0.1/8/8",
      "1.2.3.4/x",
    ]) {
      assert.throws(
        () => read(text),
        { message: /^KOPECK_TRUSTED_PROXIES must be addresses/ },
        text,
      );
    }
  });
});

describe("docs/operations.md", () => {
  const root = join(import.meta.dirname, "../..");
  it("has every setting in its table", () => {
    const source = readFileSync(join(root, "src/platform/config.ts"), "utf8");
    const settings = new Set(
      source.match(/(?<=")(?:KOPECK_[A-Z_]+|DATABASE_URL|LOG_LEVEL|HOST|PORT)(?=")/g),
    );
    const manual = readFileSync(join(root, "docs/operations.md"), "utf8");
    const table = manual.split("## Settings\n")[1]?.split("\n## ")[0] ?? "";
    assert.ok(settings.size > 15, `${settings.size} settings`);
    assert.deepEqual(
      [...settings].filter((name) => !table.includes(`\`${name}\``)),
      [],
    );
  });
});

describe("numbers", () => {
  it("are whole and within their bounds", () => {
    const read = (text: string) => readConfig({ KOPECK_JOB_CONNECTIONS: text }).connections;
    assert.deepEqual(read(""), { merchants: 6, payers: 4, operators: 2, jobs: 3 });
    assert.equal(read("100").jobs, 100);
    for (const text of ["0", "101", "1.5", "-1", "many", "1e1"]) {
      assert.throws(() => read(text), {
        message: `KOPECK_JOB_CONNECTIONS must be a whole number from 1 to 100, not "${text}".`,
      });
    }
  });
});
