// What HTTP itself can bring: unknown paths, wrong methods, bodies of every kind. Guards that each of
// them gets its status and the envelope, on both engines.

import assert from "node:assert/strict";
import { it } from "node:test";
import { deflateSync, gzipSync } from "node:zlib";
import { invoiceBody, SHOP, USER } from "./cast.ts";
import { assertSuccess, DOORS, failureOf, knock, SERVICE_PATHS } from "./contract-doors.ts";
import { openOneGateway } from "./one-gateway.ts";
import { insistent } from "./patience.ts";

const BODY_LIMIT = 64 * 1024;
const ALL_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const POST_DOORS = DOORS.filter(({ method }) => method === "POST");

/** A body's 422 is a list on h2h and one string elsewhere; every other failure is one string. */
const shapeOf = (path: string, status: number) =>
  path === "/invoice/h2h" && status === 422 ? "array" : "string";

const { gateway } = await openOneGateway();

const headers = { "x-api-key": SHOP.key };
const post = (path: string, body: unknown, type?: string) =>
  gateway.call(path, {
    body,
    headers: { ...headers, ...(type === undefined ? {} : { "content-type": type }) },
  });

it("slashes after a path and doubled ones are not there", async () => {
  for (const door of DOORS) {
    const path = door.path(door.id);
    const [bare = "", query = ""] = path.split(/(?=\?)/);
    for (const other of [
      `${bare}/${query}`,
      `/${path}`,
      `//${bare.replaceAll("/", "//")}//${query}`,
    ]) {
      assertSuccess(await knock(gateway, { ...door, path: () => other }));
    }
    const wrong = await gateway.call(`/${bare}/`, { method: "DELETE" });
    failureOf(wrong, 405);
    assert.match(wrong.headers.get("allow") ?? "", new RegExp(`^${door.method}\\b`));
  }
});

it("404 for a path that does not exist: whatever it looks like", async () => {
  for (const path of [
    "/nope",
    "/invoice",
    "/invoice/",
    "//invoice",
    "/Invoice/Create",
    "/shops",
    "/invoice/create/more",
    "/invoice%2Fcreate",
    "/invoice/create%2F",
    `/shops/${SHOP.id}`,
    `/shops/${SHOP.id}/x/payment-tariffs`,
    `/shops//payment-tariffs`,
    `/account/users/${USER.id}`,
    "/favicon.ico",
    "/../etc/passwd",
    "/healthz/x",
    "/nope?a=1",
    "/constructor",
    "/__proto__",
  ]) {
    failureOf(await gateway.call(path, { headers }), 404);
    failureOf(await post(path, invoiceBody()), 404);
  }
});

it("404 for a path that does not exist: / for a program: there is a page for browsers, and nothing else", async () => {
  failureOf(await gateway.call("/", { headers }), 404);
  failureOf(await gateway.call("/?a=1", { headers }), 404);
  failureOf(await post("/", invoiceBody()), 405);
});

it("404 for a path that does not exist: whatever the method demands for itself", async () => {
  failureOf(await gateway.call("/nope", { method: "QUERY", headers }), 404);
  const answer = await gateway.call("/invoice/create", { method: "QUERY", headers });
  failureOf(answer, 405);
  assert.equal(answer.headers.get("allow"), "POST");
});

it("404 for a path that does not exist: whatever the body is", async () => {
  failureOf(await post("/nope", "x", "text/plain"), 404);
  failureOf(await post("/nope", "{"), 404);
  failureOf(await post("/nope", ""), 404);
});

