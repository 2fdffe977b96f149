// The examples of the API's description as one story: each request as it stands there, in its order, with the
// ids that earlier answers have given in the places of their names. Whoever has the requests from elsewhere, as
// a tool that has read the description, tells the same story with them.

import assert from "node:assert/strict";
import { type ApiDescription, SAMPLE_ID } from "../src/platform/openapi.ts";
import { SHOP, USER } from "./cast.ts";
import type { Answer, CallOptions } from "./gateway.ts";
import { OPERATOR_TOKEN } from "./manage.ts";
import { notice } from "./rails.ts";

type Values = Readonly<Record<string, unknown>>;

export interface ExampleRequest {
  readonly method: string;
  /** With {names} for what `params` has. */
  readonly path: string;
  readonly params: Values;
  readonly query: Values;
  readonly body?: Values | undefined;
}

interface Caller {
  call(path: string, options?: CallOptions): Promise<Answer>;
  /** No request makes an import fail: whoever cannot otherwise leaves out what is done about one. */
  failImport?(): Promise<string>;
  /** Nor does the sandbox's one operator have a second one. */
  approve?(transferId: string, paymentId: string): Promise<void>;
}

/** What has been done with a payout when its door is knocked at; by sent it is the one that was taken. */
const BEFORE: Readonly<Record<string, readonly string[]>> = {
  approve: ["hold"],
  refuse: [],
  take: [],
  "not-sent": ["take"],
  resolve: ["take", "wait"],
  return: ["take", "sent"],
  recover: ["take", "not-sent"],
};

const SOURCE_TOKEN = "sandbox_source_token";

const OPERATOR = { authorization: `Bearer ${OPERATOR_TOKEN}` };

const SECRETS: Readonly<Record<string, Record<string, string>>> = {
  shopKey: { "x-api-key": SHOP.key },
  sourceToken: { "access-token": SOURCE_TOKEN },
  userSecret: { "x-api-signature-sha256": USER.secret },
  member: { authorization: "Bearer sandbox_owner_token" },
};

export function examplesIn({ paths }: ApiDescription): ExampleRequest[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody }]) => {
      const at = (place: string) =>
        parameters.filter((one) => one.in === place && "example" in one);
      const given = (place: string): Values =>
        Object.fromEntries(at(place).map((one) => [one.name, one.example]));
      const body = requestBody?.content["application/json"].example as Values | undefined;
      return { method, path, params: given("path"), query: given("query"), body };
    }),
  );
}

export function nameOf({ method, path }: ExampleRequest): string {
  return `${method.toUpperCase()} ${path}`;
}

