// Whoever asks for much and reads nothing: what is kept for them is bounded, and everybody else is answered.

import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { it } from "node:test";
import { recordEvents } from "../src/features/webhooks/events.ts";
import { eventually } from "../torture/eventually.ts";
import { createInvoice, OTHER_SHOP, SHOP } from "./cast.ts";
import { feedOf } from "./feed.ts";
import { openOneGateway } from "./one-gateway.ts";

const { gateway, trade } = await openOneGateway();
const EVENTS = 100;

it("who asks for large answers and does not read them is cut off, the first one first", async () => {
  const { app } = gateway;
  const invoiceId = (await createInvoice(gateway)).body.data.id;
  const about = { invoiceId, shopId: SHOP.id, hookUrl: null, fields: { text: "x".repeat(99_000) } };
  const facts = Array.from({ length: EVENTS }, (_, at) => ({ ...about, sequence: at + 1 }));
  await app.db.transaction((tx) => recordEvents(tx, app, facts));
  await trade.pass(1);
  const path = `/shops/${SHOP.id}/events?limit=${EVENTS}`;
  const closed: number[] = [];
  const ask = async (at: number): Promise<Socket> => {
    const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1");
    socket.on("error", () => {}).once("close", () => closed.push(at));
    socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\nx-api-key: ${SHOP.key}\r\n\r\n`);
    // Its answer has begun, and the rest of it is left where it is.
    await new Promise((resolve) => socket.once("readable", resolve));
    return socket;
  };
  const sockets: Socket[] = [];
  for (let at = 0; at < 9; at += 1) sockets.push(await ask(at));
  const first = sockets.slice(0, 3);
  for (const socket of first) socket.resume();
  const isWhole = (socket: Socket): boolean => socket.bytesRead > EVENTS * 99_000;
  await eventually("the first are read, as far as they go", async () =>
    first.every((socket) => socket.closed || isWhole(socket)),
  );
  assert.ok(!first.some(isWhole), "they were not cut off");
  assert.deepEqual(closed.toSorted(), [0, 1, 2]);
  assert.equal((await feedOf(gateway).read({ limit: EVENTS })).events.length, EVENTS);
  assert.equal((await feedOf(gateway, OTHER_SHOP).ask()).status, 200);
  for (const socket of sockets) socket.destroy();
});
