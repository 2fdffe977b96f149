// The witness's requests, and what is certain after each: an answer, or nothing at all.

import { setTimeout as sleep } from "node:timers/promises";
import { type Answer, type CallOptions, call } from "../../test/gateway.ts";

export interface Request {
  readonly path: string;
  /** Left out for one that only looks. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** One request that was sent, and what came of it. */
export interface Heard {
  readonly url: string;
  readonly path: string;
  readonly tookMs: number;
  /** A success or a refusal. Without one, only asking again tells whether it was done. */
  readonly answer: Answer | undefined;
  /** Why there is none: a status, "silence", or the code of an error. */
  readonly why: string | undefined;
}

/** Asks until there is an answer. */
export type Insist = (request: Request) => Promise<Answer>;

/** Nobody listened, so nothing can have been done. */
export const wasUnheard = ({ why }: Heard): boolean => why === "ECONNREFUSED";

/** More than any limit of the gateway's own: whoever is silent for longer has forgotten the call. */
const ANSWER_WITHIN_MS = 25_000;
export const AGAIN_AFTER_MS = 50;
const INSISTS_FOR_MS = 150_000;

export function openAsker(
  url: () => string,
  violation: (what: string) => void,
  ending: AbortSignal,
  heard: (one: Heard) => void,
) {
  const send = async (request: Request): Promise<Heard> => {
    const askedAt = performance.now();
    const asked = { url: url(), path: request.path };
    const { answer, why } = await ask(asked.url, request);
    const one = { ...asked, tookMs: performance.now() - askedAt, answer, why };
    heard(one);
    // A database that is away is a 503 in order; whatever else fails is a fault of the gateway's own.
    if (why === "silence" || (why?.startsWith("5") && why !== "503")) {
      violation(`${request.path} ${JSON.stringify(request.body)}: ${why}`);
    }
    return one;
  };
  const insist: Insist = async (request) => {
    const until = performance.now() + INSISTS_FOR_MS;
    for (;;) {
      const { answer, why } = await send(request);
      if (answer !== undefined) return answer;
      if (performance.now() > until) throw new Error(`${request.path}: only ${why} for too long`);
      await sleep(AGAIN_AFTER_MS);
      ending.throwIfAborted();
    }
  };
  return { send, insist };
}

async function ask(url: string, request: Request): Promise<Pick<Heard, "answer" | "why">> {
  const { path, body, headers } = request;
  const options: CallOptions = { headers: { ...headers }, ...(body === undefined ? {} : { body }) };
  const patience = new AbortController();
  const silence = sleep(ANSWER_WITHIN_MS, undefined, { signal: patience.signal }).catch(
    () => undefined,
  );
  try {
    const answer = await Promise.race([call(url, path, options), silence]);
    if (answer === undefined) return { answer, why: "silence" };
    const { status, text, body: told } = answer;
    if (status < 500) return { answer, why: undefined };
    const isInOrder = status === 503 && told?.status_check !== undefined && told.data === null;
    return { answer: undefined, why: isInOrder ? "503" : `${status} ${text}` };
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    return { answer: undefined, why: String(code ?? cause) };
  } finally {
    patience.abort();
  }
}
