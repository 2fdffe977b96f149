// A proxy between a gateway and PostgreSQL that understands enough of the wire to know where a transaction
// ends, and breaks one connection at a chosen place, when told to.

import { type AddressInfo, createServer, connect as dial, type Socket } from "node:net";

export const PLACES = [
  "before it is sent on",
  "in the middle of it",
  "right after it",
  "before its answer",
  "in the middle of its answer",
] as const;

/** One by itself is a transaction, and writes. */
export const TARGETS = ["a COMMIT", "a statement by itself", "a statement inside"] as const;

interface Cut {
  readonly place: (typeof PLACES)[number];
  readonly target: (typeof TARGETS)[number];
  /** Where in the middle, from 0 to 1. */
  readonly part: number;
  /** Whether each side hears of it by a reset, or by an orderly end of the connection. */
  readonly resets: readonly [database: boolean, gateway: boolean];
  /** Only in a transaction that has asked for this; in any without it. */
  readonly of?: RegExp;
}

interface Armed {
  readonly wanted: Cut;
  readonly done: () => void;
}

/** What the database does and answers as a whole. */
interface Unit {
  readonly bytes: Buffer;
  readonly kind: Cut["target"] | "other";
  /** What its transaction has asked for until now, itself with it. */
  readonly asked: string;
}

export async function openProxy(straight: string) {
  let armed: Armed | undefined;
  const sockets = new Set<Socket>();
  /** The cut that is due at this unit, if any. */
  const due = ({ kind, asked }: Unit): Armed | undefined => {
    const one = armed;
    if (kind !== one?.wanted.target || one.wanted.of?.test(asked) === false) return undefined;
    armed = undefined;
    return one;
  };
  const server = createServer({ noDelay: true }, (gateway) => {
    const database = dial({
      port: Number(new URL(straight).port),
      host: "127.0.0.1",
      noDelay: true,
    });
    for (const socket of [gateway, database]) {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
    }
    join(gateway, database, due);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    /** The database as it is reached through the proxy. */
    url: Object.assign(new URL(straight), { port }).href,
    /** Resolves when it was done. One at a time. */
    cut: (wanted: Cut) =>
      new Promise<void>((done) => {
        armed = { wanted, done };
      }),
    close(): void {
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
    for (const [nth, socket] of [database, gateway].entries()) {
      if (resets[nth]) socket.resetAndDestroy();
      else socket.end();
    }
    done();
  };

  const forward = (unit: Unit): void => {
    const cut = due(unit);
    const place = cut?.wanted.place;
    if (cut === undefined || place?.endsWith("its answer")) {
      unanswered.push(cut);
      database.write(unit.bytes);
      return;
    }
    if (place === "in the middle of it") database.write(head(unit.bytes, cut));
    if (place === "right after it") database.write(unit.bytes);
    end(cut);
  };
  const framesOf = frameReader(true);
  const unitOf = unitReader();
  let hasStarted = false;
  gateway.on("data", (bytes) => {
    for (const frame of framesOf(bytes)) {
      if (isBroken) return;
      const unit = hasStarted ? unitOf(frame) : undefined;
      if (!hasStarted) database.write(frame);
      hasStarted = true;
      if (unit !== undefined) forward(unit);
    }
  });

  const answersOf = frameReader(false);
  let held: Buffer[] = [];
  database.on("data", (bytes) => {
    for (const frame of answersOf(bytes)) {
      if (isBroken) return;
      const [cut] = unanswered;
      const isLast = letterOf(frame) === "Z";
      if (isLast) unanswered.shift();
      if (cut === undefined) gateway.write(frame);
      else held.push(frame);
      if (cut === undefined || !isLast) continue;
      const isPartly = cut.wanted.place === "in the middle of its answer";
      if (isPartly) gateway.write(head(Buffer.concat(held), cut));
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
const head = (bytes: Buffer, { wanted: { part } }: Armed): Buffer =>
  bytes.subarray(0, 1 + Math.floor(part * (bytes.length - 1)));

const letterOf = (frame: Buffer): string => String.fromCharCode(frame[0] ?? 0);

/** A letter and a length that counts itself, then the content; the very first frame has no letter. */
function frameReader(hasStartup: boolean): (bytes: Buffer) => Buffer[] {
  let rest = Buffer.alloc(0);
  let letter = hasStartup ? 0 : 1;
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    const frames: Buffer[] = [];
    while (rest.length >= letter + 4) {
      const size = letter + rest.readInt32BE(letter);
      if (rest.length < size) break;
      frames.push(rest.subarray(0, size));
      rest = rest.subarray(size);
      letter = 1;
    }
    return frames;
  };
}

/** Gathers a client's frames into units, up to a Sync or a simple query; nothing until one is whole. */
function unitReader(): (frame: Buffer) => Unit | undefined {
  const texts = new Map<string, string>();
  let frames: Buffer[] = [];
  let text = "";
  let asked = "";
  let isInside = false;
  return (frame) => {
    frames.push(frame);
    const letter = letterOf(frame);
    const [first = "", second = ""] = frame.toString("utf8", 5).split("\0", 2);
    if (letter === "P") texts.set(first, second);
    if (letter === "B") text = texts.get(second) ?? "";
    if ("PBDE".includes(letter)) return undefined;
    text = (letter === "Q" ? first : text).trim().toLowerCase();
    asked = isInside ? `${asked}\n${text}` : text;
    const unit: Unit = { bytes: Buffer.concat(frames), kind: kindOf(text, isInside), asked };
    if (text.startsWith("begin")) isInside = true;
    if (/^(commit|rollback)\b/.test(text)) isInside = false;
    frames = [];
    text = "";
    return unit;
  };
}

function kindOf(text: string, isInside: boolean): Unit["kind"] {
  if (text === "commit") return "a COMMIT";
  if (text === "" || /^(begin|rollback)\b/.test(text)) return "other";
  if (isInside) return "a statement inside";
  return /\b(insert into|update|delete from)\b/.test(text) ? "a statement by itself" : "other";
}
