// Every way in which a receiver can be bad, and what must become of the events that go there.

import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { answerWith, type openReceiver } from "../../test/webhook-room.ts";

type Behaviour = Parameters<typeof openReceiver>[0];

export interface Kind {
  readonly name: string;
  /** What it does once it has read a request; or, before that, with a connection. */
  readonly behave?: Behaviour;
  readonly connected?: (socket: Socket) => void;
  /** Nobody listens there at all. */
  readonly isAway?: boolean;
  readonly isTls?: boolean;
  /** An attempt ends only with its time: here after a short one. */
  readonly giveUpMs?: number;
  readonly state: "delivered" | "exhausted";
  readonly attempts: readonly [least: number, most: number];
  /** What the log says of its attempts: a status or a few words. */
  readonly outcomes: readonly (number | string)[];
}

const FAILS = { state: "exhausted", attempts: [10, 10] } as const;
const TAKES = { state: "delivered", attempts: [1, 1] } as const;

/** For receivers that never say how it went. */
const SOON_MS = 150;
/** For one that does: unless the machine is very busy its status comes in time. */
const PATIENT_MS = 1_500;
const LATE_MS = 1_000;
const HUGE = 1_000_000;

function socketOf({ socket }: ServerResponse): Socket {
  if (socket === null) throw new Error("the connection is gone already");
  return socket;
}

/** These bytes and no others, then the end. */
const bytes =
  (text: string): Behaviour =>
  (answer) =>
    socketOf(answer).end(text);

/** A byte now and then, and no end. */
const drips =
  (beginning: string, text: string): Behaviour =>
  (answer) => {
    const socket = socketOf(answer);
    socket.write(beginning);
    let at = 0;
    const timer = setInterval(() => {
      socket.write(text.charAt(at % text.length));
      at += 1;
    }, 20);
    socket.once("close", () => clearInterval(timer));
  };

/** As fast as it is read, and no end. */
const pours =
  (beginning: string, text: string): Behaviour =>
  (answer) => {
    const socket = socketOf(answer);
    const pour = (): void => {
      while (!socket.destroyed && socket.write(text));
    };
    socket.on("drain", pour);
    socket.write(beginning);
    pour();
  };

/** The third time it hears of an event it takes it. */
function takesTheThird(): Behaviour {
  const heard = new Map<string, number>();
  return (answer, { headers }) => {
    const id = String(headers["webhook-id"]);
    const times = (heard.get(id) ?? 0) + 1;
    heard.set(id, times);
    answer.writeHead(times < 3 ? 503 : 200).end();
  };
}

/** The first request of a connection is answered, the second breaks it. */
function breaksTheSecond(): Behaviour {
  const known = new WeakSet<Socket>();
  return (answer) => {
    const socket = socketOf(answer);
    if (known.has(socket)) socket.resetAndDestroy();
    else answer.writeHead(200).end();
    known.add(socket);
  };
}

const CHUNKED = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";

