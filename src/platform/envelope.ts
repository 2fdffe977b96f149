// The one shape of every answer: data, error (failures only), status, status_check, in that order; and how
// whatever a request throws becomes one. Guards that nothing unexpected is told to anybody but the log.

import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import Type, { type TSchema } from "typebox";
import type { App } from "./app.ts";
import { isAway } from "./db-failure.ts";
import {
  type Failure,
  frameworkFailure,
  HttpFailure,
  type HttpFailureCode,
  isFailure,
  preferredLanguage,
} from "./failure.ts";
import { tellSeldom } from "./log-seldom.ts";

export function envelope(data: TSchema) {
  return Type.Object({
    data,
    status: Type.Unsafe<200>({ type: "integer", const: 200 }),
    status_check: Type.Unsafe<true>({ type: "boolean", const: true }),
  });
}

export const failureEnvelope = Type.Object({
  data: Type.Null(),
  error: Type.Union([Type.String(), Type.Array(Type.String())]),
  status: Type.Integer(),
  status_check: Type.Unsafe<false>({ type: "boolean", const: false }),
});

/** What a request is called in its answer and in the log, so that whoever saw one finds the other. */
export const REQUEST_ID = "x-request-id";
/** Nothing else than a name gets into the log by it. */
const WELL_FORMED = /^[\w.:+/=-]{1,64}$/;

/** The caller's own, or that of a proxy in between, where it is one; else a new one. */
export function requestIdOf(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): string {
  const given = headers[REQUEST_ID];
  return typeof given === "string" && WELL_FORMED.test(given) ? given : randomUUID();
}

/** What is to be said of whatever a request has thrown; what was not expected is for the log alone. */
export function failureOf(
  app: App,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Failure {
  lingerOver(request, reply);
  const isPage = request.routeOptions.config.page !== undefined;
  const known = isFailure(error) ? error : frameworkFailure(error, isPage);
  if (known === undefined) {
    const about = { requestId: request.id, err: error, route: request.routeOptions.url };
    app.log.error(about, "a request failed unexpectedly");
    return new HttpFailure("internal");
  }
  // An outage fails every request in the same way: it is told once, by the database's own connections.
  if (known.cause instanceof Error) {
    const about = { requestId: request.id, reason: known.cause.message };
    if (isAway(known.cause)) app.log.debug(about, known.message);
    else tellSeldom(app)("warn", about.reason, about, known.message);
  }
  return known;
}

const LINGER_MS = 5_000;

/**
 * A socket that is closed over bytes which nobody has read is reset, and the answer may be lost with it: so
 * the rest of the body is taken and thrown away, for a while, also of a client that wants no other answer.
 */
export function lingerOver({ raw }: FastifyRequest, reply: FastifyReply): void {
  const { "content-length": length = "0", "transfer-encoding": coding } = raw.headers;
  if (raw.complete || (length === "0" && coding === undefined)) return;
  const isLast = !reply.raw.shouldKeepAlive;
  // The framework and the runtime would have the connection closed at once.
  reply.removeHeader("connection");
  reply.raw.shouldKeepAlive = true;
  let timer: NodeJS.Timeout | undefined;
  reply.raw.once("finish", () => {
    timer = setTimeout(() => raw.destroy(), LINGER_MS);
  });
  raw.once("close", () => {
    clearTimeout(timer);
    if (isLast) raw.socket.end();
  });
}

export function sendFailure(
  request: FastifyRequest,
  reply: FastifyReply,
  failure: Failure,
): FastifyReply {
  const { status } = failure;
  const words = failure.words(preferredLanguage(request.headers["accept-language"]));
  const list = typeof words === "string" ? [words] : words;
  const all = status === 422 && request.routeOptions.config.endpoint?.problems === "all";
  if (failure.retryAfterSeconds !== undefined) {
    reply.header("retry-after", String(failure.retryAfterSeconds));
  }
  return reply
    .code(status)
    .header("content-type", "application/json; charset=utf-8")
    .header("cache-control", "no-store")
    .serializer(JSON.stringify)
    .send({ data: null, error: all ? list : list[0], status, status_check: false });
}

/** What is refused before there is a route gets the envelope all the same. */
export function rawFailure(code: HttpFailureCode): string {
  const failure = new HttpFailure(code);
  const { status } = failure;
  const error = failure.words("en");
  const body = JSON.stringify({ data: null, error, status, status_check: false });
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "content-type: application/json; charset=utf-8",
    `${REQUEST_ID}: ${requestIdOf({})}`,
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
    "",
    body,
  ].join("\r\n");
}
