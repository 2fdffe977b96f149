// Streams of pages: one that its visitor has left is ended, however early that was.

import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { it } from "node:test";
import Fastify from "fastify";
import type { App } from "./app.ts";
import { systemClock } from "./clock.ts";
import { takeTurns } from "./turns.ts";
import { webPage } from "./web-page.ts";
import { addWebPages } from "./web-routes.ts";

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
  addWebPages(server, { clock: systemClock } as App, [page], takeTurns());
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
