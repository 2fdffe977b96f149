// The one function that makes a request: fills the path, puts the rest into the query or the body,
// and turns the envelope into `data` or a KopeckError.

import { KopeckError } from "./failure.ts";
import { retryAfterSeconds, type Wait, withRetries } from "./retry.ts";

export interface TransportOptions {
  /** Where the gateway is, such as https://pay.example. */
  readonly baseUrl: string;
  /** The language of messages, such as "ru"; English when left out. */
  readonly language?: string | undefined;
  /** How long one attempt may take; 15 seconds when left out. */
  readonly timeoutMs?: number | undefined;
  /** How often a request that is safe to repeat is repeated; 2 when left out, 0 for never. */
  readonly maxRetries?: number | undefined;
  /** Instead of the runtime's own. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** How to wait before a repetition, for tests that do not want to. */
  readonly wait?: Wait | undefined;
}

export interface CallOptions {
  /** Ends the call, its repetitions and its waiting; the call then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

interface Call extends CallOptions {
  readonly method: "GET" | "POST";
  /** As the API's description writes it, with {names} in it. */
  readonly path: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  /** How long the gateway was asked to wait itself: an attempt may take that much longer. */
  readonly waitMs?: number | undefined;
}

export type Transport = (call: Call) => Promise<unknown>;

const TIMEOUT_MS = 15_000;

export function transport(options: TransportOptions): Transport {
  const base = baseOf(options.baseUrl);
  const { timeoutMs = TIMEOUT_MS, language, maxRetries, wait } = options;

  async function attempt(
    call: Call,
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string | undefined,
  ): Promise<unknown> {
    const patienceMs = timeoutMs + (call.waitMs ?? 0);
    const timeout = AbortSignal.timeout(patienceMs);
    const send = options.fetch ?? globalThis.fetch;
    try {
      const response = await send(url, {
        method: call.method,
        headers,
        // A redirect would take the secrets along to wherever it leads.
        redirect: "manual",
        signal: call.signal === undefined ? timeout : AbortSignal.any([timeout, call.signal]),
        ...(body === undefined ? {} : { body }),
      });
      return dataOf(response, await response.text());
    } catch (cause) {
      call.signal?.throwIfAborted();
      if (cause instanceof KopeckError) throw cause;
      // Some runtimes call the end of their patience an abort, too.
      if (timeout.aborted) {
        const messages = [`There was no answer within ${patienceMs} ms.`];
        throw new KopeckError({ kind: "timeout", messages, cause });
      }
      if (isAbort(cause)) throw cause;
      throw new KopeckError({ kind: "network", messages: ["There was no answer."], cause });
    }
  }

  return async (call) => {
    // A setting that was forgotten would be sent as the word "undefined", and refused as a wrong secret.
    if (!Object.values(call.headers).every(Boolean)) throw new TypeError("The secret is missing.");
    const { path, rest } = fillPath(call.path, call.input);
    const isGet = call.method === "GET";
    const url = base + path + (isGet ? queryOf(rest) : "");
    const body = isGet ? undefined : JSON.stringify(rest);
    const headers = {
      accept: "application/json",
      ...(language === undefined ? {} : { "accept-language": language }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...call.headers,
    };
    // A secret that no header can carry would look like a network that is away.
    made(
      () => new Headers(headers),
      "A secret, or the language, is nothing that a header can carry.",
    );
    return await withRetries(call, { maxRetries, wait }, () => attempt(call, url, headers, body));
  };
}

const WRONG_BASE = "The baseUrl is http:// or https://, without user, query or fragment.";

/** What fetch would refuse each time is refused once, and with words. */
function baseOf(baseUrl: string): string {
  const url = made(() => new URL(baseUrl), WRONG_BASE);
  const { protocol, username, password, search, hash, href } = url;
  const isPlain = username + password + search + hash === "";
  if (!/^https?:$/.test(protocol) || !isPlain) throw new TypeError(WRONG_BASE);
  return href.replace(/[/?#]+$/, "");
}

/** The runtime's own words repeat what it was given, which is a secret or may hold one, and end in somebody's log. */
function made<Made>(make: () => Made, words: string): Made {
  try {
    return make();
  } catch {
    throw new TypeError(words);
  }
}

/** Whoever ended it knows why: a fetch of the caller's own may be ended by the caller, too. */
function isAbort(cause: unknown): boolean {
  return cause instanceof Error && cause.name === "AbortError";
}

function fillPath(template: string, input: Readonly<Record<string, unknown>>) {
  const rest = { ...input };
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(input[name] ?? "");
    // Dots alone would be resolved away, and the request would reach another door.
    if (/^\.{0,2}$/.test(value)) throw new TypeError(`${template} needs ${name}.`);
    delete rest[name];
    return encodeURIComponent(value);
  });
  return { path, rest };
}

function queryOf(fields: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null) query.append(name, String(one));
    }
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

function dataOf(response: Response, text: string): unknown {
  const envelope = parseObject(text);
  const { status } = response;
  if (response.ok && envelope !== undefined && "data" in envelope) return envelope["data"];
  // A proxy on the way has failures of its own; they do not say what the gateway has done.
  const isRefusal = !response.ok && envelope?.["status_check"] === false;
  const words = isRefusal ? envelope["error"] : `HTTP ${status}: the answer is not one of Kopeck.`;
  const { headers } = response;
  throw new KopeckError({
    kind: isRefusal ? "refusal" : "unreadable",
    status,
    messages: Array.isArray(words) ? words.map(String) : [String(words)],
    code: headers.get("x-kopeck-error") ?? undefined,
    requestId: headers.get("x-request-id") ?? undefined,
    retryAfterSeconds: retryAfterSeconds(headers.get("retry-after")),
  });
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
