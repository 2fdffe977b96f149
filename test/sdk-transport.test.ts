// How the SDK speaks: what goes where in a request, and what becomes of answers that are not the
// gateway's.

import assert from "node:assert/strict";
import { after, it } from "node:test";
import { inspect } from "node:util";
import { type ManagementClient, managementClient, merchantClient } from "../sdk/src/index.ts";
import { openScriptedServer } from "./scripted-server.ts";

/** Doors that show every way a field can travel, whatever the gateway has today. */
interface Doors {
  "GET /manage/shops/{shop_id}/orders": {
    input: { shop_id: string; limit?: number | undefined; after?: string | undefined };
    data: { items: { id: number }[]; next: string | null };
  };
  "POST /manage/shops/{shop_id}/keys": { input: { shop_id: string; name: string }; data: unknown };
  "GET /manage/status": { input: Record<string, never>; data: { up: boolean } };
}

const server = await openScriptedServer();
after(() => server.close());

const operator = (path = "") =>
  managementClient({
    baseUrl: server.url + path,
    token: "t",
    language: "ru",
  }) as unknown as ManagementClient<Doors>;
const page = (ids: number[], next: string | null) => ({
  body: { data: { items: ids.map((id) => ({ id })), next }, status: 200, status_check: true },
});

it("fill the path, then the query of a GET or the body of a POST", async () => {
  server.plays({});
  const orders = "/manage/shops/{shop_id}/orders";
  await operator().get(orders, { shop_id: "a/b c?", limit: 5, after: undefined });
  await operator("/prefix/").post("/manage/shops/{shop_id}/keys", { shop_id: "1", name: "ä" });
  const [get, post] = server.asked;
  assert.equal(get?.url, "/manage/shops/a%2Fb%20c%3F/orders?limit=5");
  assert.equal(get?.body, "");
  assert.equal(get?.headers.authorization, "Bearer t");
  assert.equal(get?.headers["accept-language"], "ru");
  assert.equal(get?.headers["content-type"], undefined);
  assert.equal(post?.url, "/prefix/manage/shops/1/keys");
  assert.equal(post?.body, '{"name":"ä"}');
  assert.equal(post?.headers["content-type"], "application/json");
});

it("never leave for another door, whatever an id looks like", async () => {
  server.plays({});
  for (const shop_id of ["", ".", ".."]) {
    const call = operator().get("/manage/shops/{shop_id}/orders", { shop_id });
    await assert.rejects(call, TypeError);
  }
  assert.deepEqual(server.asked, []);
});

it("are not sent without a base URL, or without the user's secret", async () => {
  assert.throws(() => managementClient({ baseUrl: "localhost", token: "t" }), TypeError);
  const shop = merchantClient({ baseUrl: server.url, shopId: "s", shopKey: "k", userId: "u" });
  await assert.rejects(shop.balance(), TypeError);
  await assert.rejects(shop.sbpBanks(), TypeError);
  assert.deepEqual(server.asked, []);
});

it("are not tried, nor tried again, where no request can be made: it is no network that is away", async () => {
  const { host } = new URL(server.url);
  const bases = [
    host,
    `ftp://${host}`,
    `http://u:p@${host}`,
    `${server.url}/?a=1`,
    `${server.url}#a`,
  ];
  for (const baseUrl of bases) {
    assert.throws(() => managementClient({ baseUrl, token: "t" }), TypeError, baseUrl);
  }
  const shop = merchantClient({ baseUrl: `${server.url}/`, shopId: "s", shopKey: "ключ" });
  await assert.rejects(shop.paymentTariffs(), TypeError);
  assert.deepEqual(server.asked, []);
});

it("are not sent with a secret that somebody forgot to set: nobody would see what is wrong", async () => {
  for (const forgotten of [process.env["KOPECK_FORGOTTEN_KEY"], ""] as string[]) {
    const of = { baseUrl: server.url, shopId: "s", shopKey: forgotten };
    await assert.rejects(merchantClient(of).paymentTariffs(), TypeError);
    const manager = managementClient({ baseUrl: server.url, token: forgotten });
    await assert.rejects(manager.get("/manage/me"), TypeError);
  }
  assert.deepEqual(server.asked, []);
});

