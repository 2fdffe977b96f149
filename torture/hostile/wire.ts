// HTTP by hand: bytes as they are go out on a socket, and what comes back is taken apart without mercy.

import { connect, type Socket } from "node:net";

export interface WireAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
  /** Whole head and body as they came. */
  readonly raw: string;
}

const HEAD_END = "\r\n\r\n";

/** The first answer in the bytes and what it takes; nothing where it is not all there yet. */
export function takeAnswer(
  bytes: Buffer,
  { isHead, isOver }: { readonly isHead: boolean; readonly isOver: boolean },
): { readonly answer: WireAnswer; readonly length: number } | undefined {
  const end = bytes.indexOf(HEAD_END);
  if (end === -1) {
    if (isOver && bytes.length > 0) throw new Error("an answer without an end of its head");
    return undefined;
  }
  const [line = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  const status = Number(/^HTTP\/1\.1 ([1-5]\d\d) [\w ,'-]*$/.exec(line)?.[1]);
  if (Number.isNaN(status)) throw new Error(`no HTTP: ${line.slice(0, 100)}`);
  const headers = new Map(
    lines.map((one) => {
      const [, name, value] = /^([\w-]+): ?([^\0\r\n]*)$/.exec(one) ?? [];
      if (name === undefined) throw new Error(`no header: ${one.slice(0, 100)}`);
      return [name.toLowerCase(), value ?? ""];
    }),
  );
  const start = end + HEAD_END.length;
  const body = takeBody(bytes.subarray(start), status, headers, isHead, isOver);
  if (body === undefined) return undefined;
  const text = body.content.toString("utf8");
  const length = start + body.length;
  const raw = bytes.subarray(0, length).toString("utf8");
  return { answer: { status, headers, text, raw }, length };
}

interface Body {
  readonly content: Buffer;
  readonly length: number;
}

function takeBody(
  bytes: Buffer,
  status: number,
  headers: ReadonlyMap<string, string>,
  isHead: boolean,
  isOver: boolean,
): Body | undefined {
  if (isHead || status < 200 || status === 204 || status === 304) {
    return { content: Buffer.alloc(0), length: 0 };
  }
  // A stream goes on until somebody leaves: that it has begun is its answer.
  if (headers.get("content-type")?.startsWith("text/event-stream")) {
    return { content: bytes, length: bytes.length };
  }
  if (headers.get("transfer-encoding") === "chunked") return takeChunks(bytes);
  const length = headers.get("content-length");
  if (length === undefined) return isOver ? { content: bytes, length: bytes.length } : undefined;
  if (!/^\d+$/.test(length)) throw new Error(`content-length ${length}`);
  if (bytes.length < Number(length)) {
    if (isOver) throw new Error(`${bytes.length} bytes of ${length}`);
    return undefined;
  }
  return { content: bytes.subarray(0, Number(length)), length: Number(length) };
}

function takeChunks(bytes: Buffer): Body | undefined {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd === -1) return undefined;
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString("latin1"), 16);
    const next = lineEnd + 2 + size + 2;
    if (Number.isNaN(size)) throw new Error("a chunk without a size");
    if (bytes.length < next) return undefined;
    if (size === 0) return { content: Buffer.concat(parts), length: next };
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = next;
  }
}

/** One connection that is used again and again, as long as the server keeps it. */
export class Lane {
  readonly #port: number;
  #socket: Socket | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  /** Rejects where there is no whole answer, with what went wrong. */
  ask(bytes: Buffer, isHead: boolean, deadlineMs: number): Promise<WireAnswer> {
    const socket = this.#socket ?? connect({ host: "127.0.0.1", port: this.#port });
    this.#socket = socket;
    socket.setNoDelay(true);
    return new Promise((resolve, reject) => {
      let received = Buffer.alloc(0);
      let trouble = "";
      const finish = (done: () => void): void => {
        clearTimeout(timer);
        socket.removeAllListeners();
        // A reset after the answer is nobody's trouble.
        socket.on("error", () => undefined);
        done();
      };
      const fail = (why: string): void => {
        this.close();
        finish(() => reject(new Error(why)));
      };
      const look = (isOver: boolean): void => {
        try {
          const taken = takeAnswer(received, { isHead, isOver });
          if (taken !== undefined) settle(taken.answer, taken.length);
          else if (isOver) fail(trouble === "" ? "closed without an answer" : trouble);
        } catch (error) {
          fail(String(error));
        }
      };
      const settle = (answer: WireAnswer, length: number): void => {
        const isStream = answer.headers.get("content-type")?.startsWith("text/event-stream");
        const isLast = answer.headers.get("connection") === "close" || isStream === true;
        // A head that cannot be read is refused by somebody who does not know yet that it was a HEAD.
        const isUnread = isHead && isLast && (answer.status === 431 || answer.status === 400);
        if (received.length > length && !isUnread) {
          fail(`more than one answer: ${received.subarray(length)}`);
        } else {
          if (isLast) this.close();
          finish(() => resolve(answer));
        }
      };
      const timer = setTimeout(() => fail(`no answer within ${deadlineMs} ms`), deadlineMs);
      socket.on("data", (chunk: Buffer) => {
        received = Buffer.concat([received, chunk]);
        look(false);
      });
      socket.on("error", (error) => {
        trouble = error.message;
      });
      socket.on("close", () => {
        this.#socket = undefined;
        look(true);
      });
      socket.write(bytes);
    });
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }
}
