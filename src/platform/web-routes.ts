// Pages on the server: forms in, documents, redirects, files and event streams out. A failure here is a
// page as well, because whoever sees it is a person. Nobody here has a key, so what one address may ask
// for and hold open is bounded.

import { Readable } from "node:stream";
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  RequestPayload,
} from "fastify";
import { addressBlock } from "./address.ts";
import type { App } from "./app.ts";
import type { InTurn } from "./body.ts";
import { failureOf, REQUEST_ID, sendFailure } from "./envelope.ts";
import { type Failure, HttpFailure } from "./failure.ts";
import { acceptFormsOnly } from "./form-body.ts";
import { openThrottle } from "./throttle.ts";
import { troublePage } from "./trouble-page.ts";
import { unreadAnswers } from "./unread-answers.ts";
import { refuseOtherSites, refuseStrangers, visitOf, wantsJson } from "./visit.ts";
import {
  type Document,
  documentText,
  type PageAnswer,
  policyOf,
  type WebPage,
} from "./web-page.ts";

/**
 * What one address may ask for. Opening a page takes five requests and leaving it open without a stream
 * one in ten seconds, so this is room for a hundred payers who come at once, and for hundreds who wait.
 */
const VISITS = { burst: 600, perSecond: 30 };
const VISIT_AGAIN_SECONDS = 1;

/** Beyond that a page polls: a stream is a connection, and connections are bounded. */
const MAX_STREAMS = 5_000;
/** One address cannot take them all from everybody else. */
const MAX_STREAMS_OF_ADDRESS = 1_000;
const HEARTBEAT_MS = 25_000;
const STALLED_MS = 60_000;

const STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
};

/**
 * Bounds what one address may ask for without a key. A refusal is sent only after one to two seconds, because a client
 * that ignores 429 would otherwise ask again at once, thousands of times a second.
 */
export function limitVisits({ clock }: App): onRequestHookHandler {
  const visits = openThrottle(clock, VISITS);
  return (request, _reply, done) => {
    if (visits.allows(addressBlock(request.ip))) return done();
    const refuse = () => done(new HttpFailure("too_many_visits", VISIT_AGAIN_SECONDS));
    // Not all of a crowd at the same moment.
    setTimeout(refuse, VISIT_AGAIN_SECONDS * 1000 * (1 + Math.random()));
  };
}

export function addWebPages(
  server: FastifyInstance,
  app: App,
  pages: readonly WebPage[],
  { inTurn, visits }: { readonly inTurn: InTurn; readonly visits: onRequestHookHandler },
): void {
  const streams: Streams = new Map();
  server.addHook("preClose", (done) => {
    for (const end of streams.keys()) end();
    done();
  });
  void server.register((scope, _options, done) => {
    scope.addHook("onRequest", visits);
    scope.addHook("onSend", unreadAnswers(app));
    acceptFormsOnly(scope, inTurn);
    scope.setErrorHandler((error, request, reply) => {
      const failure = failureOf(app, error, request, reply);
      if (wantsJson(request)) return sendFailure(request, reply, failure);
      const { url: path } = request.routeOptions;
      const mayReload = pages.some((page) => page.method === "GET" && page.path === path);
      return sendTrouble(request, reply, failure, mayReload);
    });
    for (const page of pages) {
      scope.route({
        method: page.method,
        url: page.path,
        config: { page },
        ...(page.maxBodyBytes === undefined ? {} : largeBody(app, page, page.maxBodyBytes)),
        handler: async (request, reply) => {
          if (page.site === undefined) refuseOtherSites(request);
          else refuseStrangers(request, app.config, page.site);
          // Told no referrer, a browser would not say either where a form stands.
          if (page.site !== undefined) reply.header("referrer-policy", "same-origin");
          const answer = await page.answer(app, visitOf(request));
          return send(streams, reply, answer);
        },
      });
    }
    done();
  });
}

/** A form past the usual size is read only for who may send it. */
function largeBody(app: App, page: WebPage, bodyLimit: number) {
  return {
    bodyLimit,
    preParsing: async (request: FastifyRequest, _reply: FastifyReply, payload: RequestPayload) => {
      await page.admits?.(app, visitOf(request));
      return payload;
    },
  };
}

/**
 * Whether a browser asks for something to read: only it says so, and that it would rather have no data.
 * Whoever shows a secret is a program, also one whose runtime asks for pages by itself.
 */
export function wantsPage({ headers }: FastifyRequest): boolean {
  const { accept = "", authorization } = headers;
  const isProgram = authorization ?? headers["x-api-key"] ?? headers["x-api-signature-sha256"];
  return isProgram === undefined && accept.includes("text/html") && !accept.includes("json");
}

/** What ends each stream, and whose it is. */
type Streams = Map<() => void, string>;

