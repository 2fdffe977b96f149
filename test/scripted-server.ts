// A gateway that plays a part: it gives the answers it was told to give, in order, and keeps what it
// was asked. For what a real one does not do on demand, such as failing twice.

import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";

interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** One answer: a status with its body and headers, or something that is no answer at all. */
export type Scripted =
  | "cut the line"
  | "say nothing"
  | {
      readonly status?: number;
      readonly headers?: Record<string, string>;
      readonly body?: unknown;
    };

export async function openScriptedServer() {
  const asked: Asked[] = [];
  let script: Scripted[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      asked.push({ method, url, headers, body: Buffer.concat(chunks).toString("utf8") });
      // The last answer is given again and again.
      play(response, (script.length > 1 ? script.shift() : script[0]) ?? {});
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    /** Forgets what it was asked before, too. */
    plays(...next: Scripted[]): void {
      script = next;
      asked.length = 0;
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function play(response: ServerResponse, answer: Scripted): void {
  if (answer === "say nothing") return;
  if (answer === "cut the line") {
    response.destroy();
    return;
  }
  const { status = 200, headers = {}, body = { data: {}, status, status_check: true } } = answer;
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}
