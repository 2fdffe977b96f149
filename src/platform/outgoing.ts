// Requests to addresses that others chose. Guards that they reach public addresses only (see
// checked-lookup.ts), follow no redirect and no proxy, take a bounded time and read a bounded answer;
// and that a failure says in a few fixed words what went wrong, never what the other side said.

import type { ClientRequest } from "node:http";
import { httpUrlOf } from "./address.ts";
import { type AddressPolicy, checkedLookup, KnownFailure } from "./checked-lookup.ts";
import { codeOf } from "./failure.ts";
import { http, https } from "./http.ts";

export interface PostOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface OutgoingAnswer {
  readonly status: number;
  readonly durationMs: number;
}

export interface Outgoing {
  /** The status, whatever it is; where there was none, an OutgoingFailure. */
  post(url: string, options: PostOptions): Promise<OutgoingAnswer>;
  /** Lets go of every connection. */
  close(): void;
}

export class OutgoingFailure extends Error {
  readonly durationMs: number;

  constructor(reason: string, durationMs: number) {
    super(reason);
    this.durationMs = durationMs;
  }
}

export interface OutgoingOptions extends AddressPolicy {
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_SOCKETS_PER_HOST = 16;
/** Shorter than the 5 s after which common servers close an idle connection. */
const IDLE_MS = 4_000;

export function openOutgoing(options: OutgoingOptions): Outgoing {
  const { checkLiteral, lookup } = checkedLookup(options);
  const agentOptions = {
    keepAlive: true,
    timeout: IDLE_MS,
    maxSockets: MAX_SOCKETS_PER_HOST,
    maxFreeSockets: 2,
    lookup,
  };
  // Agents of our own: only the global ones take a proxy from the environment.
  const agents = {
    "http:": new http.Agent(agentOptions),
    "https:": new https.Agent(agentOptions),
  };

  const attempt = (url: URL, sent: PostOptions, endsAt: number): Promise<number> => {
    const secure = url.protocol === "https:";
    const request = (secure ? https : http).request(url, {
      method: "POST",
      agent: agents[secure ? "https:" : "http:"],
      headers: { ...sent.headers, "content-length": Buffer.byteLength(sent.body) },
      ...(sent.signal && { signal: sent.signal }),
    });
    const answered = statusOf(request, endsAt - performance.now());
    request.end(sent.body);
    return answered;
  };

  return {
    async post(text, sent) {
      const startedAt = performance.now();
      const endsAt = startedAt + (sent.timeoutMs ?? options.timeoutMs ?? TIMEOUT_MS);
      const passedMs = (): number => Math.round(performance.now() - startedAt);
      try {
        const url = httpUrlOf(text);
        if (url === undefined) throw new KnownFailure("unusable url");
        checkLiteral(url.hostname.replace(/^\[|\]$/g, ""));
        const status = await attempt(url, sent, endsAt).catch((error: unknown) => {
          // The other side closed an idle connection just as we took it: only a fresh one can tell.
          if (error instanceof StaleConnection) return attempt(url, sent, endsAt);
          throw error;
        });
        return { status, durationMs: passedMs() };
      } catch (error) {
        throw new OutgoingFailure(reasonOf(error), passedMs());
      }
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

class StaleConnection extends Error {}

const NO_ANSWER = "not an HTTP answer";

/** The parser takes any three digits, also those below the first status that there is. */
const LEAST_STATUS = 100;

/** Settles when the answer is complete, long enough or late; its status is known by then, or not. */
function statusOf(request: ClientRequest, withinMs: number): Promise<number> {
  return new Promise<number>((resolve, reject) => {
    const timer = setTimeout(() => request.destroy(new KnownFailure("timeout")), withinMs);
    let status: number | undefined;
    // The status is all that counts, so an answer that breaks off or stays behind is one, too.
    const end = (error: Error): void => (status === undefined ? reject(error) : resolve(status));
    request.on("response", (answer) => {
      answer.on("error", end);
      if ((answer.statusCode ?? 0) < LEAST_STATUS) {
        reject(new KnownFailure(NO_ANSWER));
        request.destroy();
        return;
      }
      status = answer.statusCode;
      let bytes = 0;
      answer.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MAX_ANSWER_BYTES) request.destroy();
      });
      answer.on("end", () => end(new Error("an answer without a status")));
    });
    request.on("error", (error) => {
      const stale = request.reusedSocket && codeOf(error) === "ECONNRESET";
      end(stale ? new StaleConnection() : error);
    });
    request.on("close", () => {
      clearTimeout(timer);
      end(new Error("closed without an answer"));
    });
  });
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  EPIPE: "connection reset",
  EHOSTUNREACH: "host unreachable",
  ENETUNREACH: "host unreachable",
  ETIMEDOUT: "timeout",
  ENOTFOUND: "name not found",
  ENODATA: "name not found",
  ESERVFAIL: "name server failed",
  ETIMEOUT: "name server failed",
  EAI_AGAIN: "name server failed",
};

function reasonOf(error: unknown): string {
  if (error instanceof KnownFailure) return error.message;
  // Several addresses were tried, and none could be connected to.
  const code = codeOf(error instanceof AggregateError ? error.errors[0] : error);
  if (code === "ABORT_ERR") return "stopped";
  if (code.startsWith("HPE_")) return NO_ANSWER;
  if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO_)|EPROTO/.test(code)) {
    return "certificate or TLS failure";
  }
  return REASONS[code] ?? "connection failed";
}
