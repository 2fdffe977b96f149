// Every endpoint that names a thing in its path, asked for one that nobody has: 404, and nothing is written.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { examplesIn, nameOf } from "../../../test/api-story.ts";
import { OPERATOR_TOKEN } from "../../../test/manage.ts";
import { openQuietGateway } from "../../../test/one-gateway.ts";
import { NOBODY, printOf } from "../../../test/orders.ts";

const { gateway } = await openQuietGateway();
const api = JSON.parse(readFileSync("openapi.json", "utf8"));
const secrets = { manage: OPERATOR_TOKEN, cabinet: "sandbox_owner_token" };

/** Accounts have names. */
const UUID_IN_PATH = /\{(?!account)\w+_id\}/;

for (const [audience, token] of Object.entries(secrets)) {
  it(`404 without a trace under /${audience}, whatever is named`, async () => {
    const headers = { authorization: `Bearer ${token}` };
    const named = examplesIn(api).filter(
      ({ path }) => path.startsWith(`/${audience}/`) && UUID_IN_PATH.test(path),
    );
    assert.ok(named.length > 10, String(named.length));
    const before = await printOf(gateway);
    const wrong: string[] = [];
    for (const request of named) {
      const { method, body } = request;
      const path = request.path.replaceAll(/\{\w+\}/g, NOBODY);
      const answer = await gateway.call(path, { method: method.toUpperCase(), headers, body });
      if (answer.status !== 404) wrong.push(`${nameOf(request)}: ${answer.text}`);
    }
    assert.deepEqual(wrong, []);
    assert.deepEqual(await printOf(gateway), before);
  });
}
