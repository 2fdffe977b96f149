// openapi.json: valid to a public validator, what the endpoints say today, what is served, and true: every
// example works as it is, and everything that is answered or told has the shape that it says.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Compile } from "typebox/compile";
import { apiOf, endpointsOf } from "../src/features/index.ts";
import { readConfig } from "../src/platform/config.ts";
import { endpointName } from "../src/platform/endpoint.ts";
import {
  type ApiDescription,
  describeApi,
  NO_EXAMPLE,
  type Schema,
} from "../src/platform/openapi.ts";
import { examplesIn, nameOf, tellStory } from "./api-story.ts";
import { approveByOther } from "./approvals.ts";
import { createInvoice } from "./cast.ts";
import { failingImport } from "./imports.ts";
import { openOneGateway } from "./one-gateway.ts";

const written = readFileSync(join(import.meta.dirname, "../openapi.json"), "utf8");
const api = JSON.parse(written) as ApiDescription;
const { gateway, own, trade } = await openOneGateway({ baseUrl: "http://localhost:8080" });

const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    operation,
  })),
);

/** Compiled with every object closed that does not say it is open: a key that is not described is an error. */
function exactly(schema: Schema): { Errors(value: unknown): readonly object[] } {
  const closed: Schema = JSON.parse(JSON.stringify(schema), (_key, value: Schema | null) =>
    value?.type === "object" && "properties" in value
      ? { additionalProperties: false, ...value }
      : value,
  );
  return Compile(closed);
}

const answerOf = (name: string): Schema =>
  operations.find((one) => one.name === name)?.operation.responses["200"]?.content[
    "application/json"
  ].schema ?? assert.fail(name);

describe("openapi.json", () => {
  it("is valid", async () => {
    const { valid, errors } = await new Validator().validate(JSON.parse(written));
    assert.ok(valid, JSON.stringify(errors));
  });

  it("is not stale (npm run openapi writes it anew)", () => {
    const today = describeApi(apiOf("sandbox"), readConfig({}));
    assert.deepEqual(JSON.parse(written), JSON.parse(JSON.stringify(today)));
  });

  it("is what the gateway serves, and names every endpoint", async () => {
    const { body } = await gateway.call("/openapi.json");
    assert.deepEqual(body, JSON.parse(written));
    const wanted = endpointsOf("sandbox").map(endpointName);
    const served = operations.map(({ name }) => name.replace(/\{(\w+)\}/g, ":$1"));
    assert.deepEqual(served.sort(), wanted.sort());
    const live = describeApi(apiOf("live"), { baseUrl: "https://pay.example", timeZone: "UTC" });
    assert.doesNotMatch(JSON.stringify(live), /sandbox|localhost:8080/i);
    assert.match(live.info.description, /time zone, UTC/);
  });

  it("is as tools like it: tags, ids, words, standard formats, one shape of failures each", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    assert.equal(new Set(ids).size, ids.length);
    const tags = new Set(api.tags.map(({ name }) => name));
    for (const { name, operation } of operations) {
      const { tags: own, summary, description = "", responses } = operation;
      assert.ok(own.length === 1 && tags.has(own[0] ?? ""), name);
      assert.ok(summary && /\.$/.test(description), `${name} wants a description`);
      assert.equal(
        / \/(?:manage|cabinet)\/| \/invoice\/h2h/.test(name),
        "422" in responses && isList(responses),
      );
    }
    // What is not known is refused under /manage and /cabinet, at every level, and ignored where merchants call.
    const sent = (path: string) =>
      JSON.stringify(api.paths[path]?.["post"]?.requestBody?.content["application/json"].schema);
    assert.match(sent("/manage/sbp-banks"), /false.*false/);
    assert.doesNotMatch(sent("/invoice/h2h"), /additionalProperties/);
    const formats = new Set([...written.matchAll(/"format": "([^"]+)"/g)].map(([, one]) => one));
    // What files are in is a field of its own.
    for (const own of ["1c", "csv"]) formats.delete(own);
    assert.deepEqual([...formats].sort(), ["date-time", "email", "ipv4", "uri", "uuid"]);
    assert.ok(!written.includes(NO_EXAMPLE), "a field of an answer wants `examples`");
  });

  it("has an example for every request, which works as it is, and answers that are as it says", async () => {
    const heard = new Set<string>();
    const caller = {
      call: gateway.call,
      failImport: () => failingImport(gateway),
      approve: (transferId: string, paymentId: string) =>
        approveByOther(gateway, transferId, paymentId),
    };
    await tellStory(caller, api, examplesIn(api), (request, { body }) => {
      const name = nameOf(request);
      heard.add(name);
      assert.deepEqual(
        exactly(answerOf(name)).Errors(body),
        [],
        `${name}: ${JSON.stringify(body)}`,
      );
    });
    assert.equal(heard.size, operations.length);
    for (const { name, operation } of operations) {
      const example = operation.responses["200"]?.content["application/json"].example;
      assert.deepEqual(exactly(answerOf(name)).Errors(example), [], name);
    }
  });

  it("says of webhooks what they are", async () => {
    await createInvoice(gateway, { expire: 1 });
    await trade.pass(60);
    const { items } = await own.get("events");
    const statuses = new Set<string>();
    for (const { event_id } of items) {
      const body = JSON.parse((await own.get(`events/${event_id}`)).body);
      statuses.add(webhookOf(body));
      const { schema } =
        api.webhooks[webhookOf(body)]?.post.requestBody.content["application/json"] ?? {};
      assert.deepEqual(exactly(schema ?? assert.fail()).Errors(body), [], JSON.stringify(body));
    }
    const ends = ["expired", "fail", "payout_fail", "payout_success", "refund", "success"];
    assert.deepEqual([...statuses].sort(), ends);
    for (const [status, { post }] of Object.entries(api.webhooks)) {
      const { schema, example } = post.requestBody.content["application/json"];
      assert.deepEqual(exactly(schema).Errors(example), [], status);
      assert.deepEqual(Object.keys(example as object), Object.keys(example as object).sort());
    }
  });
});

/** By which name the description has a webhook. */
function webhookOf({ type, status }: { readonly type: number; readonly status: string }): string {
  return type === 3 ? `payout_${status}` : status;
}

function isList(responses: Readonly<Record<string, { readonly content: object }>>): boolean {
  return JSON.stringify(responses["422"]).includes("/Failures");
}
