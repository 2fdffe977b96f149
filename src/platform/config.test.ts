// Hosts that the operator vouches for, as they are compared later; and what is no host.

import assert from "node:assert/strict";
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
