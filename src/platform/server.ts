// HTTP: one pipeline for every endpoint. Checks run in order: identifier, credentials, input, work.

import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RequestPayload,
} from "fastify";
import { addressBlock } from "./address.ts";
import type { App } from "./app.ts";
import { acceptJsonOnly, takeTurns } from "./body.ts";
import { coalesce } from "./coalesce.ts";
import {
  accountOf,
  type Call,
  type Credentials,
  type Endpoint,
  endpointName,
  type Gate,
  type HotEndpoint,
  type PlainEndpoint,
  secretIn,
} from "./endpoint.ts";
import {
  failureOf,
  lingerOver,
  REQUEST_ID,
  rawFailure,
  requestIdOf,
  sendFailure,
  writtenEnvelope,
} from "./envelope.ts";
import { HttpFailure, type HttpFailureCode, isFrameworkError, type Language } from "./failure.ts";
import { type InputReader, inputReader } from "./input.ts";
import { tellSeldom } from "./log.ts";
import { type Api, endpointsIn } from "./openapi.ts";
import { addServiceRoutes } from "./service-routes.ts";
import { openThrottle, plainCalls, unreadAnswers } from "./throttle.ts";
import type { WebPage } from "./web-page.ts";
import {
  addWebPages,
  limitVisits,
  refuseOnOwnHosts,
  sendTrouble,
  wantsPage,
} from "./web-routes.ts";

const BODY_LIMIT = 64 * 1024;

declare module "fastify" {
  interface FastifyContextConfig {
    endpoint?: Endpoint;
    page?: WebPage;
  }
  interface FastifyRequest {
    /** By the clock of performance.now(). */
    startedAt: number;
    /** What whoever calls is answered in where the request names no language. */
    language: Language;
    /** The body's text, where it has numbers that a double may not hold. */
    source: string | undefined;
    /** The body's text, where who calls is proven by it. */
    written: string | undefined;
  }
}

type Answer = (
  call: Call<never, unknown>,
  reply: FastifyReply,
  proveAgain: () => Promise<unknown>,
) => Promise<unknown>;

