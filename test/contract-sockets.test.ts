// Requests that no HTTP client would send, written to the socket by hand. Guards that what the HTTP
// parser refuses by itself gets the envelope all the same, and that the server lives on.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { it } from "node:test";
import { promisify } from "node:util";
import { invoiceBody, SHOP, USER } from "./cast.ts";
import { assertSuccess, failureOf } from "./contract-doors.ts";
import { openOneGateway } from "./one-gateway.ts";
import { insistent } from "./patience.ts";

interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly text: string;
}

/** Sends the bytes, reads until the server closes, and takes the first answer apart. */
function exchange(url: string, bytes: string, options: { end: boolean }): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      if (options.end) socket.end(bytes);
      else socket.write(bytes);
    });
    // Only for what hangs.
    socket.setTimeout(120_000, () => socket.destroy(new Error("The server kept silent.")));
    socket.on("data", (chunk) => chunks.push(chunk));
    // A server that has said all may close before it has read all.
    socket.on("error", (error) => (chunks.length === 0 ? reject(error) : undefined));
    socket.on("close", () => resolve(takeApart(Buffer.concat(chunks).toString("utf8"))));
  });
}

function takeApart(answer: string): RawAnswer {
  const end = answer.indexOf("\r\n\r\n");
  const head = answer.slice(0, end);
  const length = /^content-length: (\d+)$/im.exec(head)?.[1];
  const text = Buffer.from(answer.slice(end + 4))
    .subarray(0, length === undefined ? undefined : Number(length))
    .toString("utf8");
  return { status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]), head, text };
}

const request = (line: string, headers: readonly string[], body = "") =>
  `${[line, ...headers].join("\r\n")}\r\n\r\n${body}`;

const CREATE = "POST /invoice/create HTTP/1.1";
const HOST = "Host: kopeck.test";
const CLOSE = "Connection: close";
const JSON_TYPE = "Content-Type: application/json";
const KEY = `X-Api-Key: ${SHOP.key}`;

/** A body of which a part comes, and then no more. */
const CUT = { end: true };

const { gateway } = await openOneGateway();

const send = (bytes: string, options = { end: false }) => exchange(gateway.url, bytes, options);

const post = (headers: readonly string[], body: string) =>
  request(CREATE, [HOST, CLOSE, JSON_TYPE, KEY, ...headers], body);

