// Serves pages: forms in, documents, files and event streams out. Forms of other sites are refused.

import type { Socket } from "node:net";
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
import type { Texts } from "./ask.ts";
import { acceptFormsOnly, type FormFile, type InTurn } from "./body.ts";
import { failureOf, REQUEST_ID, sendFailure } from "./envelope.ts";
import { type Failure, HttpFailure, type Language, preferredLanguage } from "./failure.ts";
import { html } from "./html.ts";
import { openThrottle, unreadAnswers } from "./throttle.ts";
import {
  type Document,
  documentText,
  type PageAnswer,
  policyOf,
  type Visit,
  type WebPage,
} from "./web-page.ts";

/** A form of another site is not ours, whatever it holds. */
function refuseOtherSites({ method, headers }: FastifyRequest): void {
  if (method === "POST" && headers["sec-fetch-site"] === "cross-site") {
    throw new HttpFailure("bad_request");
  }
}

const ON_EVERY_HOST = ["/healthz", "/readyz", "/icon.svg"];

/** Hosts of the desk and the cabinet show their own pages only: payers' pages hold texts of merchants. */
export function refuseOnOwnHosts(
  { headers, routeOptions }: FastifyRequest,
  { baseUrl, deskUrl, cabinetUrl }: App["config"],
): void {
  const { url = "", config } = routeOptions;
  if (config.page?.site !== undefined || ON_EVERY_HOST.includes(url)) return;
  const own = [deskUrl, cabinetUrl].filter((one) => one !== baseUrl);
  if (own.some((one) => new URL(one).host === headers.host))
    throw new HttpFailure("path_not_found");
}

/**
 * A page with a cookie: only on its own host, and only for forms that stand there. A browser says so by one
 * of two headers; what says neither, or comes from a neighbouring host, is refused.
 */
function refuseStrangers(
  { method, headers, routeOptions }: FastifyRequest,
  { mode, baseUrl, deskUrl, cabinetUrl }: App["config"],
  site: NonNullable<WebPage["site"]>,
): void {
  // Who looks at a cabinet from the desk does so there; the cabinet itself keeps everybody else out.
  const both = [deskUrl, cabinetUrl];
  const own = { desk: [deskUrl], cabinet: both, people: both }[site];
  const isSplit = deskUrl !== baseUrl || cabinetUrl !== baseUrl;
  const isHere = own.some((url) => new URL(url).host === headers.host);
  if (isSplit && !isHere) throw new HttpFailure("path_not_found");
  const { "sec-fetch-site": from, origin } = headers;
  const isOwn = from === "same-origin" || from === "none";
  const isNamed = own
    .map((url) => new URL(url))
    .some((url) => url.origin === origin && (!isSplit || url.host === headers.host));
  // A sandbox is visited by whatever name its machine has; over plain http browsers say no more than this.
  const isSandbox = mode === "sandbox" && origin === `http://${headers.host}`;
  const isSaid = from === undefined && (isNamed || isSandbox);
  if (method === "POST" && !isOwn && !isSaid) throw new HttpFailure("other_site");
  const isCostly = routeOptions.url?.endsWith(".csv") === true;
  if (isCostly && from !== undefined && !isOwn) throw new HttpFailure("other_site");
}

function visitOf(request: FastifyRequest): Visit {
  const query = texts(request.query);
  const { lang } = query;
  const wanted = lang === "ru" || lang === "en" ? lang : undefined;
  return {
    params: texts(request.params),
    query,
    form: texts(request.body),
    sent: allTexts(request.method === "POST" ? request.body : request.query),
    files: filesIn(request.body),
    url: plainUrl(request.url),
    host: request.headers.host ?? "",
    cookies: cookiesIn(request.headers.cookie),
    language: wanted ?? preferredLanguage(request.headers["accept-language"]),
    wantsJson: wantsJson(request),
    isByScript: request.headers["sec-fetch-dest"] === "empty",
    address: request.ip,
    userAgent: request.headers["user-agent"] ?? "",
  };
}

/** As the router reads it, which takes doubled slashes for one, and the last one for none. */
export function plainUrl(url: string): string {
  const [path = "", ...query] = url.split("?");
  return [path.replace(/\/{2,}/g, "/").replace(/(?<=.)\/$/, ""), ...query].join("?");
}

