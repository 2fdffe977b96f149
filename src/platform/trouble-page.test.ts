// What a person sees where something fails: a page, which loads again by itself where that may help. A program
// gets the envelope.

import assert from "node:assert/strict";
import { it } from "node:test";
import { failureOf } from "../../test/contract-doors.ts";
import { openOneGateway } from "../../test/one-gateway.ts";
import { pages } from "../../test/pages.ts";
import { HttpFailure } from "./failure.ts";

const { gateway } = await openOneGateway();
const BROWSER = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

it("an address where nothing is, and a wrong method, are pages for browsers only", async () => {
  const russian = { ...BROWSER, "accept-language": "ru" };
  const page = await gateway.call("/nothing", { headers: russian });
  assert.equal(page.status, 404);
  assert.match(page.text, /^<!doctype html>\n<html lang="ru">.*<h1>Такой страницы нет<\/h1>/s);
  assert.match(page.headers.get("content-security-policy") ?? "", /^default-src 'none'; style-src/);
  assert.equal(page.headers.get("refresh"), null);
  const wrong = await gateway.call("/invoice/create", { headers: BROWSER });
  assert.deepEqual([wrong.status, wrong.headers.get("allow")], [405, "POST"]);
  assert.match(wrong.text, /<h1>This did not work<\/h1><p>This method is not allowed/);
  for (const accept of ["application/json", "*/*", "application/json, text/html", undefined]) {
    failureOf(await gateway.call("/nothing", { headers: { accept } }), 404);
  }
  // A runtime that asks for pages by itself, and a client that shows its key.
  const java = { accept: "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", "x-api-key": "k" };
  failureOf(await gateway.call("/invoice/create", { headers: java }), 405);
});

it("an outage says that nothing is lost and loads again, also after a form; a bug, too", async (t) => {
  const { link, choose, post } = pages(gateway);
  const id = await link();
  await choose(id);
  const { db } = gateway.app.for("payers");
  const failing = (error: Error) =>
    t.mock.method(db, "query", () => Promise.reject(error), { times: 1 });
  for (const [error, status] of [
    [new HttpFailure("unavailable"), 503],
    [new Error("a bug that this test has made"), 500],
  ] as const) {
    failing(error);
    const page = await gateway.call(`/pay/${id}`, { headers: BROWSER });
    assert.deepEqual([page.status, page.headers.get("refresh")], [status, "7"]);
    assert.match(
      page.text,
      /<h1>This did not work<\/h1>.*Nothing is lost\. This page tries again/s,
    );
    assert.doesNotMatch(page.text, /a bug that/);
  }
  for (const [path, refresh] of [
    [`/pay/${id}`, "7"],
    [`/pay/${id}/paid`, "7"],
    // There is nothing to load again here.
    [`/pay/${id}/simulate`, null],
  ] as const) {
    failing(new HttpFailure("unavailable"));
    const answer = await post(path, {}, BROWSER);
    assert.deepEqual([answer.status, answer.headers.get("refresh")], [503, refresh], path);
    // What was pressed is lost, and is not called kept.
    const text = await answer.text();
    assert.ok(!text.includes("Nothing is lost"));
    assert.equal(text.includes("please press it once more"), refresh !== null);
  }
});
