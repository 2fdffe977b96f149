// Requests to addresses of merchants (public ones only) and of the operator: bounded, without redirects.

import { Resolver, lookup as systemLookup } from "node:dns/promises";
import type { ClientRequest } from "node:http";
import { isIP, type LookupFunction } from "node:net";
import { httpUrlOf, isLoopbackAddress, isPublicAddress } from "./address.ts";
import { codeOf } from "./failure.ts";
import { http, https } from "./http.ts";

/** Every address of a name; an empty list or a throw where it has none. */
type Resolve = (name: string) => Promise<readonly string[]>;

export interface AddressPolicy {
  readonly allowLoopback: boolean;
  /** Names and addresses that the operator vouches for, as a URL's hostname writes them. */
  readonly allowedHosts: readonly string[];
  readonly resolve?: Resolve;
}

/** A failure of which nothing but its own few words is told. */
export class KnownFailure extends Error {}

export function checkedLookup(policy: AddressPolicy) {
  const { resolve = resolveInDns() } = policy;
  const allowed = new Set(policy.allowedHosts);
  const check = (address: string): void => {
    if (isPublicAddress(address)) return;
    if (!(policy.allowLoopback && isLoopbackAddress(address))) {
      throw new KnownFailure("address not public");
    }
  };
  const addressesOf = async (name: string): Promise<readonly string[]> => {
    if (allowed.has(name)) {
      return (await systemLookup(name, { all: true })).map(({ address }) => address);
    }
    const addresses = isLocalhost(name) ? ["127.0.0.1", "::1"] : await resolve(name);
    // One bad address condemns the name: whoever mixes them in has no good reason to.
    for (const address of addresses) check(address);
    return addresses;
  };
  const lookup: LookupFunction = (name, { all }, done) => {
    addressesOf(name).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined) done(noAddress(), "", 0);
        else if (all) done(null, addresses.map(withFamily));
        else done(null, first, isIP(first));
      },
      (error: Error) => done(error, "", 0),
    );
  };
  return {
    lookup,
    /** For an address written out no look-up happens, so it is checked before. */
    checkLiteral(host: string): void {
      if (isIP(host) !== 0 && !allowed.has(host)) check(host);
    },
  };
}

function withFamily(address: string): { address: string; family: number } {
  return { address, family: isIP(address) };
}

function noAddress(): Error {
  return Object.assign(new Error("the name has no address"), { code: "ENOTFOUND" });
}

/** Such names never leave the machine (RFC 6761), whatever a name server says. */
function isLocalhost(name: string): boolean {
  return /(?:^|\.)localhost\.?$/.test(name);
}

const TRY_MS = 2_000;
const TRIES = 2;

/**
 * Asks the name servers directly. The system's own look-up would wait in one of four threads that the
 * whole process shares: four names whose servers never answer would hold up everybody's.
 */
function resolveInDns(): Resolve {
  const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
  return async (name) => {
    const [ipv4, ipv6] = await Promise.allSettled([
      resolver.resolve4(name),
      resolver.resolve6(name),
    ]);
    if (ipv4.status === "rejected" && ipv6.status === "rejected") throw ipv4.reason;
    return [ipv4, ipv6].flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  };
}

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
