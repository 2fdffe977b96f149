// Receivers on the loopback that behave as their kind does, until they are healed.

import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { openReceiver, type Received, type Receiver } from "../../test/webhook-room.ts";
import type { Kind } from "./hostile-kinds.ts";

export interface Hostile {
  readonly kind: Kind;
  readonly url: string;
  /** What it has read of requests. */
  readonly received: readonly Received[];
  /** From now on it takes everything; not possible where it cannot speak TLS. */
  heal(): Promise<void>;
  close(): Promise<void>;
}

/** Of its own, so that nobody else comes to listen at a port that was let go. */
const AWAY = "127.66.0.1";

export async function openHostile(kind: Kind): Promise<Hostile> {
  let healed = false;
  const receiver = await openReceiver((answer, received, count) => {
    if (healed || kind.behave === undefined) answer.writeHead(200).end();
    else kind.behave(answer, received, count);
  });
  const { received } = receiver;
  const front =
    kind.behave === undefined ? await openFront(kind, receiver, () => healed) : undefined;
  return {
    ...{ kind, received, url: front?.url ?? receiver.url },
    async heal() {
      healed = true;
      await front?.rise();
    },
    async close() {
      await front?.close();
      await receiver.die();
    },
  };
}

/** What stands before a receiver that hears nothing until it is healed. */
async function openFront(kind: Kind, { url }: Receiver, isHealed: () => boolean) {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => open.delete(socket));
    if (!isHealed()) {
      kind.connected?.(socket);
      return;
    }
    const inner = connect(Number(new URL(url).port), "127.0.0.1");
    inner.on("error", () => socket.destroy());
    socket.pipe(inner).pipe(socket);
    socket.on("close", () => inner.destroy());
  });
  const host = kind.isAway ? AWAY : "127.0.0.1";
  const listen = (wanted: number): Promise<void> =>
    new Promise((resolve) => server.listen(wanted, host, resolve));
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of open) socket.destroy();
    });
  await listen(0);
  const { port } = server.address() as AddressInfo;
  if (kind.isAway) await close();
  return {
    url: `${kind.isTls ? "https" : "http"}://${host}:${port}/hook`,
    rise: async () => (server.listening ? undefined : await listen(port)),
    close: async () => (server.listening ? await close() : undefined),
  };
}

/** Counts who comes in. */
export async function openTrap() {
  let visits = 0;
  const server = createServer((socket) => {
    visits += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    visits: () => visits,
    close: (): void => void server.close(),
  };
}
