// Whoever asks for much and reads nothing: what is kept for them is bounded, and everybody else is answered.

import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { it } from "node:test";
import { recordEvents } from "../src/features/webhooks/events.ts";
import { eventually } from "../torture/eventually.ts";
import { createInvoice, OTHER_SHOP, SHOP } from "./cast.ts";
import { feedOf } from "./feed.ts";
import { openOneGateway } from "./one-gateway.ts";
import { anna } from "./people.ts";

const { gateway, own, trade } = await openOneGateway();
const EVENTS = 100;

async function tellOf(length: number, count: number): Promise<string> {
  const { app } = gateway;
  const invoiceId = (await createInvoice(gateway)).body.data.id;
  const about = { invoiceId, shopId: SHOP.id, hookUrl: null, fields: { text: "x".repeat(length) } };
  const facts = Array.from({ length: count }, (_, at) => ({ ...about, sequence: at + 1 }));
  await app.db.transaction((tx) => recordEvents(tx, app, facts));
  await trade.pass(1);
  return invoiceId;
}

/** Nine answers of so many bytes, of which six are as many as are kept. */
async function askInVain(path: string, bytes: number, headers: Record<string, string>) {
  const closed: number[] = [];
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const ask = async (at: number): Promise<Socket> => {
    const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1");
    socket.on("error", () => {}).once("close", () => closed.push(at));
    socket.write(
      `GET ${path} HTTP/1.1\r\nhost: ${new URL(gateway.url).host}\r\n${head.join("")}\r\n`,
    );
    // Its answer has begun, and the rest of it is left where it is.
    await new Promise((resolve) => socket.once("readable", resolve));
    return socket;
  };
  const sockets: Socket[] = [];
  for (let at = 0; at < 9; at += 1) sockets.push(await ask(at));
  const first = sockets.slice(0, 3);
  for (const socket of first) socket.resume();
  const isWhole = (socket: Socket): boolean => socket.bytesRead > bytes;
  await eventually("the first are read, as far as they go", async () =>
    first.every((socket) => socket.closed || isWhole(socket)),
  );
  assert.ok(!first.some(isWhole), "they were not cut off");
  assert.deepEqual(closed.toSorted(), [0, 1, 2]);
  return sockets;
}

it("who asks for large answers and does not read them is cut off, the first one first", async () => {
  await tellOf(99_000, EVENTS);
  const path = `/shops/${SHOP.id}/events?limit=${EVENTS}`;
  const sockets = await askInVain(path, EVENTS * 99_000, { "x-api-key": SHOP.key });
  assert.equal((await feedOf(gateway).read({ limit: EVENTS })).events.length, EVENTS);
  assert.equal((await feedOf(gateway, OTHER_SHOP).ask()).status, 200);
  for (const socket of sockets) socket.destroy();
});

it("so is who asks for large pages", async () => {
  const bytes = EVENTS * 99_000;
  const invoiceId = await tellOf(bytes, 1);
  const [{ event_id }] = (await own.get(`events?invoice_id=${invoiceId}`)).items;
  const { jar } = await anna(gateway);
  const cookie = [...jar].map((pair) => pair.join("=")).join("; ");
  const path = `/desk/events/${event_id}`;
  const sockets = await askInVain(path, bytes, { cookie });
  assert.equal((await feedOf(gateway, OTHER_SHOP).ask()).status, 200);
  for (const socket of sockets) socket.destroy();
});