for (const door of DOORS) {
  it(`405 with Allow for a wrong method: ${door.name}`, async () => {
    for (const method of ALL_METHODS.filter((one) => one !== door.method)) {
      const answer = await gateway.call(door.path(door.id), {
        method,
        headers: { [door.header]: door.secret },
      });
      failureOf(answer, 405);
      const allowed = (answer.headers.get("allow") ?? "").split(/,\s*/);
      assert.deepEqual(allowed, door.method === "GET" ? ["GET", "HEAD"] : ["POST"]);
    }
  });

  it(`405 with Allow for a wrong method: ${door.name}, before any look at the body or the identifier`, async () => {
    const method = door.method === "GET" ? "POST" : "PUT";
    const path = door.path("42");
    failureOf(
      await gateway.call(path, {
        method,
        body: "x",
        headers: { "content-type": "text/plain" },
      }),
      405,
    );
    failureOf(await gateway.call(path, { method, body: "{" }), 405);
  });
}

for (const path of SERVICE_PATHS) {
  it(`405 with Allow for a wrong method: ${path}`, async () => {
    for (const method of ["POST", "PUT", "DELETE"]) {
      const answer = await gateway.call(path, { method });
      failureOf(answer, 405);
      assert.match(answer.headers.get("allow") ?? "", /\bGET\b/);
    }
  });
}

for (const door of DOORS) {
  it(`HEAD ${door.name} has the headers and no body`, async () => {
    const options = { method: "HEAD", headers: { [door.header]: door.secret } };
    const answer = await gateway.call(door.path(door.id), options);
    assert.equal(answer.status, door.method === "GET" ? 200 : 405);
    assert.match(answer.headers.get("content-type") ?? "", /^application\/json\b/);
    assert.equal(answer.text, "");
    if (door.method === "GET") {
      const { text } = await knock(gateway, door);
      const length = String(Buffer.byteLength(text));
      assert.equal(answer.headers.get("content-length"), length);
      const wrong = { method: "HEAD", headers: { [door.header]: "wrong" } };
      assert.equal((await gateway.call(door.path(door.id), wrong)).status, 401);
    }
  });
}

it("HEAD of an unknown path is 404", async () => {
  const answer = await gateway.call("/nope", { method: "HEAD" });
  assert.equal(answer.status, 404);
  assert.equal(answer.text, "");
});

for (const { name, path } of POST_DOORS) {
  it(`413 for a body of more than 64 KiB: ${name}`, async () => {
    const start = JSON.stringify({ shop_id: SHOP.id });
    const fits = await post(path(""), start.padEnd(BODY_LIMIT));
    failureOf(fits, 422, shapeOf(path(""), 422));
    failureOf(await post(path(""), start.padEnd(BODY_LIMIT + 1)), 413);
  });
}

it("413 for a body of more than 64 KiB: counts bytes, not characters", async () => {
  const padding = (bytes: number) => {
    const empty = JSON.stringify(invoiceBody({ padding: "" }));
    const free = bytes - Buffer.byteLength(empty);
    const fill = "я".repeat(Math.floor(free / 2)) + "x".repeat(free % 2);
    const body = empty.replace('"padding":""', () => `"padding":"${fill}"`);
    assert.equal(Buffer.byteLength(body), bytes);
    return body;
  };
  assertSuccess(await post("/invoice/create", padding(BODY_LIMIT)));
  failureOf(await post("/invoice/create", padding(BODY_LIMIT + 1)), 413);
});

it("413 for a body of more than 64 KiB: whatever the secret", async () => {
  const answer = await gateway.call("/invoice/create", { body: " ".repeat(BODY_LIMIT + 1) });
  failureOf(answer, 413);
});

const valid = JSON.stringify(invoiceBody());
it("415 for a body of another type, or of none", async () => {
  for (const type of [
    "text/plain",
    "text/json",
    "text/html; charset=utf-8",
    "application/octet-stream",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "json",
    "application/xml",
    "application/jsonx",
    "application/json-patch+json",
    "application/vnd.api+json",
  ]) {
    for (const { path } of POST_DOORS) failureOf(await post(path(""), valid, type), 415);
  }
  const untyped = { ...headers, "content-type": undefined };
  const body = Buffer.from(valid);
  failureOf(await gateway.call("/invoice/create", { body, headers: untyped }), 415);
});

