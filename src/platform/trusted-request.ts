// A request to an address that the operator has set, which may be inside their own network. Guards that it goes
// out at most once, on a connection of its own: an idle one that the other side has just closed would leave open
// whether it was heard. It follows no redirect and no proxy, and reads a bounded answer.

import { codeOf } from "./failure.ts";
import { http, https } from "./http.ts";

export interface TrustedRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

export interface TrustedAnswer {
  readonly status: number;
  readonly text: string;
}

const MAX_ANSWER_BYTES = 64 * 1024;

/** What breaks off, is too long or late, or is no HTTP at all, throws; its code says why. */
export function requestTrusted(sent: TrustedRequest): Promise<TrustedAnswer> {
  const { method, body, signal } = sent;
  const url = new URL(sent.url);
  const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const request = (url.protocol === "https:" ? https : http).request(url, {
      method,
      signal,
      agent: false,
      headers: { ...sent.headers, ...length },
    });
    request.on("error", reject);
    // One that asks for another protocol is closed without an error, and nobody would ever be told.
    request.on("close", () => reject(new Error("closed without an answer")));
    request.on("response", (answer) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      answer.on("error", reject);
      answer.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > MAX_ANSWER_BYTES) request.destroy(new Error("the answer is too long"));
      });
      answer.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        if (answer.complete) resolve({ status: answer.statusCode ?? 0, text });
        else reject(new Error("the answer broke off"));
      });
    });
    request.end(body);
  });
}

/** In a few words, and none of the other side's. */
export function whyUnanswered(error: unknown, signal: AbortSignal): string {
  if (signal.aborted)
    return signal.reason?.name === "TimeoutError" ? "no answer in time" : "stopped";
  const code = codeOf(error);
  return /^[A-Z_]{3,40}$/.test(code) ? `no answer (${code})` : "no answer that can be read";
}
