// Whoever is refused in the midst of a body. A socket that is closed over bytes which nobody has read is
// reset, and the answer may be lost with it: so the rest is taken and thrown away, for a while.

import type { FastifyReply, FastifyRequest } from "fastify";
import { frameworkFailure } from "./failure.ts";

const LINGER_MS = 5_000;

export function lingerOver(error: unknown, { raw }: FastifyRequest, reply: FastifyReply): void {
  if (raw.complete || frameworkFailure(error)?.code !== "body_too_large") return;
  // The framework would have the connection closed at once.
  reply.removeHeader("connection");
  const timer = setTimeout(() => raw.socket.destroy(), LINGER_MS);
  raw.once("close", () => clearTimeout(timer));
}