async function send(
  streams: Streams,
  reply: FastifyReply,
  answer: PageAnswer,
): Promise<FastifyReply> {
  switch (answer.kind) {
    case "document":
      return sendDocument(reply, answer);
    case "redirect":
      return reply
        .code(303)
        .header("location", answer.to)
        .header("cache-control", "no-store")
        .header("set-cookie", answer.cookies ?? [])
        .send();
    case "rows":
      if (reply.raw.destroyed) answer.end?.();
      else reply.raw.once("close", () => answer.end?.());
      // A reader that takes nothing for so long has left.
      reply.raw.setTimeout(STALLED_MS, () => reply.raw.destroy());
      return reply
        .header("content-type", "text/csv; charset=utf-8")
        .header("content-disposition", attachment(answer.name, answer.fullName))
        .header("cache-control", "no-store")
        .header("x-content-type-options", "nosniff")
        .send(Readable.from(readBy(reply, answer.parts)));
    case "part":
      return reply
        .header("content-type", "text/html; charset=utf-8")
        .header("content-security-policy", "default-src 'none'")
        .headers(answer.of === undefined ? {} : { "x-kopeck-of": answer.of })
        .header("cache-control", "no-store")
        .header("x-content-type-options", "nosniff")
        .send(answer.body.text);
    case "file":
      return reply
        .header("content-type", answer.type)
        .header("cache-control", "public, max-age=31536000, immutable")
        .header("x-content-type-options", "nosniff")
        .send(answer.text);
    case "download":
      return reply
        .header("content-type", answer.type)
        .header("content-disposition", attachment(answer.name))
        .header("cache-control", "no-store")
        .header("x-content-type-options", "nosniff")
        .send(Buffer.from(answer.bytes));
    case "text":
      return reply
        .header("content-type", "text/plain; charset=utf-8")
        .header("cache-control", "no-store")
        .header("x-content-type-options", "nosniff")
        .send(answer.text);
    case "stream":
      // A HEAD wants to know what there is, not to wait for it.
      if (reply.request.method === "HEAD") return reply.headers(STREAM_HEADERS).send();
      return openStream(streams, reply, answer.open);
  }
}

/** As RFC 6266 has it: whatever a name is made of, it ends neither itself nor the header. */
function attachment(name: string, fullName?: string): string {
  const plain = `attachment; filename="${name.replace(/[^\w.-]/g, "_")}"`;
  if (fullName === undefined) return plain;
  const encoded = encodeURIComponent(fullName.toWellFormed()).replace(
    /['()*!]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  );
  return `${plain}; filename*=UTF-8''${encoded}`;
}

/** A HEAD would have all of it made for nobody. */
function readBy(
  { request }: FastifyReply,
  parts: AsyncIterable<string>,
): Iterable<string> | AsyncIterable<string> {
  return request.method === "HEAD" ? [] : parts;
}

function sendDocument(reply: FastifyReply, page: Document): FastifyReply {
  return reply
    .code(page.status)
    .header("content-type", "text/html; charset=utf-8")
    .header("content-security-policy", policyOf(page))
    .header("referrer-policy", reply.getHeader("referrer-policy") ?? "no-referrer")
    .header("x-content-type-options", "nosniff")
    .header("cache-control", "no-store")
    .header("vary", "accept-language")
    .header("set-cookie", page.cookies ?? [])
    .headers(page.reloadSeconds === undefined ? {} : { refresh: String(page.reloadSeconds) })
    .send(documentText(page));
}

function openStream(
  streams: Streams,
  reply: FastifyReply,
  open: (send: (event: string) => void, end: () => void) => () => void,
): FastifyReply {
  const address = addressBlock(reply.request.ip);
  const isFull = streams.size >= MAX_STREAMS || countOf(streams, address) >= MAX_STREAMS_OF_ADDRESS;
  if (isFull) throw new HttpFailure("overloaded");
  const { raw } = reply;
  reply.hijack();
  // Whoever has left while the answer was made is not heard of again: nothing would end the stream.
  if (raw.destroyed) return reply;
  raw.writeHead(200, { ...STREAM_HEADERS, [REQUEST_ID]: reply.request.id });
  raw.write("retry: 2000\n\n");
  const heartbeat = setInterval(() => raw.write(":\n\n"), HEARTBEAT_MS);
  const end = (): void => {
    clearInterval(heartbeat);
    streams.delete(end);
    close();
    raw.end();
  };
  const close = open((event) => raw.write(`event: ${event}\ndata: 1\n\n`), end);
  streams.set(end, address);
  raw.on("close", end);
  return reply;
}

function countOf(streams: Streams, address: string): number {
  let count = 0;
  for (const one of streams.values()) if (one === address) count += 1;
  return count;
}

export function sendTrouble(
  request: FastifyRequest,
  reply: FastifyReply,
  failure: Failure,
  mayReload: boolean,
): FastifyReply {
  const { retryAfterSeconds: seconds } = failure;
  if (seconds !== undefined) reply.header("retry-after", String(seconds));
  const page = { mayReload, wasForm: request.method === "POST" };
  return sendDocument(reply, troublePage(failure, visitOf(request).language, page));
}
