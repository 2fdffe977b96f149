// openapi.json: valid to a public validator, what the endpoints say today, and what is served.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { endpointsOf } from "../src/features/index.ts";
import { endpointName } from "../src/platform/endpoint.ts";
import { describeApi } from "../src/platform/openapi.ts";
import { openTestGateway } from "./gateway.ts";

const written = readFileSync(join(import.meta.dirname, "../openapi.json"), "utf8");

describe("openapi.json", () => {
  it("is valid", async () => {
    const { valid, errors } = await new Validator().validate(JSON.parse(written));
    assert.ok(valid, JSON.stringify(errors));
  });

  it("is not stale (npm run openapi writes it anew)", () => {
    const today: unknown = JSON.parse(JSON.stringify(describeApi(endpointsOf("sandbox"))));
    assert.deepEqual(JSON.parse(written), today);
  });

  it("is what the gateway serves, and names every endpoint", async () => {
    const gateway = await openTestGateway("embedded");
    const { body } = await gateway.call("/openapi.json");
    await gateway.stop();
    assert.deepEqual(body, JSON.parse(written));
    const served = Object.entries(body.paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const wanted = endpointsOf("sandbox").map(endpointName);
    assert.deepEqual(served.map((name) => name.replace(/\{(\w+)\}/g, ":$1")).sort(), wanted.sort());
  });
});
