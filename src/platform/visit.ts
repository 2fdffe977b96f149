// Who visits a page and what they bring, from a request; and whether they may. Guards that a form of another
// site is not taken for ours.

import type { FastifyRequest } from "fastify";
import type { App } from "./app.ts";
import type { Texts } from "./ask.ts";
import { HttpFailure, preferredLanguage } from "./failure.ts";
import type { FormFile } from "./form-body.ts";
import type { Visit, WebPage } from "./web-page.ts";

/** A form of another site is not ours, whatever it holds. */
export function refuseOtherSites({ method, headers }: FastifyRequest): void {
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
export function refuseStrangers(
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

export function visitOf(request: FastifyRequest): Visit {
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

export function wantsJson({ headers: { accept = "" } }: FastifyRequest): boolean {
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
