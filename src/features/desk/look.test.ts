// An operator sees a merchant's cabinet as its people do: all of it, marked, in both logs; and changes nothing by it,
// sees no other merchant by it, and has it no longer than an hour, the session, the role.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pathTo, thingsOf } from "../../../test/cabinet.ts";
import { OTHER_USER, SHOP, USER } from "../../../test/cast.ts";
import { hire, OWNER_TOKEN, owners, signedInAs } from "../../../test/members.ts";
import { newcomers } from "../../../test/newcomers.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { HOUR, NOBODY, printOf } from "../../../test/orders.ts";
import { anna, hiddenIn, type Visitor, wordsIn } from "../../../test/people.ts";
import { cabinetPages } from "../cabinet/cabinet-pages.ts";
import { switchMerchant } from "../cabinet/site.ts";

const { gateway, own, trade } = await openOneGateway({ trustedProxies: ["127.0.0.1"] });
const { withPasskey } = newcomers(gateway, own);
const things = await thingsOf(gateway, trade);

const look = (visit: Visitor, id: string = USER.id) => visit.post(`/desk/merchants/${id}/look`);
const isLooking = async (visit: Visitor): Promise<boolean> => {
  const { status, text } = await visit.get("/my");
  return status === 200 && /as they do; nothing can be changed/.test(text);
};
const posts = [...cabinetPages, switchMerchant].filter(({ method }) => method === "POST");
const FORM = /<form[^>]*method="post"[^>]*action="([^"]*)"/g;

describe("a look", () => {
  it("is begun by a button, is marked on every page, and offers nothing that changes anything", async () => {
    const { visit } = await withPasskey("viewer");
    assert.equal((await visit.get("/my")).status, 403);
    const merchant = await visit.open(`/desk/merchants/${USER.id}`);
    assert.match(merchant, new RegExp(`action="/desk/merchants/${USER.id}/look"`));
    // An address alone begins nothing.
    const { location: back } = await visit.get(`/desk/merchants/${USER.id}/look`);
    assert.deepEqual([back, await isLooking(visit)], [`/desk/merchants/${USER.id}`, false]);
    // Nor does one that no header could hold as it was read.
    const odd = await visit.get("/desk/merchants/%D0%B0%0A/look");
    assert.deepEqual([odd.status, odd.location], [303, "/desk/merchants/%D0%B0%0A"]);
    assert.equal((await look(visit)).location, "/my");
    // A proof of long ago is asked for nowhere: nothing is done here that would need one.
    gateway.clock.advance(11 * 60);
    const pages = cabinetPages.filter(({ method }) => method === "GET");
    const forms = new Set(posts.map(({ path }) => path));
    for (const { path } of pages) {
      const query = path === "/my/keys/new" ? `?shop_id=${SHOP.id}` : "";
      const { status, text, location } = await visit.get(pathTo(path, things) + query);
      if (path.endsWith(".csv") || path.startsWith("/my/go/")) {
        assert.ok(status === 200 || location.startsWith("/my/"), path);
        continue;
      }
      assert.match(wordsIn(text), /You are looking at .* as they do; nothing can be changed/, path);
      const sent = [...text.matchAll(FORM)].map(([, to]) => to);
      assert.deepEqual(
        new Set(sent),
        new Set([`/desk/merchants/${USER.id}/look`, "/sign-out"]),
        path,
      );
      assert.doesNotMatch(
        text,
        /href="\/my\/[^"]*(?:\/new|\/invite|\/revoke|\/settings|\/refund)"/,
      );
      assert.doesNotMatch(text, /data-live=/, path);
      assert.equal(status, forms.has(path) ? 403 : 200, path);
    }
  });

  it("refuses every form there is, whatever the operator's role, and changes nothing", async () => {
    const { visit } = await withPasskey("operator");
    await look(visit);
    assert.ok(posts.length >= 15, String(posts.length));
    const before = await printOf(gateway);
    for (const { path } of posts) {
      const sent = { amount: "1", reason: "mine", role: "none", title: "mine", name: "mine" };
      const once = gateway.app.newId();
      const of = { ...sent, once, of: USER.id, shop_id: SHOP.id, user_id: OTHER_USER.id };
      const { status, text } = await visit.post(pathTo(path, things), of);
      assert.equal(status, 403, `${path}: ${wordsIn(text)}`);
      assert.match(wordsIn(text), /Whoever looks at a merchant's cabinet can only look/, path);
      assert.doesNotMatch(wordsIn(text), /viewer/i, path);
    }
    assert.equal((await visit.get("/my/changes?of=invoices")).status, 403);
    assert.deepEqual(await printOf(gateway), before);
  });

  it("stands in the operator's log and in the merchant's own, and in no other's", async () => {
    const { visit, id } = await withPasskey("cashier");
    trade.tick();
    await look(visit);
    const { mine, theirs } = await owners(gateway);
    const [row] = (await own.get("audit?act=user.look")).items;
    assert.deepEqual([row.operator_id, row.user_id, row.subject], [id, USER.id, USER.id]);
    const [seen] = (await mine.get("audit?act=user.look")).items;
    assert.equal(seen.audit_id, row.audit_id);
    assert.deepEqual((await theirs.get("audit?act=user.look")).items, []);
    const page = wordsIn(await (await anna(gateway)).open("/my/log"));
    assert.match(page, /of the gateway Cabinet looked at by an operator/);
  });

  it("shows one merchant alone: the last one, in every tab", async () => {
    const { visit } = await withPasskey("viewer");
    const theirs = (id: string) => visit.get(`/my/invoices/${id}`);
    await look(visit);
    assert.equal((await theirs(things.invoice_id)).status, 200);
    await look(visit, OTHER_USER.id);
    assert.equal((await theirs(things.invoice_id)).status, 404);
    const csv = await visit.get(`/my/invoices.csv?shop_id=${SHOP.id}`);
    assert.equal(csv.status, 404);
    await visit.post("/my/switch", { user_id: USER.id });
    assert.equal((await theirs(things.invoice_id)).status, 404);
    assert.equal((await look(visit, NOBODY)).status, 404);
    assert.equal((await look(visit, "no-id")).status, 422);
    assert.equal(await isLooking(visit), true);
  });

  it("takes the place of what somebody is there themselves, until they leave", async () => {
    const visit = await anna(gateway);
    const page = await visit.open("/my/tokens/new");
    await look(visit, OTHER_USER.id);
    assert.equal((await visit.get(`/my/invoices/${things.invoice_id}`)).status, 404);
    const form = { ...hiddenIn(page, "/my/tokens/new"), name: "of another tab" };
    assert.equal((await visit.post("/my/tokens/new", form)).status, 403);
    const leaving = `/desk/merchants/${OTHER_USER.id}/look`;
    const { location } = await visit.post(leaving, { leave: "yes" });
    assert.equal(location, `/desk/merchants/${OTHER_USER.id}`);
    assert.equal(await isLooking(visit), false);
    assert.equal((await visit.get(`/my/invoices/${things.invoice_id}`)).status, 200);
    // The form was opened for her own merchant, and made nothing: now it may.
    assert.equal((await visit.post("/my/tokens/new", form)).status, 200);
  });
});