for (const [name, bytes, statuses, options] of [
  ["a broken request line", "NONSENSE\r\n\r\n", [400]],
  ["a request line without a path", request("GET HTTP/1.1", [HOST, CLOSE]), [400]],
  ["binary rubbish", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", [400]],
  ["an unknown method", request("BREW /invoice/create HTTP/1.1", [HOST, CLOSE]), [400, 405, 501]],
  ["an uncommon method", request("PROPFIND /invoice/create HTTP/1.1", [HOST, CLOSE]), [405]],
  ["another protocol", request("GET /healthz HTTP/9.9", [HOST, CLOSE]), [400, 505]],
  ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", [400, 505]],
  ["a NUL in the path", request("GET /shops/\0/x HTTP/1.1", [HOST, CLOSE]), [400]],
  ["OPTIONS for the server", request("OPTIONS * HTTP/1.1", [HOST, CLOSE]), [404, 405]],
  ["no path", request("GET * HTTP/1.1", [HOST, CLOSE, "Accept: text/html"]), [404]],
  ["a path without its slash", request("GET *healthz HTTP/1.1", [HOST, CLOSE]), [404]],
  ["a tunnel", request("CONNECT kopeck.test:443 HTTP/1.1", [HOST, CLOSE]), [404]],
  ["no Host", request("GET /healthz HTTP/1.1", [CLOSE]), [400]],
  ["a header without a colon", request("GET /healthz HTTP/1.1", [HOST, CLOSE, "x"]), [400]],
  ["a NUL in a header", request("GET /healthz HTTP/1.1", [HOST, CLOSE, "X: a\0b"]), [400]],
  [
    "a header of 100 KB",
    request("GET /healthz HTTP/1.1", [HOST, CLOSE, `X: ${"a".repeat(100_000)}`]),
    [431],
  ],
  [
    "2,000 headers of 50 bytes",
    request("GET /healthz HTTP/1.1", [
      HOST,
      CLOSE,
      ...Array.from({ length: 2_000 }, (_, index) => `X-${index}: ${"a".repeat(50)}`),
    ]),
    [431],
  ],
  ["a path of 100 KB", request(`GET /${"a".repeat(100_000)} HTTP/1.1`, [HOST, CLOSE]), [414, 431]],
  ["a Content-Length of letters", post(["Content-Length: abc"], "{}"), [400]],
  ["a negative Content-Length", post(["Content-Length: -2"], "{}"), [400]],
  [
    "a Content-Length past all numbers",
    post(["Content-Length: 99999999999999999999999"], "{}"),
    [400, 413],
  ],
  ["a huge Content-Length", post(["Content-Length: 9999999999"], "{}"), [413]],
  ["two Content-Lengths", post(["Content-Length: 2", "Content-Length: 3"], "{} "), [400]],
  [
    "a length and chunks",
    post(["Content-Length: 2", "Transfer-Encoding: chunked"], "2\r\n{}\r\n0\r\n\r\n"),
    [400],
  ],
  ["a broken chunk", post(["Transfer-Encoding: chunked"], "zz\r\n{}\r\n0\r\n\r\n"), [400]],
  ["an unknown Transfer-Encoding", post(["Transfer-Encoding: rot13"], "{}"), [400, 501]],
  [
    "more body than Content-Length says",
    request(CREATE, [HOST, JSON_TYPE, KEY, "Content-Length: 2"], '{}{"a":1}\r\n\r\n'),
    [400, 422],
  ],
  ["less body than Content-Length says", post(["Content-Length: 200"], "{}"), [400, 408], CUT],
  [
    "an Expect that nobody can meet",
    post(["Expect: wonders", "Content-Length: 2"], "{}"),
    [417, 422],
  ],
  [
    "a body in chunks past 64 KiB",
    post(["Transfer-Encoding: chunked"], `10001\r\n${" ".repeat(65_537)}\r\n0\r\n\r\n`),
    [413],
  ],
] as const satisfies readonly (readonly [string, string, readonly number[], { end: boolean }?])[]) {
  it(`an envelope answers ${name}`, async () => {
    const answer = await send(bytes, options);
    const expected: readonly number[] = statuses;
    assert.ok(expected.includes(answer.status), `${answer.head}\n${answer.text}`);
    assert.match(answer.head, /^content-type: application\/json\b/im);
    assert.match(answer.head, /^cache-control: no-store$/im);
    failureOf(answer, answer.status);
  });
}

const MEGABYTES = 8 * 1024 * 1024;
const doors = {
  "an endpoint": [CREATE, JSON_TYPE],
  "a page": [`POST /pay/${SHOP.id} HTTP/1.1`, "Content-Type: application/x-www-form-urlencoded"],
  "no door": ["POST /nothing HTTP/1.1", JSON_TYPE],
} as const;
const open = async (line: string, type: string, ...more: string[]) => {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect({ host: hostname, port: Number(port) });
  const headers = [HOST, type, KEY, `Content-Length: ${MEGABYTES}`, ...more];
  socket.write(request(line, headers, "x".repeat(100_000)));
  const [answer] = (await once(socket, "data")) as [Buffer];
  return { socket, answer: answer.toString() };
};

for (const [name, [line, type]] of Object.entries(doors)) {
  it(`a body of megabytes is refused, and who sends it hears so, at ${name}: the rest is taken, and the connection lives`, async () => {
    const { socket, answer } = await open(line, type);
    assert.match(answer, line.includes("nothing") ? /^HTTP\/1\.1 404 / : /^HTTP\/1\.1 413 /);
    socket.write("x".repeat(MEGABYTES - 100_000));
    socket.write(request("GET /healthz HTTP/1.1", [HOST, CLOSE]));
    const [next] = (await once(socket, "data")) as [Buffer];
    assert.match(next.toString(), /^HTTP\/1\.1 200 /);
    socket.destroy();
  });
}

for (const [status, line, type] of [
  [413, CREATE, JSON_TYPE],
  [415, CREATE, "Content-Type: text/plain"],
  [404, "GET /invoice/info/../manage/me HTTP/1.1", JSON_TYPE],
  [404, "POST /invoice/% HTTP/1.1", JSON_TYPE],
  [404, "POST * HTTP/1.1", JSON_TYPE],
  [200, "GET /healthz HTTP/1.1", JSON_TYPE],
] as const) {
  it(`a body of megabytes: who wants no other answer hears ${status} for ${line}, the rest is taken, the end`, async () => {
    const { socket, answer } = await open(line, type, CLOSE);
    assert.ok(answer.startsWith(`HTTP/1.1 ${status} `), answer);
    const ended = once(socket, "end");
    const rest = "x".repeat(MEGABYTES - 100_000);
    await Promise.all([promisify(socket.write.bind(socket, rest, "utf8"))(), ended]);
  });
}

it("a body of megabytes is refused, and who sends it hears so, but not for ever", async (test) => {
  test.mock.timers.enable({ apis: ["setTimeout"] });
  const { socket } = await open(CREATE, JSON_TYPE);
  test.mock.timers.tick(5_000);
  await once(socket, "close");
});

it("a body in chunks is taken like any other", async () => {
  const body = JSON.stringify(invoiceBody());
  const half = Math.floor(body.length / 2);
  const chunks = [body.slice(0, half), body.slice(half), ""];
  const text = chunks.map((one) => `${one.length.toString(16)}\r\n${one}\r\n`).join("");
  const headers = [HOST, CLOSE, JSON_TYPE, KEY, "Transfer-Encoding: chunked"];
  const answer = await send(request(CREATE, headers, text));
  assert.equal(answer.status, 200, answer.text);
});

it("a secret sent twice is a wrong secret", async () => {
  const line = `GET /account/users/${USER.id}/balance HTTP/1.1`;
  const secret = `X-Api-Signature-Sha256: ${USER.secret}`;
  failureOf(await send(request(line, [HOST, CLOSE, secret, secret])), 401);
  assert.equal((await send(request(line, [HOST, CLOSE, secret]))).status, 200);
});

it("a GET with a body is answered as if it had none", async () => {
  const line = `GET /account/users/${USER.id}/balance HTTP/1.1`;
  const secret = `X-Api-Signature-Sha256: ${USER.secret}`;
  const headers = [HOST, CLOSE, secret, "Content-Type: text/plain", "Content-Length: 3"];
  assert.equal((await send(request(line, headers, "abc"))).status, 200);
});

it("a request that names no language is answered in English", async () => {
  const answer = await send(request("GET /nope HTTP/1.1", [HOST, CLOSE]));
  assert.doesNotMatch(failureOf(answer, 404), /\p{Script=Cyrillic}/u);
});

it("HTTP/1.0 is understood", async () => {
  assert.equal((await send(request("GET /healthz HTTP/1.0", []))).status, 200);
});

it("and after all that the server serves", async () => {
  assertSuccess(await insistent(gateway).call("/readyz"));
  const body = invoiceBody();
  assertSuccess(
    await gateway.call("/invoice/create", { body, headers: { "x-api-key": SHOP.key } }),
  );
});
