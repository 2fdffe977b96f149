// The one shape of every answer: data, error (failures only), status, status_check, in that order.

import type { FastifyReply, FastifyRequest } from "fastify";
import Type, { type TSchema } from "typebox";
import { type Failure, preferredLanguage } from "./failure.ts";

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