it("415 for a compressed body: nobody here unpacks one", async () => {
  for (const [encoding, body] of [
    ["gzip", gzipSync(valid)],
    ["deflate", deflateSync(valid)],
  ] as const) {
    const packed = { ...headers, "content-encoding": encoding };
    const answer = await gateway.call("/invoice/create", { body, headers: packed });
    assert.match(failureOf(answer, 415), /not compressed/);
  }
});

it("no 415: application/json is taken, however it is written", async () => {
  const suffixes = ["", "; charset=utf-8", ";charset=UTF-8"];
  for (const type of [...suffixes.map((one) => `application/json${one}`), "Application/JSON"]) {
    assertSuccess(await post("/invoice/create", invoiceBody(), type));
  }
});

const bytes = (...inside: number[]) =>
  Buffer.concat([Buffer.from('{"a":"'), Buffer.of(...inside, 0x22, 0x7d)]);
for (const [name, body] of [
  ["nothing", ""],
  ["blanks", " \r\n\t "],
  ["half an object", valid.slice(0, -1)],
  ["two objects", `${valid}${valid}`],
  ["something after it", `${valid};`],
  ["a trailing comma", valid.replace("}", ",}")],
  ["single quotes", valid.replaceAll('"', "'")],
  ["a comment", `/* x */ ${valid}`],
  ["NaN", valid.replace("1000", "NaN")],
  ["Infinity", valid.replace("1000", "Infinity")],
  ["a leading zero", valid.replace("1000", "01000")],
  ["a leading plus", valid.replace("1000", "+1000")],
  ["hexadecimal", valid.replace("1000", "0x3e8")],
  ["a raw line end in a text", valid.replace("order-", "order\n")],
  ["a raw NUL in a text", valid.replace("order-", "order\0")],
  ["an array", "[]"],
  ["the object in an array", `[${valid}]`],
  ["null", "null"],
  ["a number", "42"],
  ["true", "true"],
  ["a text", '"text"'],
  ["a form", "amount=1000&type=direct"],
  ["XML", "<amount>1000</amount>"],
  ["a body with __proto__", valid.replace("{", '{"__proto__":{"admin":true},')],
  ["a deep __proto__", valid.replace("{", '{"a":[{"b":{"__proto__":null}}],')],
  ["nothing but opening brackets", "[".repeat(BODY_LIMIT)],
  ["nothing but opening braces", '{"a":'.repeat(10_000)],
  ["a byte that is no UTF-8", bytes(0xff)],
  ["an overlong slash", bytes(0xc0, 0xaf)],
  ["a surrogate in UTF-8", bytes(0xed, 0xa0, 0x80)],
  ["half a character at the end", Buffer.concat([Buffer.from(valid), Buffer.of(0xd1)])],
  ["UTF-16", Buffer.from(valid, "utf16le")],
  ["compressed bytes", Buffer.of(0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0)],
] as const) {
  it(`422 for a body that is no JSON object in UTF-8: ${name}`, async () => {
    for (const { path } of POST_DOORS) {
      failureOf(await post(path(""), body), 422, shapeOf(path(""), 422));
    }
  });
}

it("422 for a body that is no JSON object in UTF-8: no body and no type at all", async () => {
  for (const { path } of POST_DOORS) {
    const answer = await gateway.call(path(""), { method: "POST", headers });
    failureOf(answer, 422, shapeOf(path(""), 422));
  }
});

it("422 for a body that is no JSON object in UTF-8: and no __proto__ has reached any object", () => {
  assert.equal("admin" in {}, false);
});

const ask = (path: string) =>
  gateway.call(path, { headers: { ...headers, "x-api-signature-sha256": USER.secret } });

