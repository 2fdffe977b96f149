// What every answer must be, whatever was asked: the one envelope or a page, no failure of our own, and
// nothing in it that is nobody's business.

import { LINK_SHOP, OTHER_SHOP, OTHER_USER, SHOP, URLS_SHOP, USER } from "../../test/cast.ts";
import { assertSuccess, failureOf } from "../../test/contract-doors.ts";
import { HOSTILE_TEXTS } from "../../test/hostile-texts.ts";
import { OPERATOR_TOKEN } from "../../test/manage.ts";
import type { Draft } from "./draft.ts";
import type { WireAnswer } from "./wire.ts";

export const SECRETS: readonly string[] = [
  ...[SHOP.key, LINK_SHOP.key, URLS_SHOP.key, OTHER_SHOP.key, USER.secret, OTHER_USER.secret],
  ...[OPERATOR_TOKEN, "sandbox_webhook_key", "whsec_c2FuZGJveF93ZWJob29rX2tleV8wMDAwMDA="],
];

/** Words of the runtime or of the database, which no merchant and no payer has to read. */
const INNER = [
  /^\s+at .+:\d+:\d+\)?$/m,
  /\bnode:internal\b|node_modules|\.ts:\d+/,
  /\b(?:Type|Syntax|Range|Reference)Error\b|Cannot read propert|is not a function|FST_ERR/,
  /syntax error at|violates (?:\w+ )+constraint|invalid input (?:syntax|value)|SQLSTATE/i,
  /duplicate key value|relation "|column "|out of range for type|\bpg_\w+|json_to_recordset/i,
];

const LIVING_TEXTS = HOSTILE_TEXTS.filter((text) => text.includes("<"));

/** What is wrong with an answer, in words; nothing where it is as it must be. */
export function faultOf(draft: Draft, answer: WireAnswer): string | undefined {
  const { status, headers, text } = answer;
  if (status >= 500 && !isPlannedRefusal(draft, answer)) return `${status}: ${text.slice(0, 200)}`;
  const inner = INNER.find((pattern) => pattern.test(text) || pattern.test(answer.raw));
  // The description of the API and the pages of the sandbox name what the sandbox is opened with.
  const isPublic = draft.operation.kind === "service" || isWelcome(draft);
  if (inner !== undefined && draft.operation.kind !== "service") {
    return `the answer says ${String(inner.exec(answer.raw)?.[0])}: ${text.slice(0, 300)}`;
  }
  const secret = isPublic ? undefined : SECRETS.find((one) => answer.raw.includes(one));
  if (secret !== undefined) return `the answer holds the secret ${secret}`;
  if (draft.method === "HEAD") return text === "" ? undefined : "a body after HEAD";
  const type = headers.get("content-type") ?? "";
  // A head that is too long is refused before anybody knows what it asked for.
  const isPage = draft.operation.kind === "page" && status !== 431;
  const wantsPage = isPage && !draft.harms.some(mayMissThePage);
  if (type.startsWith("application/json")) {
    if (isDescription(draft, answer)) return undefined;
    return wantsPage ? `JSON for a page: ${text.slice(0, 200)}` : envelopeFault(answer);
  }
  if (draft.operation.kind === "json") return `${type} for a program: ${text.slice(0, 200)}`;
  return pageFault(answer, type);
}

/** One invoice has so many streams and no more: the page asks again and again instead. */
function isPlannedRefusal({ operation }: Draft, { status, headers }: WireAnswer): boolean {
  return (
    status === 503 && operation.path === "/pay/{invoice}/changes" && headers.has("retry-after")
  );
}

const isWelcome = ({ operation: { path } }: Draft): boolean => path === "/";

const isDescription = ({ operation }: Draft, { status }: WireAnswer): boolean =>
  operation.path === "/openapi.json" && status === 200;

/** Harm after which it is not certain that the request was one for the page. */
const mayMissThePage = (harm: string): boolean =>
  /path|method|header|huge query|odd query/.test(harm);

export function envelopeFault({ status, headers, text }: WireAnswer): string | undefined {
  try {
    if (headers.get("content-type") !== "application/json; charset=utf-8") {
      return `content-type ${headers.get("content-type")}`;
    }
    const body = JSON.parse(text) as { readonly error?: unknown };
    const shown = { status, text, headers: new Headers([...headers]), body };
    if (status === 200) assertSuccess(shown);
    else failureOf(shown, status, Array.isArray(body.error) && status === 422 ? "array" : "string");
    return undefined;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return `no envelope (${why.split("\n")[0]}): ${text.slice(0, 300)}`;
  }
}

function pageFault({ status, headers, text }: WireAnswer, type: string): string | undefined {
  if (status === 303) {
    return /^\/(?:pay\/[\w-]+|demo)\?/.test(headers.get("location") ?? "")
      ? undefined
      : `leads to ${headers.get("location")}`;
  }
  if (type.startsWith("text/html")) {
    if (!/^<!doctype html>/i.test(text) || !/<\/html>\s*$/i.test(text)) return "no whole document";
    if (!headers.get("content-security-policy")?.includes("default-src 'none'")) return "no policy";
    const living = LIVING_TEXTS.find((one) => text.includes(one));
    return living === undefined ? undefined : `the page holds ${living} as it was sent`;
  }
  const isFile = /^(?:text\/javascript|image\/svg\+xml|text\/event-stream|text\/plain)\b/.test(
    type,
  );
  return isFile && status === 200 ? undefined : `${status} ${type}: ${text.slice(0, 200)}`;
}
