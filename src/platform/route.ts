// What is said where no door answers: that nothing is there, or by which method it is.

import type { FastifyReply, FastifyRequest } from "fastify";
import type { Endpoint } from "./endpoint.ts";
import { HttpFailure } from "./failure.ts";

export interface Route {
  readonly method: string;
  readonly segments: readonly string[];
}

/** A path that exists under another method is 405 and says which; any other is 404. */
export function refuseRoute(
  routes: readonly Route[],
  request: FastifyRequest,
  reply: FastifyReply,
): HttpFailure {
  const segments = (request.url.split("?", 1)[0] ?? "").split("/");
  const methods = routes.filter((route) => matches(route, segments));
  if (methods.length === 0) return new HttpFailure("path_not_found");
  const allowed = methods.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  reply.header("allow", allowed.join(", "));
  return new HttpFailure("method_not_allowed");
}

export function toRoute({ method, path }: Pick<Endpoint, "method" | "path">): Route {
  return { method, segments: path.split("/") };
}

function matches({ segments: expected }: Route, segments: readonly string[]): boolean {
  return (
    segments.length === expected.length &&
    expected.every((part, index) => part.startsWith(":") || part === segments[index])
  );
}