it("show no secret in the error of what cannot be sent", async () => {
  const failures: unknown[] = [];
  try {
    managementClient({ baseUrl: "https://u:hidden@pay.example:99999", token: "t" });
  } catch (error) {
    failures.push(error);
  }
  for (const shopKey of ["hidden\nhidden", "hidden\0", "hidden ключ"]) {
    const shop = merchantClient({ baseUrl: server.url, shopId: "s", shopKey });
    failures.push(await shop.paymentTariffs().catch((error: unknown) => error));
  }
  assert.equal(failures.length, 4);
  for (const error of failures) {
    assert.ok(error instanceof TypeError);
    assert.doesNotMatch(inspect(error), /hidden/);
  }
});

it("have run out of time where the runtime calls that an abort", async () => {
  const fetch: typeof globalThis.fetch = (_, { signal } = {}) =>
    new Promise((_resolve, reject) => {
      const abort = () => reject(new DOMException("The operation was aborted.", "AbortError"));
      signal?.addEventListener("abort", abort);
    });
  const options = { timeoutMs: 20, maxRetries: 1, wait: async () => {} };
  const client = managementClient({
    baseUrl: "https://pay.example",
    token: "t",
    fetch,
    ...options,
  });
  const call = (client as unknown as ManagementClient<Doors>).get("/manage/status");
  await assert.rejects(call, { name: "KopeckError", kind: "timeout" });
});

it("follow no redirect, so that no secret goes elsewhere", async () => {
  server.plays({ status: 307, headers: { location: `${server.url}/elsewhere` }, body: "" });
  const shop = merchantClient({ baseUrl: server.url, shopId: "s", shopKey: "k" });
  await assert.rejects(shop.paymentTariffs(), { kind: "unreadable", status: 307 });
  assert.equal(server.asked.length, 1);
});

it("tell an answer of somebody else from one of Kopeck", async () => {
  for (const body of ["<html>", "", "[]", "null", "{}", '{"data":', '{"error":"upstream"}']) {
    // A proxy's 404 or 524 is no word of the gateway's that nothing has happened.
    for (const status of [200, 403, 404, 500, 524]) {
      server.plays({ status, body });
      const message = `HTTP ${status}: the answer is not one of Kopeck.`;
      const failure = { kind: "unreadable", status, message, messages: [message] };
      await assert.rejects(operator().get("/manage/status"), failure);
    }
  }
});

it("carry all messages, the code, the name of the request, and how long to wait", async () => {
  const body = { data: null, error: ["One.", "Two."], status: 422, status_check: false };
  const about = { "x-kopeck-error": "field_required", "x-request-id": "r-1" };
  server.plays({ status: 422, body, headers: { "retry-after": "7", ...about } });
  await assert.rejects(operator().get("/manage/status"), {
    name: "KopeckError",
    message: "One. Two.",
    messages: ["One.", "Two."],
    status: 422,
    code: "field_required",
    requestId: "r-1",
    retryAfterSeconds: 7,
  });
});

it("are typed by the doors: the compiler refuses what the gateway would", () => {
  const never = async (): Promise<void> => {
    // @ts-expect-error: The path has a name to fill.
    await operator().get("/manage/shops/{shop_id}/orders");
    // @ts-expect-error: There is a GET of this path, and no POST.
    await operator().post("/manage/status", {});
    // @ts-expect-error: This is no list.
    operator().items("/manage/status");
    const shop = managementClient({ baseUrl: server.url, token: "t" });
    // @ts-expect-error: A shop's door does not open for an operator's token.
    await shop.get("/invoice/info", { shop_id: "s" });
  };
  assert.equal(typeof never, "function");
});

it("walk a list page by page, or item by item, and only as far as the loop goes", async () => {
  const pages = [page([1, 2], "two"), page([], "three"), page([3], null)];
  const input = { shop_id: "s", limit: 2 };
  server.plays(...pages);
  const sizes: number[] = [];
  for await (const { items } of operator().pages("/manage/shops/{shop_id}/orders", input)) {
    sizes.push(items.length);
  }
  assert.deepEqual(sizes, [2, 0, 1]);
  assert.deepEqual(
    server.asked.map(({ url }) => url.split("?")[1]),
    ["limit=2", "limit=2&after=two", "limit=2&after=three"],
  );

  server.plays(...pages);
  const ids: number[] = [];
  const from = { ...input, after: "one" };
  for await (const { id } of operator().items("/manage/shops/{shop_id}/orders", from)) {
    ids.push(id);
    if (ids.length === 2) break;
  }
  assert.deepEqual(ids, [1, 2]);
  assert.deepEqual(
    server.asked.map(({ url }) => url.split("?")[1]),
    ["limit=2&after=one"],
  );
});