it("odd addresses with bad percent-encoding", async () => {
  for (const path of [
    "/%",
    "/%zz",
    "/%ff",
    "/shops/%zz/payment-tariffs",
    "/account/users/%ff/balance",
    "/account/users/%E0%A4%A/balance",
    "/invoice/%c0%af",
  ]) {
    const answer = await ask(path);
    assert.ok([400, 404, 422].includes(answer.status), `${path}: ${answer.text}`);
    failureOf(answer, answer.status);
  }
});

it("odd addresses with a bad query, which only who reads it refuses", async () => {
  for (const query of ["%", "%zz", "user_id=%zz", "user_id=%ff", "user_id[]=1", "&&&=&=="]) {
    failureOf(await ask(`/payoff/get-sbp-bank-list?${query}`), 422);
    assertSuccess(await ask(`/account/users/${USER.id}/balance?${query}`));
  }
  const twice = `user_id=${USER.id}&user_id=${USER.id}`;
  failureOf(await ask(`/payoff/get-sbp-bank-list?${twice}`), 422);
});

it("/healthz and /readyz", async () => {
  assertSuccess(await gateway.call("/healthz"));
  assertSuccess(await insistent(gateway).call("/readyz"));
});

it("/metrics in the text format of Prometheus, without a secret or an identifier", async () => {
  for (const door of DOORS) assertSuccess(await knock(gateway, door));
  await gateway.call(`/canary-${SHOP.id}`);
  const { status, text, headers: given } = await gateway.call("/metrics");
  assert.equal(status, 200);
  assert.match(given.get("content-type") ?? "", /^text\/plain\b/);
  assert.match(text, /^# TYPE \w+ (counter|gauge|histogram)$/m);
  assert.match(text, /POST \/invoice\/create/);
  for (const secret of [SHOP.id, SHOP.key, USER.id, USER.secret, "canary"]) {
    assert.equal(text.includes(secret), false, secret);
  }
});

it("/openapi.json names every endpoint, its secret and its statuses", async () => {
  const { status, body } = await gateway.call("/openapi.json");
  assert.equal(status, 200);
  assert.match(body.openapi, /^3\./);
  const schemes = body.components.securitySchemes;
  for (const door of DOORS) {
    const [method = "", path = ""] = door.name.split(" ");
    const operation = body.paths[path]?.[method.toLowerCase()];
    assert.ok(operation, door.name);
    const [scheme = ""] = Object.keys(operation.security[0]);
    assert.equal(schemes[scheme].name, door.header);
    for (const code of ["200", "401", "422", "500"]) assert.ok(operation.responses[code], code);
  }
});

it("/docs names every path and reaches for nothing outside", async () => {
  const { status, text, headers: given } = await gateway.call("/docs");
  assert.equal(status, 200);
  assert.match(given.get("content-type") ?? "", /^text\/html\b/);
  for (const { name } of DOORS) assert.ok(text.includes(name.split(" ")[1] ?? name), name);
  assert.doesNotMatch(text, /<script|<link|<iframe|<img|@import|url\(|\ssrc=|\son\w+=/i);
  // Addresses in the text are examples; what a browser follows stays on the machine.
  for (const [, address = ""] of text.matchAll(/\shref="([^"]*)"/g)) {
    assert.match(address, /^[#/](?!\/)/);
  }
  assert.match(given.get("content-security-policy") ?? "", /default-src 'none'/);
});

it("422 for a body that is JSON and no object says so: null as well", async () => {
  for (const body of ["null", "[]", "42"]) {
    const answer = await post("/invoice/create", body);
    assert.equal(failureOf(answer, 422), "The body must be a JSON object.", body);
  }
});

it("200: a byte order mark before the body is no part of it, and one is enough", async () => {
  const mark = "\ufeff";
  const answer = await post("/invoice/create", mark + JSON.stringify(invoiceBody()));
  assert.equal(answer.status, 200, answer.text);
  failureOf(await post("/invoice/create", mark + mark + JSON.stringify(invoiceBody())), 422);
  failureOf(await post("/invoice/create", mark), 422);
});
