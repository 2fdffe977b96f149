// From where a form may come, on which host a page is, and what goes with every answer.

import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, it } from "node:test";
import { SCRIPT_PATH as PAYMENT_SCRIPT_PATH } from "../src/features/checkout/payment-script.page.ts";
import { addUsers } from "../src/features/merchants/queries.ts";
import { SCRIPT_PATH, STYLE_PATH } from "../src/features/people/assets.page.ts";
import { personWith, setDeskRole } from "../src/features/people/person.ts";
import { openSession } from "../src/features/people/session.ts";
import { onPostgres, openTestGateway, type TestGateway } from "./gateway.ts";
import { openOneGateway } from "./one-gateway.ts";

const [BASE, DESK, CABINET] = ["pay.example", "desk.pay.example", "my.pay.example"];

onPostgres("strangers in live mode", () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await openTestGateway("postgres", {
      mode: "live",
      baseUrl: `https://${BASE}`,
      deskUrl: `https://${DESK}`,
      cabinetUrl: `https://${CABINET}`,
      logLevel: "error",
    });
  });
  after(() => gateway.stop());

  /** As it comes from a socket: fetch would not send another host, nor a path that is not tidy. */
  const send = (
    path: string,
    headers: Record<string, string>,
    method: "GET" | "POST" = "POST",
    body = "",
  ): Promise<{ status: number; headers: Record<string, unknown>; text: string }> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(gateway.url);
      const type = { "content-type": "application/x-www-form-urlencoded" };
      const call = request(
        {
          hostname,
          port,
          path,
          method,
          headers: { host: DESK, accept: "text/html", ...type, ...headers },
        },
        (answer) => {
          let text = "";
          answer.setEncoding("utf8").on("data", (part: string) => {
            text += part;
          });
          answer.on("end", () =>
            resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }),
          );
        },
      );
      call.on("error", reject).end(body);
    });

  it("takes a form that stands on our own page, and says so, only", async () => {
    const table: readonly (readonly [Record<string, string>, boolean])[] = [
      [{ "sec-fetch-site": "same-origin" }, true],
      [{ "sec-fetch-site": "none" }, true],
      [{ "sec-fetch-site": "same-site" }, false],
      [{ "sec-fetch-site": "cross-site" }, false],
      [{ "sec-fetch-site": "anything" }, false],
      [{ "sec-fetch-site": "cross-site", origin: `https://${DESK}` }, false],
      [{ origin: `https://${DESK}` }, true],
      [{ origin: `http://${DESK}` }, false],
      [{ origin: `https://${BASE}` }, false],
      [{ origin: `https://${DESK}.evil.example` }, false],
      [{ origin: "https://evil.example" }, false],
      [{ origin: "null" }, false],
      [{}, false],
    ];
    for (const [headers, isTaken] of table) {
      for (const path of ["/sign-in", "/sign-out", "/security/settings"]) {
        const { status } = await send(path, headers);
        assert.equal(status === 403, !isTaken, `${path} ${JSON.stringify(headers)}: ${status}`);
        assert.ok(status < 500);
      }
    }
  });

  it("gives no file of rows to another site's link", async () => {
    const from = async (site: string) =>
      (await send("/desk/transfers.csv", { "sec-fetch-site": site }, "GET")).status;
    assert.deepEqual(
      [await from("cross-site"), await from("same-site"), await from("none")],
      [403, 403, 303],
    );
  });

  it("has pages of people on their own hosts alone, whatever the path looks like", async () => {
    const own = { "sec-fetch-site": "same-origin" };
    const status = async (host: string, path: string) =>
      (await send(path, { ...own, host }, "GET")).status;
    for (const path of ["/sign-in", "/desk/transfers", "/security", "/start", "//desk/transfers"]) {
      for (const host of [BASE, "evil.example", `${DESK}:81`, "127.0.0.1"]) {
        assert.equal(await status(host, path), 404, `${host}${path}`);
      }
    }
    assert.equal(await status(CABINET, "/desk/transfers"), 404);
    for (const path of ["/my", "/my/invoices.csv", "/my/changes"]) {
      assert.deepEqual([await status(DESK, path), await status(CABINET, path)], [404, 303], path);
    }
    const { status: sent } = await send("/my/switch", { ...own, host: DESK });
    assert.equal(sent, 404);
    assert.equal(await status(CABINET, "/sign-in"), 200);
    assert.equal(await status(DESK, "/sign-in"), 200);
    assert.equal(await status(DESK, "/desk/transfers"), 303);
    for (const path of [
      "//sign-in/../sign-out",
      "/my/..%2fsign-out",
      "//evil.example/sign-out",
      "/sign-out/%2e%2e",
    ]) {
      const { status: answered } = await send(path, { ...own, host: BASE });
      assert.ok(answered === 404 || answered === 400, `${path}: ${answered}`);
    }
  });

  it("shows payers' pages, documents and metrics off the hosts of the desk and the cabinet", async () => {
    const statuses = async (path: string) =>
      Promise.all(
        [BASE, "127.0.0.1", DESK, CABINET].map(
          async (host) => (await send(path, { host }, "GET")).status,
        ),
      );
    for (const path of ["/", PAYMENT_SCRIPT_PATH, "/docs", "/openapi.json", "/metrics"]) {
      assert.deepEqual(await statuses(path), [200, 200, 404, 404], path);
    }
    for (const path of ["/healthz", "/readyz", "/icon.svg"]) {
      assert.deepEqual(await statuses(path), [200, 200, 200, 200], path);
    }
    for (const path of [STYLE_PATH, SCRIPT_PATH]) {
      assert.deepEqual(await statuses(path), [404, 404, 200, 200], path);
    }
  });

  /** The cookie of a new session of a viewer, made on one host. */
  async function cookieOf(email: string, host: string): Promise<string> {
    const { app } = gateway;
    const visit = { cookies: {}, address: "203.0.113.1", userAgent: "", host } as never;
    const [session = ""] = await app.db.transaction(async (tx) => {
      const { person } = await personWith(tx, app, { email, name: "V", language: "en" });
      return openSession(tx, app, await setDeskRole(tx, app, person, "viewer"), visit);
    });
    return session.split(";")[0] ?? "";
  }

  it("takes a session only on the host that it was made on", async () => {
    const at = async (host: string, cookie: string) =>
      (await send("/security", { host, cookie }, "GET")).status;
    for (const [here, elsewhere] of [
      [DESK, CABINET],
      [CABINET, DESK],
    ] as const) {
      const cookie = await cookieOf("bound@example.com", here);
      assert.deepEqual([await at(here, cookie), await at(elsewhere, cookie)], [200, 303], here);
    }
  });

  it("says with every answer that it is reached by https alone", async () => {
    for (const path of ["/sign-in", "/nothing", "/manage/me", "/health"]) {
      const { headers } = await send(path, {}, "GET");
      assert.equal(headers["strict-transport-security"], "max-age=31536000", path);
    }
    const page = await send("/sign-in", {}, "GET");
    // With no-referrer a browser without Sec-Fetch-Site would say "null" of its own forms.
    assert.equal(page.headers["referrer-policy"], "same-origin");
    assert.equal(page.headers["cache-control"], "no-store");
  });

  it("gives cookies that only this host gets, over https, and no script sees", async () => {
    const { app } = gateway;
    const visit = { cookies: {}, address: "203.0.113.1", userAgent: "", host: DESK } as never;
    const cookies = await app.db.transaction(async (tx) => {
      const wish = { email: "c@example.com", name: "C", language: "en" } as const;
      const { person } = await personWith(tx, app, wish);
      return openSession(tx, app, await setDeskRole(tx, app, person, "viewer"), visit);
    });
    const flags = "Path=/; HttpOnly; SameSite=Lax; Max-Age=\\d+; Secure$";
    assert.match(cookies[0] ?? "", new RegExp(`^__Host-kopeck=[\\w-]{32}; ${flags}`));
    assert.match(cookies[1] ?? "", new RegExp(`^__Host-kopeck-device=[\\w-]{32}; ${flags}`));
    // The first of a name is ours; a cookie without the prefix is nobody's.
    const [token = ""] = /(?<==)[\w-]+/.exec(cookies[0] ?? "") ?? [];
    const seen = async (cookie: string) =>
      (await send("/desk/transfers", { cookie }, "GET")).status;
    assert.equal(await seen(`__Host-kopeck=${token}`), 200);
    assert.equal(await seen(`kopeck=${token}`), 303);
  });

  it("shows a merchant's cabinet to who looks from the desk there, and not on the cabinet's host", async () => {
    const { app } = gateway;
    const [userId, now] = [app.newId(), app.clock.now()];
    await app.db.transaction((tx) => addUsers(tx, [{ id: userId, name: "Acme" }], now));
    const cookies = {
      [DESK]: await cookieOf("looks@example.com", DESK),
      [CABINET]: await cookieOf("looks@example.com", CABINET),
    };
    const own = { "sec-fetch-site": "same-origin", cookie: cookies[DESK] ?? "" };
    const inside = (host: string) => ({ ...own, host, cookie: cookies[host] ?? "" });
    const at = async (host: string) => (await send("/my", inside(host), "GET")).status;
    assert.deepEqual([await at(DESK), await at(CABINET)], [404, 403]);
    const isLedBack = async () => {
      for (const host of [DESK, CABINET]) {
        const { text } = await send("/my/invoices", inside(host), "GET");
        assert.match(
          text,
          /You look at no cabinet now.*href="https:\/\/desk\.pay\.example\/desk"/s,
        );
      }
    };
    await isLedBack();
    const begun = await send(`/desk/merchants/${userId}/look`, own);
    assert.deepEqual([begun.status, begun.headers["location"]], [303, "/my"]);
    assert.deepEqual([await at(DESK), await at(CABINET)], [200, 403]);
    const left = await send(`/desk/merchants/${userId}/look`, own, "POST", "leave=yes");
    assert.equal(left.headers["location"], `/desk/merchants/${userId}`);
    assert.deepEqual([await at(DESK), await at(CABINET)], [404, 403]);
    await send(`/desk/merchants/${userId}/look`, own);
    gateway.clock.advance(3600);
    await isLedBack();
    await app.db.query("update people set desk_role = null where email = $1", [
      "looks@example.com",
    ]);
    const stranger = await send("/my", own, "GET");
    assert.equal(stranger.status, 404);
    assert.doesNotMatch(
      stranger.text,
      /cabinet/,
      "who is nobody at the desk is told nothing there",
    );
  });

  it("in a sandbox takes forms under whatever name the machine has", async () => {
    const { gateway: sandbox } = await openOneGateway();
    const { host } = new URL(sandbox.url);
    const post = async (origin: string) => {
      const { hostname, port } = new URL(sandbox.url);
      return new Promise<number>((resolve, reject) => {
        const call = request({
          hostname,
          port,
          path: "/sign-in/sandbox",
          method: "POST",
          headers: { origin },
        });
        call.on("response", (answer) => resolve(answer.resume().statusCode ?? 0));
        call.on("error", reject).end();
      });
    };
    assert.equal(await post(`http://${host}`), 303);
    assert.equal(await post("http://evil.example"), 403);
  });
});
