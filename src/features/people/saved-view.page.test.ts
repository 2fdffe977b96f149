// Saved views: kept for whoever made them, shown as text, and no way out of the house.

import assert from "node:assert/strict";
import { it } from "node:test";
import { newcomers } from "../../../test/newcomers.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";

const { gateway, own } = await openOneGateway({ trustedProxies: ["127.0.0.1"] });
const { anybody, withPasskey } = newcomers(gateway, own);
const path = "/desk/transfers";

it("is shown on its list, to its owner, until it is forgotten", async () => {
  const [{ visit }, other] = [await withPasskey(), await withPasskey()];
  const name = '<script>alert("1")</script>';
  const saved = await visit.post("/views", { path, query: "state=held&x=<b>", name });
  assert.equal(saved.location, `${path}?state=held&x=%3Cb%3E`);
  const shown = await visit.open(path);
  assert.ok(shown.includes(`href="${path}?state=held&amp;x=%3Cb%3E">&lt;script&gt;`), shown);
  assert.ok(!shown.includes("<script>alert"));
  assert.ok(!(await other.visit.open(path)).includes("state=held"));
  const [, id = ""] =
    /action="\/views\/remove"><input type="hidden" name="id" value="([^"]+)"/.exec(shown) ?? [];
  await other.visit.post("/views/remove", { id, then: path });
  assert.ok((await visit.open(path)).includes("state=held"));
  assert.equal(
    (await visit.post("/views/remove", { id, then: "//evil.example" })).location,
    "/start",
  );
  assert.ok(!(await visit.open(path)).includes("state=held"));
});

it("is kept by nobody who has not signed in, and leads nowhere else", async () => {
  assert.equal(
    (await anybody().post("/views", { path, query: "a=1", name: "x" })).location,
    "/sign-in",
  );
  const { visit } = await withPasskey();
  const away = await visit.post("/views", { path: "//evil.example", query: "a=1", name: "x" });
  assert.equal(away.location, "/start?a=1");
});

it("are at most a hundred a person", async () => {
  const { visit, id } = await withPasskey();
  for (let at = 0; at < 102; at += 1)
    await visit.post("/views", { path, query: `a=${at}`, name: "x" });
  const rows = await gateway.app.db.query("select id from saved_views where person_id = $1", [id]);
  assert.equal(rows.length, 100);
});

it("is of what was looked for, not of the page that it was saved on, nor of what was left unsent", async () => {
  const { visit, id } = await withPasskey();
  const after = "01950000-0000-7000-8000-000000000000";
  const query = `state=held&after=${after}&unsent=1`;
  const saved = await visit.post("/views", { path, query, name: "held" });
  assert.equal(saved.location, `${path}?state=held`);
  assert.ok((await visit.open(path)).includes(`href="${path}?state=held">held`));
  // One that was saved before.
  await gateway.app.db.query("update saved_views set query = $2 where person_id = $1", [id, query]);
  assert.ok((await visit.open(path)).includes(`href="${path}?state=held">held`));
});

it("is kept under as much of a long name as there is room for, never half of an emoji", async () => {
  const { visit } = await withPasskey();
  const name = `${"x".repeat(59)}😀`;
  await visit.post("/views", { path, query: "state=held", name });
  assert.ok((await visit.open(path)).includes(`>${"x".repeat(59)}\ufffd</a>`));
});
