// Streams of pages: one that its visitor has left is ended, however early that was; one address has no more than
// its share of them; and a file that nobody reads is not made.

import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { it } from "node:test";
import Fastify from "fastify";
import { failureOf } from "../../test/contract-doors.ts";
import { openOneGateway } from "../../test/one-gateway.ts";
import { pages } from "../../test/pages.ts";
import type { App } from "./app.ts";
import { takeTurns } from "./body.ts";
import { systemClock } from "./clock.ts";
import { HttpFailure } from "./failure.ts";
import { webPage } from "./web-page.ts";
import { addWebPages, limitVisits } from "./web-routes.ts";

const plain = { clock: systemClock, memory: new Map() } as App;

async function openServer(before: () => Promise<void>) {
  let open = 0;
  const page = webPage({
    method: "GET",
    path: "/changes",
    async answer() {
      await before();
      return {
        kind: "stream",
        open() {
          open += 1;
          return () => {
            open -= 1;
          };
        },
      };
    },
  });
  const server = Fastify();
  addWebPages(server, plain, [page], { inTurn: takeTurns(), visits: limitVisits(plain) });
  await server.listen({ host: "127.0.0.1", port: 0 });
  const { port } = server.server.address() as AddressInfo;
  const visitor = connect(port, "127.0.0.1");
  visitor.write("GET /changes HTTP/1.1\r\nhost: x\r\n\r\n");
  return { server, visitor, open: () => open };
}

it("a visitor who leaves ends the stream", async () => {
  const { server, visitor, open } = await openServer(async () => {});
  await once(visitor, "data");
  assert.equal(open(), 1);
  visitor.destroy();
  while (open() > 0) await new Promise(setImmediate);
  await server.close();
});

it("one who left while the answer was made has none", async () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { server, visitor, open } = await openServer(() => held);
  const [socket] = await once(server.server, "connection");
  await once(server.server, "request");
  visitor.destroy();
  await once(socket, "close");
  release();
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  assert.equal(open(), 0);
  await server.close();
});

it("one address holds a fifth of the streams at most, and the others have the rest", async () => {
  let moment = 0;
  // A second passes between any two of them: it is not for their haste that one is refused.
  const now = (): Date => {
    moment += 1000;
    return new Date(moment);
  };
  const answer = async () => ({ kind: "stream", open: () => () => {} }) as const;
  const server = Fastify({ trustProxy: true });
  const app = { clock: { now }, memory: new Map() } as unknown as App;
  const pages = [webPage({ method: "GET", path: "/changes", answer })];
  addWebPages(server, app, pages, { inTurn: takeTurns(), visits: limitVisits(app) });
  await server.listen({ host: "127.0.0.1", port: 0 });
  const { port } = server.server.address() as AddressInfo;
  const visitors: Socket[] = [];
  const open = async (address: string): Promise<string> => {
    const visitor = connect(port, "127.0.0.1");
    visitors.push(visitor);
    visitor.write(`GET /changes HTTP/1.1\r\nhost: x\r\nx-forwarded-for: ${address}\r\n\r\n`);
    const [bytes] = await once(visitor, "data");
    return String(bytes).slice("HTTP/1.1 ".length, "HTTP/1.1 200".length);
  };
  const statuses = new Set<string>();
  for (let opened = 0; opened < 1_000; opened += 1) {
    statuses.add(await open(`2001:db8::${opened.toString(16)}`));
  }
  assert.deepEqual([...statuses], ["200"]);
  assert.equal(await open("2001:db8::ffff"), "503");
  assert.equal(await open("2001:db8:0:1::1"), "200");
  for (const visitor of visitors) visitor.destroy();
  await server.close();
});