/** A redirect leads to a trap, which nobody may walk into. */
export function kindsOf(trapUrl: string): readonly Kind[] {
  return [
    { name: "refuses connections", isAway: true, ...FAILS, outcomes: ["connection refused"] },
    {
      ...{ name: "resets connections", connected: (socket) => socket.resetAndDestroy() },
      ...{ ...FAILS, outcomes: ["connection reset"] },
    },
    {
      ...{ name: "hangs up at once", connected: (socket) => void socket.end() },
      ...{ ...FAILS, outcomes: ["connection reset"] },
    },
    {
      ...{ name: "garbage for TLS", isTls: true },
      connected: (socket) => void socket.end("no TLS here\r\n".repeat(20)),
      ...{ ...FAILS, outcomes: ["certificate or TLS failure"] },
    },
    {
      ...{ name: "never answers", behave: () => {}, giveUpMs: SOON_MS },
      ...{ ...FAILS, outcomes: ["timeout"] },
    },
    {
      ...{ name: "answers byte by byte", behave: drips("HTTP/1.1 2", "0"), giveUpMs: SOON_MS },
      // More digits than a status has are an end of their own.
      ...{ ...FAILS, outcomes: ["timeout", "not an HTTP answer"] },
    },
    {
      ...{ name: "headers byte by byte", behave: drips("HTTP/1.1 200 OK\r\nx: ", "x") },
      ...{ giveUpMs: SOON_MS, ...FAILS, outcomes: ["timeout"] },
    },
    {
      ...{ name: "endless headers", behave: pours("HTTP/1.1 200 OK\r\n", "x: y\r\n".repeat(99)) },
      ...{ ...FAILS, outcomes: ["not an HTTP answer"] },
    },
    {
      name: "a huge header",
      behave: bytes(`HTTP/1.1 200 OK\r\nx: ${"x".repeat(HUGE)}\r\n\r\n`),
      ...{ ...FAILS, outcomes: ["not an HTTP answer"] },
    },
    {
      ...{ name: "endless 100s", behave: drips("", "HTTP/1.1 100 Continue\r\n\r\n") },
      ...{ giveUpMs: SOON_MS, ...FAILS, outcomes: ["timeout"] },
    },
    {
      name: "an endless body",
      behave: pours(CHUNKED, `4000\r\n${"x".repeat(0x4000)}\r\n`),
      ...{ ...TAKES, outcomes: [200] },
    },
    {
      ...{ name: "a body byte by byte", behave: drips(`${CHUNKED}ffff\r\n`, "x") },
      // The status counts, where it came in time.
      ...{ giveUpMs: PATIENT_MS, state: "delivered", attempts: [1, 9], outcomes: [200, "timeout"] },
    },
    {
      name: "a body shorter than it says",
      behave: bytes("HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nx"),
      ...{ ...TAKES, outcomes: [200] },
    },
    {
      name: "a body longer than it says",
      behave: bytes(`HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n${"x".repeat(HUGE)}`),
      ...{ ...TAKES, outcomes: [200] },
    },
    {
      name: "a length that is no number",
      behave: bytes("HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\nx"),
      ...{ ...FAILS, outcomes: ["not an HTTP answer"] },
    },
    {
      ...{ name: "closes in the middle", behave: bytes("HTTP/1.1 200 OK\r\ncontent-le") },
      ...{ ...FAILS, outcomes: ["connection reset"] },
    },
    {
      ...{ name: "garbage for HTTP", behave: bytes("SSH-2.0-OpenSSH_9.2\r\n") },
      ...{ ...FAILS, outcomes: ["not an HTTP answer"] },
    },
    {
      name: "a status below 100",
      behave: bytes("HTTP/1.1 099 Odd\r\ncontent-length: 0\r\n\r\n"),
      ...{ ...FAILS, outcomes: ["not an HTTP answer"] },
    },
    {
      name: "changes the protocol",
      behave: bytes("HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n"),
      ...{ ...FAILS, outcomes: ["connection failed"] },
    },
    { name: "answers 500", behave: answerWith(500), ...FAILS, outcomes: [500] },
    {
      ...{ name: "answers 429", behave: answerWith(429, { "retry-after": "86400" }) },
      ...{ ...FAILS, outcomes: [429] },
    },
    { name: "answers 404", behave: answerWith(404), ...FAILS, outcomes: [404] },
    {
      ...{ name: "redirects inwards", behave: answerWith(301, { location: trapUrl }) },
      ...{ ...FAILS, outcomes: [301] },
    },
    {
      ...{ name: "answers 410", behave: answerWith(410), outcomes: [410] },
      ...{ state: "exhausted", attempts: [1, 1] },
    },
    {
      ...{ name: "takes the third attempt", behave: takesTheThird(), outcomes: [503, 200] },
      ...{ state: "delivered", attempts: [3, 3] },
    },
    {
      name: "breaks used connections",
      behave: breaksTheSecond(),
      ...{ state: "delivered", attempts: [1, 4], outcomes: [200, "connection failed"] },
    },
    {
      name: "200 too late",
      behave: (answer) => setTimeout(() => answer.writeHead(200).end(), LATE_MS),
      ...{ giveUpMs: SOON_MS, ...FAILS, outcomes: ["timeout"] },
    },
  ];
}
