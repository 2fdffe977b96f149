// Forms with files, as browsers send them and as nobody should.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../test/one-gateway.ts";
import { anna } from "../../test/people.ts";
import { readForm, readMultipart } from "./form-body.ts";

const TYPE = "multipart/form-data; boundary=xx";
const part = (head: string, body: string): string => `--xx\r\n${head}\r\n\r\n${body}\r\n`;
const field = (name: string, body: string): string =>
  part(`Content-Disposition: form-data; name="${name}"`, body);
const read = (text: string) => readMultipart(TYPE, Buffer.from(text, "latin1"));

it("reads what a browser sends, and several of a name", async () => {
  const form = new FormData();
  form.append("a", "1");
  form.append("a", "два\r\n--x");
  form.append("empty", "");
  form.append("file", new Blob([Buffer.from([0, 255, 13, 10])]), "имя.csv");
  const sent = new Response(form);
  const type = sent.headers.get("content-type") ?? "";
  const got = readMultipart(type, Buffer.from(await sent.arrayBuffer()));
  const file = { name: "имя.csv", bytes: Buffer.from([0, 255, 13, 10]) };
  assert.deepEqual(got, { a: ["1", "два\r\n--x"], empty: "", file });
  assert.deepEqual(
    readForm("a=1&b=2&a=3&__proto__=4"),
    Object.fromEntries([
      ["a", ["1", "3"]],
      ["b", "2"],
      ["__proto__", "4"],
    ]),
  );
});

it("refuses what is no form, in one walk", () => {
  const good = field("a", "1");
  const bad = [
    "",
    "--xx",
    "--xx\r\n",
    "xx",
    good,
    `${good}--x`,
    `${good}--xx`,
    `junk${good}--xx--`,
    part("Content-Disposition: form-data", "1"),
    `${part("Content-Type: text/plain", "1")}--xx--`,
    `${part(`Content-Disposition: form-data; name="${"a".repeat(5_000)}"`, "1")}--xx--`,
    `${good.repeat(65)}--xx--`,
    "--xx\r\n".repeat(10_000),
    `--xx\r\n${"; name=".repeat(500)}\r\n\r\n1\r\n--xx--`,
  ];
  for (const text of bad) assert.throws(() => read(text), /form/i, text.slice(0, 60));
  assert.deepEqual(read("--xx--"), {});
  assert.deepEqual(read(`${good}--xx--`), { a: "1" });
  for (const type of ["multipart/form-data", `multipart/form-data; boundary="${"x".repeat(71)}"`]) {
    assert.throws(() => readMultipart(type, Buffer.from("--xx--")), /form/i);
  }
});

it("never fails by a file where a text is meant, nor by bytes that are no text", async () => {
  const { gateway } = await openOneGateway();
  const visit = await anna(gateway);
  for (const path of ["/security/settings", "/sign-in", "/security/password"]) {
    const form = new FormData();
    for (const name of ["email", "password", "path", "name", "language", "id"]) {
      form.append(name, new Blob([Buffer.from([0, 255])]), "a\0b");
    }
    const { status } = await visit.send(path, { method: "POST", body: form });
    assert.ok(status < 500, `${path}: ${status}`);
    for (const body of ["", "--xx", `${field("email", "\0\xff")}--xx--`, "\0".repeat(60_000)]) {
      const headers = { "content-type": TYPE };
      const seen = await visit.send(path, { method: "POST", body, headers });
      assert.ok(seen.status < 500, `${path} ${body.slice(0, 9)}: ${seen.status}`);
    }
  }
  const json = await visit.send("/sign-in", {
    method: "POST",
    body: "{}",
    headers: { "content-type": "application/json" },
  });
  assert.equal(json.status, 415);
});
