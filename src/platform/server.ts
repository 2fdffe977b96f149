// HTTP: one pipeline for every endpoint, and the only catch on its path. Guards the envelope (every
// answer, every failure) and the order of checks: identifier's shape, who it is, the rest, the work.

import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { App } from "./app.ts";
import { coalesce } from "./coalesce.ts";
import { type Call, type Claim, type Endpoint, endpointName, type Gate } from "./endpoint.ts";
import { envelope, failureEnvelope, sendFailure } from "./envelope.ts";
import { HttpFailure, isFailure } from "./failure.ts";
import { inputReader } from "./input.ts";
import { parseJsonBytes } from "./json.ts";
import { addServiceRoutes } from "./service-routes.ts";
import { openThrottle } from "./throttle.ts";

const BODY_LIMIT = 64 * 1024;

declare module "fastify" {
  interface FastifyContextConfig {
    endpoint?: Endpoint;
  }
}

type Authenticate = (claim: Claim, address: string) => Promise<unknown>;

export function createServer(app: App, endpoints: readonly Endpoint[]): FastifyInstance {
  const server = Fastify({
    logger: false,
    bodyLimit: BODY_LIMIT,
    requestTimeout: 15_000,
    http: { headersTimeout: 10_000 },
    maxRequestsPerSocket: 10_000,
    return503OnClosing: false,
    routerOptions: { maxParamLength: 8_192 },
    frameworkErrors: (_error, request, reply) =>
      void sendFailure(request, reply, new HttpFailure("path_not_found")),
    clientErrorHandler: (error, socket) => {
      if (socket.destroyed || !socket.writable) return;
      socket.end(rawFailure(error.code));
    },
  });
  server.server.maxConnections = 10_000;

  acceptJsonOnly(server);
  server.setErrorHandler((error, request, reply) =>
    sendFailure(request, reply, asFailure(app, error, request)),
  );
  server.setNotFoundHandler((request, reply) => refuseRoute(endpoints, request, reply));
  server.addHook("onResponse", (request, reply, done) => {
    const { endpoint } = request.routeOptions.config;
    const name = endpoint === undefined ? "other" : endpointName(endpoint);
    app.metrics.requestDone(name, reply.statusCode, reply.elapsedTime / 1000);
    done();
  });

  const authenticators = new Map<Gate<unknown>, Authenticate>();
  for (const endpoint of endpoints) {
    const { gate } = endpoint;
    const authenticate = authenticators.get(gate) ?? authenticator(app, gate);
    authenticators.set(gate, authenticate);
    addEndpoint(server, app, endpoint, authenticate);
  }
  addServiceRoutes(server, app, endpoints);
  return server;
}

function addEndpoint(
  server: FastifyInstance,
  app: App,
  endpoint: Endpoint,
  authenticate: Authenticate,
): void {
  const { method, path, gate } = endpoint;
  const reader = inputReader(endpoint);
  const answer = coalesce<Call<never, unknown>, unknown>({
    run: (calls) => endpoint.handle(app, calls),
    onSet: (size, seconds) => app.metrics.setRun(endpointName(endpoint), size, seconds),
  });
  server.route({
    method,
    url: path,
    config: { endpoint },
    schema: { response: { 200: envelope(endpoint.data), default: failureEnvelope } },
    handler: async (request, reply) => {
      const input = reader.gather(request);
      const secret = request.headers[gate.header];
      const claim = {
        id: reader.identifier(input),
        secret: typeof secret === "string" ? secret : "",
      };
      const principal = await authenticate(claim, request.ip);
      reader.check(input);
      const data = await answer({ input: input as never, principal });
      reply.header("cache-control", "no-store");
      return { data, status: 200, status_check: true };
    },
  });
}

function authenticator(app: App, gate: Gate<unknown>): Authenticate {
  const throttle = openThrottle(app.clock);
  const lookUp = coalesce<Claim, { principal: unknown }>({
    run: async (claims) => {
      const principals = await gate.lookUp(app, claims);
      return principals.map((principal) => ({ principal }));
    },
    onSet: (size, seconds) => app.metrics.setRun(gate.name, size, seconds),
  });
  return async (claim, address) => {
    const { principal } = await lookUp(claim);
    if (principal !== undefined) return principal;
    if (throttle.allows(`${address} ${claim.id}`)) throw gate.refusal();
    throw new HttpFailure("too_many_requests", 1);
  };
}

function acceptJsonOnly(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(
    "application/json",
    { parseAs: "buffer" },
    (_request, bytes: Buffer, done) => {
      const parsed = parseJsonBytes(bytes);
      if (parsed === undefined) done(new HttpFailure("malformed_json"));
      else done(null, parsed.value);
    },
  );
}

const FRAMEWORK_FAILURES: Readonly<Record<string, ConstructorParameters<typeof HttpFailure>[0]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: "body_too_large",
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "media_type_unsupported",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "bad_request",
  ECONNRESET: "bad_request",
};

function asFailure(app: App, error: unknown, request: FastifyRequest) {
  if (isFailure(error)) {
    if (error.cause !== undefined) app.log.warn({ err: error }, "a request failed");
    return error;
  }
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const known = FRAMEWORK_FAILURES[code];
  if (known !== undefined) return new HttpFailure(known);
  app.log.error({ err: error, route: request.routeOptions.url }, "a request failed unexpectedly");
  return new HttpFailure("internal");
}

/** A path that exists under another method is 405 and says which; any other is 404. */
async function refuseRoute(
  endpoints: readonly Endpoint[],
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const path = request.url.split("?")[0] ?? "";
  const methods = endpoints.filter((endpoint) => matches(endpoint.path, path));
  if (methods.length === 0) return sendFailure(request, reply, new HttpFailure("path_not_found"));
  const allowed = methods.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  reply.header("allow", allowed.join(", "));
  return sendFailure(request, reply, new HttpFailure("method_not_allowed"));
}

function matches(pattern: string, path: string): boolean {
  const segments = path.split("/");
  const expected = pattern.split("/");
  return (
    segments.length === expected.length &&
    expected.every((part, index) => part.startsWith(":") || part === segments[index])
  );
}

/** What the HTTP parser itself refuses never reaches a route; it gets the envelope all the same. */
function rawFailure(code: string | undefined): string {
  const failure = new HttpFailure(
    code === "ERR_HTTP_REQUEST_TIMEOUT"
      ? "request_timeout"
      : code === "HPE_HEADER_OVERFLOW"
        ? "headers_too_large"
        : "bad_request",
  );
  const { status } = failure;
  const body = JSON.stringify({
    data: null,
    error: failure.words("en"),
    status,
    status_check: false,
  });
  return [
    `HTTP/1.1 ${status} ${failure.code.replaceAll("_", " ")}`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
    "",
    body,
  ].join("\r\n");
}
