// What every page of people loads: under a name of its contents, for good, and from nowhere else.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { visitor } from "../../../test/people.ts";

const { gateway } = await openOneGateway();

it("is what a page names, kept for ever, and all that its policy allows", async () => {
  const visit = visitor(gateway);
  const { text, headers } = await visit.get("/sign-in");
  const policy = headers.get("content-security-policy") ?? "";
  for (const rule of [
    "default-src 'none'",
    "script-src 'self'",
    "frame-ancestors 'none'",
    "form-action 'self'",
    "base-uri 'none'",
  ]) {
    assert.ok(policy.includes(rule), policy);
  }
  assert.doesNotMatch(text, /<script(?! src="\/screens-)|<style| style=| on\w+=/);
  for (const [kind, type] of [
    ["css", "text/css"],
    ["js", "text/javascript"],
  ]) {
    const [name = ""] = new RegExp(`/screens-[0-9a-f]{12}\\.${kind}`).exec(text) ?? [];
    const file = await visit.get(name);
    assert.equal(file.status, 200);
    assert.ok(file.headers.get("content-type")?.startsWith(type ?? ""));
    assert.match(file.headers.get("cache-control") ?? "", /immutable/);
  }
});
