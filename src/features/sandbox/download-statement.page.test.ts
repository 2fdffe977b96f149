// The sandbox's statement: today's money of one account, in every format, as a file that can be read again.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import type { Statement } from "../../domain/statement.ts";
import { readStatement } from "../intake/read-file.ts";
import { WRITTEN_FORMATS } from "./download-statement.page.ts";

const { gateway, own, trade } = await openOneGateway();
const OPERATOR = { authorization: "Bearer sandbox_operator_token" };
const PAID_LAST = "00000000-0000-4000-8000-000000000102";
const DAY_SECONDS = 24 * 60 * 60;

const add = (body: Record<string, unknown>) =>
  gateway.call("/sandbox/transfers", { body, headers: OPERATOR });

const now = async (): Promise<string> =>
  (await gateway.call("/sandbox/clock", { headers: OPERATOR })).body.data.now;

async function download(query: string): Promise<Response> {
  return fetch(`${gateway.url}/sandbox/statement${query}`);
}

async function statementOf(query: string) {
  const answer = await download(query);
  assert.equal(answer.status, 200);
  return readStatement(new Uint8Array(await answer.arrayBuffer()));
}

it("200: today's transfers of the requisite that was paid last, in every format", async () => {
  await add({ wallet: "2202200000000015", amount: 1, payer: "Пётр" });
  // Until tomorrow's noon: nothing of this is near midnight.
  const [, hours, minutes, seconds] = /(\d\d):(\d\d):(\d\d)$/.exec(await now()) ?? [];
  const past = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  await trade.pass(DAY_SECONDS - past + DAY_SECONDS / 2);
  await add({ wallet: "2202200000000007", amount: 2, payer: "Пётр" });
  await trade.pass(1);
  await add({ wallet: "2202200000000015", amount: 1020.5, payer: "Вера; «С.» & дочь" });
  await add({ wallet: "2202200000000015", amount: 1020.5, payer: "Вера; «С.» & дочь" });
  const [day] = (await now()).split(" ");
  for (const format of WRITTEN_FORMATS) {
    const answer = await download(`?format=${format}`);
    assert.match(
      answer.headers.get("content-type") ?? "",
      /^(?:text|application)\/[a-z]+; charset=/,
    );
    assert.match(
      answer.headers.get("content-disposition") ?? "",
      /^attachment; filename="[\w.-]+"$/,
    );
    assert.equal(answer.headers.get("cache-control"), "no-store");
    const bytes = Buffer.from(await answer.arrayBuffer());
    const statement = readStatement(bytes);
    assert.equal(statement.format, format);
    const [section] = statement.sections;
    assert.ok(section !== undefined && statement.sections.length === 1, format);
    const isNameless = format === "csv-tbank" || format === "csv-raiffeisen";
    assert.equal(section.account, isNameless ? null : "40817810000000000102", format);
    assert.deepEqual([section.from, section.to], [day, day]);
    const file = { filename: format, content: bytes.toString("base64"), dry_run: true };
    const named = isNameless ? { requisite_id: PAID_LAST } : {};
    const { dry_run: tried } = await own.post("imports", { ...file, ...named });
    assert.deepEqual([tried.duplicate, tried.new, tried.waiting], [2, 0, 0], "no money anew");
    const shown = [...section.lines].map(
      ({ amountMinor, direction }) => `${direction} ${amountMinor}`,
    );
    assert.deepEqual(shown, ["in 102050", "in 102050"], format);
    for (const { purpose, time } of section.lines) {
      assert.equal(purpose, "Перевод от Вера; «С.» & дочь", format);
      assert.match(time ?? "12:00:00", /^12:0\d:\d\d$/, "in the service's zone");
    }
  }
});

it("200: a day begins with what the one before it ended with; any day may be asked for", async () => {
  const [today = ""] = (await now()).split(" ");
  const dayAfter = (days: number) =>
    new Date(Date.parse(today) + days * DAY_SECONDS * 1000).toISOString().slice(0, 10);
  const balances = async (days: number) => {
    const { sections } = await statementOf(`?requisite=${PAID_LAST}&day=${dayAfter(days)}`);
    return sections.flatMap(({ openingMinor, closingMinor }) => [openingMinor, closingMinor]);
  };
  assert.deepEqual(await balances(-5), [100_000n, 100_000n]);
  assert.deepEqual(await balances(0), [100_100n, 304_200n]);
  assert.deepEqual(await balances(1), [304_200n, 304_200n]);
  assert.deepEqual(
    (await statementOf(`?requisite=${PAID_LAST}`)).sections.map((one) => one.openingMinor),
    [100_100n],
  );
  for (const day of ["2026-02-30", "today", ""]) {
    assert.equal((await download(`?day=${day}`)).status, 400, day);
  }
});

it("200: of the requisite that is named; one without money today has no lines", async () => {
  const { items } = await own.get("requisites");
  const ids = items.map(({ requisite_id }: { requisite_id: string }) => requisite_id).sort();
  const [first, , third] = ids;
  const linesOf = ({ sections }: Statement) => sections.flatMap(({ lines }) => [...lines]);
  assert.equal(linesOf(await statementOf(`?requisite=${first}`)).length, 1);
  assert.deepEqual(linesOf(await statementOf(`?requisite=${third}`)), []);
  assert.deepEqual((await statementOf(`?requisite=${third}&format=csv-alfa`)).sections, []);
});

it("400 for a format that is not written, 404 for a requisite that is not there", async () => {
  for (const [query, status] of [
    ["?format=pdf", 400],
    ["?format=csv-own", 400],
    ["?requisite=1", 404],
    ["?requisite=019a3f00-0000-7000-8000-000000000009", 404],
  ] as const) {
    assert.equal((await download(query)).status, status, query);
  }
});
