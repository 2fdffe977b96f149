// Which requests are repeated, when, and after how long. Only what the gateway itself does once however
// often it is asked may be repeated: anything else could move money twice.

import { KopeckError } from "./failure.ts";

export type Wait = (ms: number, signal?: AbortSignal) => Promise<void>;

export interface RetryOptions {
  readonly maxRetries?: number | undefined;
  readonly wait?: Wait | undefined;
}

export interface Repeatable {
  readonly method: string;
  readonly path: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal | undefined;
}

const MAX_RETRIES = 2;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8_000;
/** Whoever asks for more patience than this is better left to the caller. */
const LONGEST_OBEYED_SECONDS = 60;
const PASSING_STATUSES = new Set([429, 502, 503, 504]);
/** Who is not let in is told nothing of what was asked for before. */
const SHUT_OUT_STATUSES = new Set([401, 403, 429]);
const FOR_ONCE = ["/invoice/create", "/invoice/h2h", "/invoice/cancel", "/payoff/cancel"];
const BY_REFERENCE = ["/manage/refunds", "/cabinet/refunds"];
const BY_ORDER = ["/payoff/create", "/manage/payouts", "/cabinet/payouts", "/cabinet/invoices"];

/** Whether the gateway does it once, however often it is asked: because an order id, an invoice and a
 * bank, or a reference names it, or because there is no second time, as of canceling. */
function isSafeToRepeat({ method, path, input }: Repeatable): boolean {
  if (method === "GET") return true;
  // Each item of a list has a reference of its own.
  if (path === "/manage/transfers") return Boolean(input["reference"] || input["items"]);
  if (BY_REFERENCE.includes(path)) return Boolean(input["reference"]);
  if (BY_ORDER.includes(path)) return Boolean(input["order_id"]);
  return FOR_ONCE.includes(path);
}

export async function withRetries<Result>(
  call: Repeatable,
  { maxRetries = MAX_RETRIES, wait = sleep }: RetryOptions,
  attempt: () => Promise<Result>,
): Promise<Result> {
  const retries = isSafeToRepeat(call) ? maxRetries : 0;
  let unknown: KopeckError | undefined;
  for (let turn = 0; ; turn += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof KopeckError)) throw error;
      if (turn >= retries || !mayPass(error)) throw stillUnknown(unknown, error);
      if (mayBeDone(error)) unknown = error;
      await wait(waitMs(turn, error.retryAfterSeconds), call.signal);
      call.signal?.throwIfAborted();
    }
  }
}

function mayPass({ kind, status = 0, retryAfterSeconds: asked = 0 }: KopeckError): boolean {
  if (kind === "network" || kind === "timeout") return true;
  return PASSING_STATUSES.has(status) && asked <= LONGEST_OBEYED_SECONDS;
}

/** Whether the gateway may have done what it was asked for. */
function mayBeDone({ kind, status = 0 }: KopeckError): boolean {
  return kind !== "refusal" || status >= 500;
}

/**
 * A refusal says that nothing was done; at a repetition only where it is about what was asked for, and up to then:
 * the attempt that had no answer may still arrive.
 */
function stillUnknown(unknown: KopeckError | undefined, last: KopeckError): KopeckError {
  if (unknown === undefined || mayBeDone(last)) return last;
  const isShutOut = SHUT_OUT_STATUSES.has(last.status ?? 0);
  const [{ kind, status, code, requestId }, cause] = isShutOut ? [unknown, last] : [last, unknown];
  const messages = [...(isShutOut ? unknown.messages : []), ...last.messages];
  return new KopeckError({ kind, status, code, requestId, messages, cause });
}

/** Twice as long each time, and never the same for two clients that failed together. */
function waitMs(turn: number, askedSeconds: number | undefined): number {
  const backoffMs = Math.min(FIRST_WAIT_MS * 2 ** turn, LONGEST_WAIT_MS);
  const jitteredMs = backoffMs * (0.5 + Math.random() / 2);
  return askedSeconds === undefined ? jitteredMs : askedSeconds * 1000 + jitteredMs;
}

/** The header holds seconds or a date. */
export function retryAfterSeconds(header: string | null): number | undefined {
  if (header === null || header.trim() === "") return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const atMs = Date.parse(header);
  return Number.isNaN(atMs) ? undefined : Math.max(0, Math.ceil((atMs - Date.now()) / 1000));
}

export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", abort, { once: true });
    if (signal?.aborted) abort();
  });
}