export function createServer(app: App, api: Api, pages: readonly WebPage[]): FastifyInstance {
  const server = Fastify({
    logger: false,
    bodyLimit: BODY_LIMIT,
    requestTimeout: 15_000,
    // Node would answer these two itself, without the envelope.
    http: { headersTimeout: 10_000, connectionsCheckingInterval: 1_000, requireHostHeader: false },
    maxRequestsPerSocket: 10_000,
    return503OnClosing: false,
    genReqId: ({ headers }) => requestIdOf(headers),
    trustProxy: app.config.trustedProxies.length > 0 && [...app.config.trustedProxies],
    // Longer than any URL that the HTTP parser lets through.
    routerOptions: {
      maxParamLength: 16_384,
      // Existing clients put a slash after a path, or two before it.
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
    },
    frameworkErrors(_error, request, reply) {
      reply.header(REQUEST_ID, request.id);
      refusePath(request, reply);
    },
    clientErrorHandler: (error, socket) => {
      if (socket.destroyed || !socket.writable) return;
      socket.end(rawFailure(PARSER_FAILURES[error.code] ?? "bad_request"));
    },
  });
  server.server.maxConnections = 10_000;
  server.server.on("checkExpectation", (_request, response) => {
    response.socket?.end(rawFailure("expectation_failed"));
  });
  // Node would close without a word. The socket is nobody else's by then, nor are its faults.
  server.server.on("connect", (_request, socket) => {
    socket.on("error", () => socket.destroy()).end(rawFailure("path_not_found"));
  });
  const isHttps = app.config.baseUrl.startsWith("https:");
  server.decorateRequest("startedAt", 0);
  server.decorateRequest("language", "en");
  for (const text of ["source", "written"]) server.decorateRequest(text, undefined);
  server.addHook("onRequest", (request, reply, done) => {
    request.startedAt = performance.now();
    reply.header(REQUEST_ID, request.id);
    if (isHttps) reply.header("strict-transport-security", "max-age=31536000");
    leaveIfEnding(app, reply);
    // The router takes whatever stands before a path for its slash.
    if (request.url.startsWith("*")) return refusePath(request, reply);
    // Nobody reads the body of one that asks for something.
    if (request.method === "GET") lingerOver(request, reply);
    const lacksHost = request.headers.host === undefined && request.raw.httpVersion === "1.1";
    done(lacksHost ? new HttpFailure("bad_request") : undefined);
  });

  const inTurn = takeTurns();
  acceptJsonOnly(server, inTurn);
  const methodsOf = watchRoutes(server);
  const refuse = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    lingerOver(request, reply);
    const methods = methodsOf(request.url);
    if (methods.length > 0) reply.header("allow", methods.join(", "));
    const failure = new HttpFailure(methods.length > 0 ? "method_not_allowed" : "path_not_found");
    countRequest(app, request, failure.status);
    // At the edge of the house: a person has mistyped an address, or followed an old link.
    if (wantsPage(request)) return sendTrouble(request, reply, failure, false);
    return sendFailure(request, reply, failure);
  };
  server.setNotFoundHandler(refuse);
  server.setErrorHandler((error, request, reply) => {
    // The framework has methods with demands of their own; that nothing is there comes first.
    if (request.is404 && isFrameworkError(error)) return refuse(request, reply);
    const failure = failureOf(app, error, request, reply);
    // What is no endpoint is counted at the end of its answer.
    if (request.routeOptions.config.endpoint) countRequest(app, request, failure.status);
    return sendFailure(request, reply, failure);
  });

  const authenticators = new Map<Gate<unknown>, Authenticate>();
  const answerAlone = plainCalls();
  for (const endpoint of endpointsIn(api)) {
    const { gate } = endpoint;
    const own = app.for(gate.callers ?? "merchants");
    const authenticate = authenticators.get(gate) ?? authenticator(own, gate);
    authenticators.set(gate, authenticate);
    const answer: Answer =
      "handleSet" in endpoint
        ? answerInSets(own, endpoint)
        : answerPatiently(own, endpoint, (call) =>
            answerAlone(accountOf(endpoint, call), () => endpoint.handle(own, call)),
          );
    addEndpoint(server, own, { endpoint, reader: inputReader(endpoint), authenticate, answer });
  }
  void server.register((scope, _options, done) => {
    // Endpoints count their answers themselves: waiting for the end of each takes 5 µs.
    const visits = limitVisits(app);
    scope.addHook("onResponse", async (one, { statusCode }) => countRequest(app, one, statusCode));
    scope.addHook("onRequest", async (request) => refuseOnOwnHosts(request, app.config));
    addServiceRoutes(scope, app, { api, visits });
    addWebPages(scope, app.for("payers"), pages, { inTurn, visits });
    done();
  });
  return server;
}

/** Who keeps a connection is told to leave it while all is answered: later its next request would be cut off. */
function leaveIfEnding({ ending }: App, reply: FastifyReply): void {
  if (ending.aborted) reply.header("connection", "close");
}

/** What the router cannot read is no path of ours, whatever else comes with it. */
function refusePath(request: FastifyRequest, reply: FastifyReply): void {
  lingerOver(request, reply);
  void sendFailure(request, reply, new HttpFailure("path_not_found"));
}

/** By which methods there is something at an address, as the Allow header names them. */
function watchRoutes(server: FastifyInstance): (url: string) => string[] {
  const routes: { readonly method: string; readonly pattern: RegExp }[] = [];
  server.addHook("onRoute", ({ method, path }) => {
    const segments = path
      .split("/")
      .map((one) => (one.startsWith(":") ? "[^/]*" : RegExp.escape(one)));
    routes.push({ method: String(method), pattern: new RegExp(`^${segments.join("/")}$`) });
  });
  return (url) => {
    const [sent = ""] = url.split("?", 1);
    const path = sent.replace(/\/{2,}/g, "/").replace(/(?<=.)\/$/, "");
    return routes.flatMap(({ method, pattern }) => (pattern.test(path) ? [method] : []));
  };
}

interface Pipeline {
  readonly endpoint: Endpoint;
  readonly reader: InputReader;
  readonly authenticate: Authenticate;
  readonly answer: Answer;
}