describe("a look ends", () => {
  it("after an hour, though the session goes on", async () => {
    const { visit } = await withPasskey("viewer");
    await look(visit);
    gateway.clock.advance(HOUR / 2);
    assert.equal(await isLooking(visit), true);
    gateway.clock.advance(HOUR / 2);
    const { status, text } = await visit.get("/my");
    assert.equal(status, 403);
    assert.match(text, /You look at no cabinet now.*href="\/desk"/s);
    assert.equal((await visit.get("/desk")).status, 200);
  });

  it("with the role, also where it is given again, and by either list", async () => {
    for (const path of ["people", "operators"]) {
      const { visit, id } = await withPasskey("viewer");
      await look(visit);
      if (path === "people") await own.post(`people/${id}`, { desk_role: "none" });
      else await own.post(`operators/${id}/revoke`);
      assert.equal((await visit.get("/my")).status, 403);
      await own.post(`people/${id}`, { desk_role: "viewer" });
      assert.deepEqual([await isLooking(visit), (await visit.get("/desk")).status], [false, 200]);
    }
  });

  it("with the session, and with the person", async () => {
    const gone = await withPasskey("operator");
    await look(gone.visit);
    await own.post(`people/${gone.id}/end-sessions`);
    const off = await withPasskey("operator");
    await look(off.visit);
    await own.post(`people/${off.id}`, { disabled: true });
    for (const { visit } of [gone, off]) {
      assert.match((await visit.get("/my")).location, /^\/sign-in/);
      assert.match((await look(visit)).location, /^\/sign-in/);
    }
  });
});

it("is nothing for who has no place at the desk, nor for a token", async () => {
  const owner = await signedInAs(gateway, await hire(gateway, "owner"));
  assert.equal((await look(owner, OTHER_USER.id)).status, 403);
  assert.equal(await isLooking(owner), false);
  const headers = { authorization: `Bearer ${OWNER_TOKEN}` };
  const { status } = await gateway.call(`/desk/merchants/${OTHER_USER.id}/look`, {
    headers,
    body: {},
  });
  assert.ok(status >= 400, String(status));
});