/** Every answer has to be a success; they are handed on as they come. */
export async function tellStory(
  caller: Caller,
  api: ApiDescription,
  requests: readonly ExampleRequest[],
  heard: (request: ExampleRequest, answer: Answer) => void = () => {},
): Promise<void> {
  const known = new Map<string, string>();
  const send = async (
    request: ExampleRequest,
    signature?: Record<string, string | undefined>,
  ): Promise<Answer> => {
    const { method, path, params, query, body } = filled(request, known);
    const scheme = api.paths[path]?.[method.toLowerCase()]?.security.flatMap(Object.keys)[0] ?? "";
    const headers = signature ?? SECRETS[scheme] ?? OPERATOR;
    const named = path.replace(/\{(\w+)\}/g, (_, name: string) => String(params[name]));
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) search.append(name, String(value));
    const answer = await caller.call(search.size === 0 ? named : `${named}?${search}`, {
      method: method.toUpperCase(),
      headers,
      ...(body === undefined ? {} : { body }),
    });
    assert.equal(answer.status, 200, `${nameOf(request)} ${JSON.stringify(body)}: ${answer.text}`);
    learn(known, answer.body.data, path === "/invoice/create" ? { id: "invoice_id" } : {});
    return answer;
  };
  const again = async (name: string, body: Values = {}): Promise<void> => {
    const request = requests.find((one) => nameOf(one) === name) ?? assert.fail(name);
    await send({ ...request, body: { ...request.body, ...body } });
  };
  const advance = (advance_seconds: number) => again("POST /sandbox/clock", { advance_seconds });
  let payouts = 0;
  /** A payout in line, and what is done with it before its door is knocked at. */
  const payout = async (...acts: readonly string[]): Promise<void> => {
    payouts += 1;
    const hold = acts[0] === "hold" ? { hold_over: 0 } : {};
    await again("POST /manage/payout-tariffs", { min_sum: 1, hold_first: false, ...hold });
    await again("POST /payoff/create", { order_id: `story-${payouts}`, amount: 20 + payouts });
    known.set("payout_id", known.get("payoff_id") ?? assert.fail("No payout was made."));
    const name = (act: string) => `POST /manage/payouts/{payout_id}/${act}`;
    const bank_reference = `story-${payouts}`;
    for (const act of acts) {
      if (act === "wait") await advance(1800);
      else if (act === "sent") await again(name(act), { bank_reference });
      else if (act !== "hold") await again(name(act));
    }
  };
  const rail = async (code: string, paused: boolean): Promise<void> => {
    const path = "/manage/rails/{code}";
    await send({ method: "post", path, params: { code }, query: {}, body: { paused } });
  };
  let railSecret = "";
  for (const request of requests) {
    const [, act] = /^\/manage\/payouts\/\{payout_id\}\/(.+)$/.exec(request.path) ?? [];
    if (act !== undefined && act in BEFORE) await payout(...(BEFORE[act] ?? []));
    if (nameOf(request) === "POST /manage/payout-batches") await payout();
    // What was paid is free to leave a day later.
    if (nameOf(request) === "POST /payoff/create") {
      await advance(86_400);
      await rail("sandbox", true);
    }
    // Money is assigned to details that nobody has paid, and returned where it is nobody's.
    if (request.path.endsWith("/assign")) {
      const transferId = known.get("transfer_id") ?? "";
      await again("POST /invoice/create", { order_id: "order-2" });
      await again("POST /invoice/h2h");
      await send({ method: "get", path: "/manage/payments", params: {}, query: {} });
      known.set("transfer_id", transferId);
    }
    // An owner changes a colleague, whose id no answer to an invitation of theirs has.
    if (nameOf(request) === "POST /cabinet/people/{person_id}") {
      const invite =
        requests.find((one) => nameOf(one) === "POST /manage/users/{user_id}/people") ??
        assert.fail("no invitation");
      const body = { ...invite.body, email: "colleague@example.com" };
      await send({ ...invite, params: { user_id: USER.id }, body });
    }
    if (request.path.endsWith("/return")) {
      await again("POST /manage/transfers", { reference: "bank-2" });
    }
    if (request.path.endsWith("/withdraw")) {
      if (caller.approve === undefined) continue;
      const paid = known.get("invoice_id") ?? "";
      await again("POST /invoice/create", { order_id: request.path });
      await again("POST /invoice/h2h");
      const query = { invoice_id: known.get("invoice_id") };
      await send({ method: "get", path: "/manage/payments", params: {}, query });
      const paymentId = known.get("payment_id") ?? "";
      await again("POST /manage/transfers", { reference: request.path });
      await caller.approve(known.get("transfer_id") ?? "", paymentId);
      heard(request, await send(request));
      known.set("invoice_id", paid);
      continue;
    }
    // What waits is sent anyway; the first event had no address until the shop was given one.
    if (request.path.endsWith("/send")) {
      const told = await send({ method: "get", path: "/manage/events", params: {}, query: {} });
      known.set("event_id", told.body.data.items.at(-1).event_id);
    }
    // The merchant's own people send another one, which had no address either.
    if (request.path === "/cabinet/events/{event_id}/send") {
      const shop = "POST /cabinet/shops/{shop_id}";
      await again(shop, { hook_url: undefined, clear: ["hook_url"] });
      await send({ method: "get", path: "/cabinet/refunds", params: {}, query: {} });
      await again("POST /cabinet/refunds", { amount: 1, reference: "refund-2" });
      await again(shop);
      const told = await send({ method: "get", path: "/cabinet/events", params: {}, query: {} });
      const unsent = (one: { readonly state: string }) => one.state === "no_address";
      known.set("event_id", told.body.data.items.find(unsent).event_id);
    }
    if (request.path.endsWith("/drop")) {
      if (caller.failImport === undefined) continue;
      known.set("import_id", await caller.failImport());
    }
    // A line of a day that is still to come waits for somebody's word.
    if (request.path.endsWith("/decide")) {
      const { body = {} } = requests.find(isImport) ?? assert.fail("Nothing is imported.");
      const file = Buffer.from(String(body["content"]), "base64").toString();
      const content = Buffer.from(file.replaceAll("2026", "2099")).toString("base64");
      await again("POST /manage/imports", { content });
      await again("POST /sandbox/clock", { advance_seconds: 0 });
      const query = { waiting: true };
      await send({ method: "get", path: "/manage/lines", params: {}, query });
    }
    // What is canceled is an order of its own.
    if (/\/invoice.*\/cancel$/.test(request.path)) {
      const first = known.get("invoice_id") ?? "";
      await again("POST /invoice/create", { order_id: `canceled by ${request.path}` });
      heard(request, await send(request));
      known.set("invoice_id", first);
      continue;
    }
    if (request.path.endsWith("/rotate-secret")) await rail("acquirer", true);
    // A rail that did not answer tells what became of the payout.
    if (request.path.endsWith("/notice")) {
      await rail("acquirer", false);
      await again("POST /payoff/create", { order_id: "payout-2" });
      await again("POST /sandbox/clock", { advance_seconds: 0 });
      const { body: audit } = await caller.call("/manage/audit?limit=1", { headers: OPERATOR });
      const body = { ...request.body, key: `${known.get("payoff_id")}.1` };
      const { headers } = notice(railSecret, new Date(audit.data.items[0].created_at), body);
      heard(request, await send({ ...request, body }, headers));
      continue;
    }
    const answer = await send(request);
    if (request.path.endsWith("/rotate-secret")) railSecret = answer.body.data.secret;
    heard(request, answer);
  }
}

function isImport(request: ExampleRequest): boolean {
  return nameOf(request) === "POST /manage/imports";
}

/** What stands for an id is replaced by the one that was last heard of under that name. */
function filled(request: ExampleRequest, known: ReadonlyMap<string, string>): ExampleRequest {
  const fill = (values: Values): Values =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => {
        if (value !== SAMPLE_ID) return [name, value];
        return [name, known.get(name) ?? assert.fail(`${nameOf(request)}: no ${name} is known.`)];
      }),
    );
  const { params, query, body } = request;
  return { ...request, params: fill(params), query: fill(query), body: body && fill(body) };
}

/** Of a list, its first item counts: the newest. */
function learn(known: Map<string, string>, data: unknown, names: Record<string, string>): void {
  if (typeof data !== "object" || data === null) return;
  const entries = Object.entries(data);
  for (const [name, value] of Array.isArray(data) ? entries.reverse() : entries) {
    const called = names[name] ?? name;
    if (typeof value === "string" && called.endsWith("_id")) known.set(called, value);
    else learn(known, value, names);
  }
}