/** The first of a name: a neighbouring host that adds one of its own does not come before ours. */
function cookiesIn(header = ""): Record<string, string> {
  const pairs = header.split("; ", MAX_COOKIES).map((pair) => {
    const at = pair.indexOf("=");
    return [pair.slice(0, at), pair.slice(at + 1)] as const;
  });
  return Object.fromEntries(pairs.toReversed());
}

const MAX_COOKIES = 50;

function filesIn(body: unknown): Record<string, FormFile> {
  const entries = Object.entries((body ?? {}) as Record<string, unknown>);
  return Object.fromEntries(
    entries.filter(
      (entry): entry is [string, FormFile] =>
        typeof entry[1] === "object" && entry[1] !== null && "bytes" in entry[1],
    ),
  );
}

function wantsJson({ headers: { accept = "" } }: FastifyRequest): boolean {
  return accept.includes("json") && !accept.includes("html");
}

function texts(value: unknown): Record<string, string> {
  const entries = Object.entries(allTexts(value));
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

/** What is text, of whatever came; a file in the place of one is none. */
function allTexts(value: unknown): Texts {
  const entries = Object.entries((value ?? {}) as Record<string, unknown>);
  return Object.fromEntries(
    entries.map(([name, one]) => {
      if (typeof one === "string") return [name, storable(one)];
      return [name, Array.isArray(one) ? one.map((part) => storable(String(part))) : undefined];
    }),
  );
}

/** No database keeps this one character in a text. */
function storable(text: string): string {
  return text.replaceAll("\0", "");
}

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
  const waiting = new WeakSet<Socket>();
  return (request, _reply, done) => {
    if (visits.allows(addressBlock(request.ip))) return done();
    const { socket } = request.raw;
    // Only a client that sends requests ahead of the answers has a second one on its connection.
    if (waiting.has(socket)) return void socket.destroy();
    waiting.add(socket);
    const refuse = () => {
      waiting.delete(socket);
      done(new HttpFailure("too_many_visits", VISIT_AGAIN_SECONDS));
    };
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

const WORDS = {
  en: {
    trouble: "This did not work",
    missing: "There is no such page",
    kept: "Nothing is lost. This page tries again by itself in {seconds} seconds.",
    again:
      "What you pressed may not have arrived. The page opens again by itself in {seconds} seconds: then please press it once more.",
  },
  ru: {
    trouble: "Не получилось",
    missing: "Такой страницы нет",
    kept: "Ничего не потеряно. Страница сама попробует ещё раз через {seconds} с.",
    again:
      "Нажатие могло не дойти. Страница сама откроется снова через {seconds} с: тогда, пожалуйста, нажмите ещё раз.",
  },
};

const STYLE =
  ":root{color-scheme:light dark}*{box-sizing:border-box}" +
  "body{margin:0;padding:18vh 1rem 1rem;background:light-dark(#f2f4f7,#0f1216);color:light-dark(#14181f,#e8ebf0);" +
  'font:17px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}' +
  "main{max-width:27rem;margin:auto;padding:1.25rem;border:1px solid light-dark(#dfe3e8,#323945);" +
  "border-radius:18px;background:light-dark(#fff,#191d23)}h1{margin:0 0 .75rem;font-size:1.3rem;line-height:1.25}" +
  "p{margin:0 0 .75rem}p:last-child{margin:0;color:light-dark(#545d69,#a3adba)}";

/** Not so soon that a service in trouble is asked by everybody at once, and no sooner than it was told to. */
const AGAIN_SECONDS = 7;

/** By a reload, where there is something to load. */
function troublePage(
  failure: Failure,
  language: Language,
  { mayReload, wasForm }: { readonly mayReload: boolean; readonly wasForm: boolean },
): Document {
  const { status } = failure;
  const words = WORDS[language];
  const title = status === 404 ? words.missing : words.trouble;
  const isPassing = mayReload && (status >= 500 || status === 429);
  const seconds = Math.max(AGAIN_SECONDS, failure.retryAfterSeconds ?? 0);
  const then = (wasForm ? words.again : words.kept).replace("{seconds}", String(seconds));
  const said = [failure.words(language)].flat().join(" ");
  return {
    kind: "document",
    status,
    language,
    title,
    style: STYLE,
    ...(isPassing ? { reloadSeconds: seconds } : {}),
    body: html`<main><h1>${title}</h1><p>${said}</p>${isPassing && html`<p>${then}</p>`}</main>`,
  };
}
