// The one shape of every answer, of failures too. Unexpected errors are told to the log only.

import { randomUUID } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { TSchema } from "typebox";
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
import { Type } from "./field.ts";
import { http } from "./http.ts";
import { tellSeldom } from "./log.ts";

export function envelope(data: TSchema) {
  return Type.Object({
    data,
    status: Type.Unsafe<200>({ type: "integer", const: 200 }),
    status_check: Type.Unsafe<true>({ type: "boolean", const: true }),
  });
}

/**
 * The same for whoever writes an answer: of what is one of several shapes the writer would check every format,
 * 4 µs a transfer.
 */
export function writtenEnvelope(data: TSchema): unknown {
  return JSON.parse(JSON.stringify(envelope(data)), (key, value: unknown) =>
    key === "format" && typeof value === "string" ? undefined : value,
  );
}

/** One string, or a list of them where a door answers a 422 with all of its problems. */
export const failureEnvelope = failureOfWords(
  Type.String({ description: "What went wrong.", examples: ["The amount field is required."] }),
);
export const failuresEnvelope = failureOfWords(
  Type.Array(Type.String(), {
    description: "What went wrong, one message for each problem.",
    examples: [["The bank field is required."]],
  }),
);

function failureOfWords(error: TSchema) {
  return Type.Object({
    data: Type.Null(),
    error,
    status: Type.Integer({ description: "The HTTP status.", examples: [422] }),
    status_check: Type.Unsafe<false>({ type: "boolean", const: false }),
  });
}

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

/** What a failure is called for programs, and what it is about, as it was sent: the body is for people. */
const ERROR_CODE = "x-kopeck-error";
const ERROR_FIELD = "x-kopeck-field";
const MOST_FIELDS = 10;

/** Unknown fields have whatever name was sent, and a header takes only so much. */
function fieldsHeader(fields: readonly string[]): string {
  const names = fields.slice(0, MOST_FIELDS).map((name) => name.slice(0, 64));
  return names.map((name) => name.replace(/[^\w.-]/g, "?")).join(", ");
}

export function sendFailure(
  request: FastifyRequest,
  reply: FastifyReply,
  failure: Failure,
): FastifyReply {
  const { status, code, fields = [] } = failure;
  reply.header(ERROR_CODE, code);
  if (fields.length > 0) reply.header(ERROR_FIELD, fieldsHeader(fields));
  const words = failure.words(
    preferredLanguage(request.headers["accept-language"], request.language),
  );
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
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}`,
    "content-type: application/json; charset=utf-8",
    "cache-control: no-store",
    `${REQUEST_ID}: ${requestIdOf({})}`,
    `${ERROR_CODE}: ${code}`,
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
    "",
    body,
  ].join("\r\n");
}
