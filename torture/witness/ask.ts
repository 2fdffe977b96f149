// The witness's requests, and what is certain after each: an answer, a refusal, or nothing at all.

import { setTimeout as sleep } from "node:timers/promises";
import { type Answer, type CallOptions, call } from "../../test/gateway.ts";

export interface Request {
  readonly path: string;
  /** Left out for one that only looks. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
}

export type Outcome =
  | { readonly kind: "acknowledged"; readonly answer: Answer }
  | { readonly kind: "refused"; readonly answer: Answer }
  /** Not sent: nobody listened. Sent: whether it was done can only be found out by asking. */
  | { readonly kind: "unknown"; readonly why: string; readonly sent: boolean };

/** One request that was sent, and what came of it. */
export interface Heard {
  readonly url: string;
  readonly path: string;
  readonly tookMs: number;
  /** Why there is no answer, where there is none. */
  readonly why: string | undefined;
}

/** More than any limit of the gateway's own: whoever is silent for longer has forgotten the call. */
const ANSWER_WITHIN_MS = 25_000;

/** For one that asks until it is answered. */
export const AGAIN_AFTER_MS = 25;
const INSISTS_FOR_MS = 40_000;

/** Once, or until there is an answer. */
export function openAsker(
  url: () => string,
  violation: (what: string) => void,
  ending: AbortSignal,
  heard: (one: Heard) => void = () => {},
) {
  const send = async (request: Request): Promise<Outcome> => {
    const askedAt = performance.now();
    const asked = { url: url(), path: request.path };
    const outcome = await ask(asked.url, request);
    const why = outcome.kind === "unknown" ? outcome.why : undefined;
    heard({ ...asked, tookMs: performance.now() - askedAt, why });
    // A database that is away is a 503; whatever else fails is a fault of the gateway's own.
    if (outcome.kind === "unknown" && (outcome.why === "500" || outcome.why === "silence")) {
      violation(`${request.path} ${JSON.stringify(request.body)}: ${outcome.why}`);
    }
    return outcome;
  };
  const insist = async (request: Request): Promise<Answer> => {
    const until = performance.now() + INSISTS_FOR_MS;
    for (;;) {
      const outcome = await send(request);
      if (outcome.kind !== "unknown") return outcome.answer;
      if (performance.now() > until) {
        throw new Error(`${request.path}: no answer in ${INSISTS_FOR_MS} ms: ${outcome.why}`);
      }
      await sleep(AGAIN_AFTER_MS);
      ending.throwIfAborted();
    }
  };
  return { send, insist };
}

async function ask(url: string, request: Request): Promise<Outcome> {
  const { path, body, headers } = request;
  const options: CallOptions = { headers: { ...headers }, ...(body === undefined ? {} : { body }) };
  const patience = new AbortController();
  const silence = sleep(ANSWER_WITHIN_MS, "silence" as const, {
    signal: patience.signal,
    ref: false,
  }).catch(() => "silence" as const);
  try {
    const answer = await Promise.race([call(url, path, options), silence]);
    if (answer === "silence") return { kind: "unknown", why: "silence", sent: true };
    if (answer.status === 200) return { kind: "acknowledged", answer };
    if (answer.status < 500) return { kind: "refused", answer };
    return { kind: "unknown", why: String(answer.status), sent: true };
  } catch (error) {
    const why = codeOf(error);
    return { kind: "unknown", why, sent: why !== "ECONNREFUSED" };
  } finally {
    patience.abort();
  }
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return String(code ?? cause);
}