it("HEAD of a file tells what it is, and reads nothing of it", async (context) => {
  let made = 0;
  async function* parts(): AsyncGenerator<string> {
    for (; made < 3; made += 1) yield "a;b\n";
  }
  const page = webPage({
    method: "GET",
    path: "/rows.csv",
    answer: async () => ({ kind: "rows", name: "rows.csv", parts: parts() }),
  });
  const server = Fastify();
  context.after(() => server.close());
  addWebPages(server, plain, [page], { inTurn: takeTurns(), visits: limitVisits(plain) });
  const url = `${await server.listen({ host: "127.0.0.1", port: 0 })}/rows.csv`;
  const asked = await fetch(url, { method: "HEAD" });
  assert.equal(asked.status, 200);
  assert.match(asked.headers.get("content-disposition") ?? "", /rows\.csv/);
  assert.equal(asked.headers.get("content-length"), null, "nor is it said to be empty");
  assert.equal(made, 0);
  assert.equal(await (await fetch(url)).text(), "a;b\n".repeat(3));
});

it("a file that its reader has left is over", async (context) => {
  const left = Promise.withResolvers<void>();
  async function* parts(): AsyncGenerator<string> {
    yield "a;b\n";
    await left.promise;
  }
  const page = webPage({
    method: "GET",
    path: "/rows.csv",
    answer: async () => ({ kind: "rows", name: "rows.csv", parts: parts(), end: left.resolve }),
  });
  const server = Fastify();
  context.after(() => server.close());
  addWebPages(server, plain, [page], { inTurn: takeTurns(), visits: limitVisits(plain) });
  const url = `${await server.listen({ host: "127.0.0.1", port: 0 })}/rows.csv`;
  const { body } = await fetch(url);
  await body?.cancel();
  await left.promise;
});

const { gateway } = await openOneGateway();
const BROWSER = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

it("an address where nothing is, and a wrong method, are pages for browsers only", async () => {
  const russian = { ...BROWSER, "accept-language": "ru" };
  const page = await gateway.call("/nothing", { headers: russian });
  assert.equal(page.status, 404);
  assert.match(page.text, /^<!doctype html>\n<html lang="ru">.*<h1>Такой страницы нет<\/h1>/s);
  assert.match(page.headers.get("content-security-policy") ?? "", /^default-src 'none'; style-src/);
  assert.equal(page.headers.get("refresh"), null);
  const wrong = await gateway.call("/invoice/create", { headers: BROWSER });
  assert.deepEqual([wrong.status, wrong.headers.get("allow")], [405, "POST"]);
  assert.match(wrong.text, /<h1>This did not work<\/h1><p>This method is not allowed/);
  for (const accept of ["application/json", "*/*", "application/json, text/html", undefined]) {
    failureOf(await gateway.call("/nothing", { headers: { accept } }), 404);
  }
  // A runtime that asks for pages by itself, and a client that shows its key.
  const java = { accept: "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", "x-api-key": "k" };
  failureOf(await gateway.call("/invoice/create", { headers: java }), 405);
});

it("an outage says that nothing is lost and loads again, also after a form; a bug, too", async (t) => {
  const { link, choose, post } = pages(gateway);
  const id = await link();
  await choose(id);
  const { db } = gateway.app.for("payers");
  const failing = (error: Error) =>
    t.mock.method(db, "query", () => Promise.reject(error), { times: 1 });
  for (const [error, status] of [
    [new HttpFailure("unavailable"), 503],
    [new Error("a bug that this test has made"), 500],
  ] as const) {
    failing(error);
    const page = await gateway.call(`/pay/${id}`, { headers: BROWSER });
    assert.deepEqual([page.status, page.headers.get("refresh")], [status, "7"]);
    assert.match(
      page.text,
      /<h1>This did not work<\/h1>.*Nothing is lost\. This page tries again/s,
    );
    assert.doesNotMatch(page.text, /a bug that/);
  }
  for (const [path, refresh] of [
    [`/pay/${id}`, "7"],
    [`/pay/${id}/paid`, "7"],
    // There is nothing to load again here.
    [`/pay/${id}/simulate`, null],
  ] as const) {
    failing(new HttpFailure("unavailable"));
    const answer = await post(path, {}, BROWSER);
    assert.deepEqual([answer.status, answer.headers.get("refresh")], [503, refresh], path);
    // What was pressed is lost, and is not called kept.
    const text = await answer.text();
    assert.ok(!text.includes("Nothing is lost"));
    assert.equal(text.includes("please press it once more"), refresh !== null);
  }
});
