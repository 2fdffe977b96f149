// A proxy between the gateway and PostgreSQL that breaks one connection at a chosen place, when told to.

import { createServer, connect as dial, type Socket } from "node:net";
import { frameReader, letterOf, type Unit, unitReader } from "./wire.ts";

export const PLACES = [
  "before it is sent on",
  "in the middle of it",
  "right after it",
  "before its answer",
  "in the middle of its answer",
] as const;

export type Place = (typeof PLACES)[number];

export interface Cut {
  readonly place: Place;
  /** At a COMMIT, at a statement that is a transaction by itself, or at a statement inside of one. */
  readonly target: "commit" | "single" | "step";
  /** How many of its kind go through before. */
  readonly skip: number;
  /** Where in the middle, from 0 to 1. */
  readonly part: number;
  /** Whether each side hears of it by a reset, or by an orderly end of the connection. */
  readonly resets: { readonly gateway: boolean; readonly database: boolean };
}

export interface CutProxy {
  readonly port: number;
  /** Resolves when it was done. One at a time. */
  cut(wanted: Cut): Promise<void>;
  close(): void;
}

interface Armed {
  readonly wanted: Cut;
  left: number;
  readonly done: () => void;
}

export async function openProxy(databasePort: number): Promise<CutProxy> {
  let armed: Armed | undefined;
  const sockets = new Set<Socket>();
  /** The cut that is due at this unit, if any. */
  const due = (unit: Unit): Armed | undefined => {
    const one = armed;
    if (one === undefined || unit.kind !== one.wanted.target) return undefined;
    if (one.left > 0) {
      one.left -= 1;
      return undefined;
    }
    armed = undefined;
    return one;
  };
  const server = createServer((gateway) => {
    const database = dial({ port: databasePort, host: "127.0.0.1", noDelay: true });
    gateway.setNoDelay(true);
    for (const socket of [gateway, database]) {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
    }
    join(gateway, database, due);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  return {
    port: address.port,
    cut: (wanted) =>
      new Promise((done) => {
        armed = { wanted, left: wanted.skip, done };
      }),
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function join(gateway: Socket, database: Socket, due: (unit: Unit) => Armed | undefined): void {
  /** What the database has yet to answer, in order; the greeting is the first. */
  const unanswered: (Armed | undefined)[] = [undefined];
  let isBroken = false;
  const end = ({ wanted: { resets }, done }: Armed): void => {
    isBroken = true;
    // What was written goes out before an orderly end, and may be lost by a reset.
    if (resets.database) database.resetAndDestroy();
    else database.end();
    if (resets.gateway) gateway.resetAndDestroy();
    else gateway.end();
    done();
  };

  const framesOf = frameReader(true);
  const unitOf = unitReader();
  let hasStarted = false;
  gateway.on("data", (bytes) => {
    for (const frame of framesOf(bytes)) {
      if (isBroken) return;
      if (!hasStarted) {
        hasStarted = true;
        database.write(frame);
        continue;
      }
      const unit = unitOf(frame);
      if (unit !== undefined) forward(unit);
    }
  });
  const forward = (unit: Unit): void => {
    const cut = due(unit);
    const place = cut?.wanted.place;
    if (
      cut === undefined ||
      place === "before its answer" ||
      place === "in the middle of its answer"
    ) {
      unanswered.push(cut);
      database.write(unit.bytes);
      return;
    }
    if (place === "in the middle of it") database.write(head(unit.bytes, cut));
    if (place === "right after it") database.write(unit.bytes);
    end(cut);
  };

  const answersOf = frameReader(false);
  let held: Buffer[] = [];
  database.on("data", (bytes) => {
    for (const frame of answersOf(bytes)) {
      if (isBroken) return;
      const [cut] = unanswered;
      const isLast = letterOf(frame) === "Z";
      if (isLast) unanswered.shift();
      if (cut === undefined) {
        gateway.write(frame);
        continue;
      }
      held.push(frame);
      if (!isLast) continue;
      if (cut.wanted.place === "in the middle of its answer") {
        gateway.write(head(Buffer.concat(held), cut));
      }
      held = [];
      end(cut);
    }
  });
  gateway.on("error", () => database.destroy());
  database.on("error", () => gateway.destroy());
  gateway.on("close", () => database.end());
  database.on("close", () => gateway.end());
}

/** At least one byte, and never all of them. */
function head(bytes: Buffer, { wanted: { part } }: Armed): Buffer {
  return bytes.subarray(0, 1 + Math.floor(part * (bytes.length - 1)));
}