function addEndpoint(
  server: FastifyInstance,
  app: App,
  { endpoint, reader, authenticate, answer }: Pipeline,
): void {
  const { method, path, gate } = endpoint;
  const name = endpointName(endpoint);
  server.route({
    method,
    url: path,
    config: { endpoint },
    // A writer that is made for a schema is twice as fast, and takes 5 ms of every start.
    ...("handleSet" in endpoint
      ? { schema: { response: { 200: writtenEnvelope(endpoint.data) } } }
      : { onSend: unreadAnswers(app) }),
    bodyLimit: endpoint.maxBodyBytes ?? BODY_LIMIT,
    ...(endpoint.maxBodyBytes === undefined
      ? {}
      : { preParsing: knownIfLarge(endpoint, authenticate) }),
    handler: async (request, reply) => {
      const input = reader.gather(request);
      const credentials = { id: reader.identifier(input), secret: secretIn(gate, request) };
      const principal = await authenticate(credentials, request);
      request.language = gate.language?.(principal) ?? "en";
      endpoint.translate?.(input, principal, request.source);
      reader.check(input);
      const proveAgain = () => authenticate(credentials, request);
      const data = await answer({ input: input as never, principal }, reply, proveAgain);
      app.metrics.requestDone(name, 200, (performance.now() - request.startedAt) / 1000);
      reply.header("cache-control", "no-store");
      // Who was asked before the end and is answered after it, such as one that waited for an event.
      leaveIfEnding(app, reply);
      return { data, status: 200, status_check: true };
    },
  });
}

function answerInSets(app: App, endpoint: HotEndpoint): Answer {
  const name = endpointName(endpoint);
  return coalesce<Call<never, unknown>, unknown>({
    run: (calls) => endpoint.handleSet(app, calls),
    // With one connection a second set would only be gathered early, and wait as a small one.
    lanes: app.config.databaseUrl === undefined ? 1 : (endpoint.lanes ?? 1),
    onSet: (size, seconds) => app.metrics.setRun(name, size, seconds),
  });
}

/** A long poll is asked twice, and waits in between: until something happens, or nobody listens any more. */
function answerPatiently(
  app: App,
  endpoint: PlainEndpoint,
  ask: (call: Call<never, unknown>) => Promise<unknown>,
): Answer {
  if (endpoint.askAgain === undefined) return ask;
  return async (call, reply, proveAgain) => {
    const data = await ask(call);
    const gone = new AbortController();
    reply.raw.once("close", () => gone.abort());
    const input = await endpoint.askAgain?.(app, call, data, gone.signal);
    if (input === undefined) return data;
    // A key that was revoked meanwhile opens nothing any more, also for who waits already.
    await proveAgain();
    return ask({ ...call, input: input as never });
  };
}

/** A body past the usual size is read only for who may send it: what it costs is in proportion. */
function knownIfLarge({ gate, identifier = "" }: Endpoint, authenticate: Authenticate) {
  return async (request: FastifyRequest, _reply: FastifyReply, payload: RequestPayload) => {
    const length = Number(request.headers["content-length"] ?? Number.POSITIVE_INFINITY);
    const { [identifier]: id = "" } = request.params as Readonly<Record<string, string>>;
    if (length > BODY_LIMIT) await authenticate({ id, secret: secretIn(gate, request) }, request);
    return payload;
  };
}

function countRequest(app: App, request: FastifyRequest, status: number): void {
  const { endpoint, page } = request.routeOptions.config;
  const door = endpoint ?? page;
  const name = door === undefined ? "other" : endpointName(door);
  app.metrics.requestDone(name, status, (performance.now() - request.startedAt) / 1000);
}

const PARSER_FAILURES: Readonly<Record<string, HttpFailureCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
  HPE_HEADER_OVERFLOW: "headers_too_large",
};

type Authenticate = (credentials: Credentials, request: FastifyRequest) => Promise<unknown>;

/** Wrong secrets for one identifier: guessing is slow, and the right secret never notices. */
const WRONG_SECRETS = { burst: 1_000, perSecond: 20 };

function authenticator(app: App, gate: Gate<unknown>): Authenticate {
  const throttle = openThrottle(app.clock, WRONG_SECRETS);
  const lookUp = coalesce<Credentials, { principal: unknown }>({
    run: async (presented) => {
      const principals = await gate.lookUp(app, presented);
      return principals.map((principal) => ({ principal }));
    },
    onSet: (size, seconds) => app.metrics.setRun(gate.name, size, seconds),
  });
  return async (credentials, request) => {
    const { principal } = await lookUp(credentials);
    if (principal instanceof Error) throw principal;
    if (principal !== undefined) return principal;
    const from = addressBlock(request.ip);
    const about = { gate: gate.name, from, id: credentials.id };
    tellSeldom(app)("info", `${gate.name} ${from}`, about, "a wrong key or token");
    if (throttle.allows(`${from} ${credentials.id}`)) {
      throw gate.refusal(credentials.secret === "" ? gate.header : undefined);
    }
    throw new HttpFailure("too_many_requests", 1);
  };
}
