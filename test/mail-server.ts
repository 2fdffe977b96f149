// A mail server in a test, as small as one can be: it takes what it is sent and keeps it, refuses, or says nothing.

import { createServer, type Socket } from "node:net";

export interface Taken {
  readonly from: string;
  readonly to: string;
  /** Headers and text as they came, with the text decoded. */
  readonly text: string;
}

type Manner = "takes" | "refuses" | "hangs";

export async function openMailServer() {
  const taken: Taken[] = [];
  const sockets = new Set<Socket>();
  let manner: Manner = "takes";
  let calls = 0;
  let next = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    calls += 1;
    sockets.add(socket);
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
    if (manner === "hangs") return;
    const say = (line: string) => socket.write(`${line}\r\n`);
    say("220 test");
    let [from, to, data, inData, rest] = ["", "", "", false, ""];
    socket.on("data", (chunk) => {
      rest += chunk.toString("latin1");
      for (let end = rest.indexOf("\r\n"); end >= 0; end = rest.indexOf("\r\n")) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 2);
        if (inData && line !== ".") data += `${line}\n`;
        else if (inData) {
          taken.push({ from, to, text: decoded(data) });
          [inData, data] = [false, ""];
          say("250 taken");
          next.resolve();
          next = Promise.withResolvers();
        } else if (/^DATA/i.test(line)) {
          inData = true;
          say("354 go on");
        } else {
          from = /^MAIL FROM:<(.*?)>/i.exec(line)?.[1] ?? from;
          to = /^RCPT TO:<(.*?)>/i.exec(line)?.[1] ?? to;
          say(/^RCPT/i.test(line) && manner === "refuses" ? "550 no" : "250 yes");
        }
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `smtp://127.0.0.1:${port}`,
    taken,
    calls: () => calls,
    behave(next: Manner): void {
      manner = next;
    },
    /** The letters to somebody, once there are so many. */
    async lettersTo(email: string, count = 1): Promise<Taken[]> {
      for (;;) {
        const { promise } = next;
        const own = taken.filter(({ to }) => to === email);
        if (own.length >= count) return own;
        await promise;
      }
    },
    async close(): Promise<void> {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Of the two ways in which a letter's text is written; its subject may be in pieces of base64 or of words. */
function decoded(data: string): string {
  const [head = "", ...parts] = data.split("\n\n");
  const body = parts.join("\n\n");
  const isBase64 = /^content-transfer-encoding: base64/im.test(head);
  const bytes = isBase64
    ? Buffer.from(body, "base64")
    : Buffer.from(
        body
          .replace(/=\n/g, "")
          .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
        "latin1",
      );
  return `${head}\n\n${bytes.toString("utf8")}`;
}
