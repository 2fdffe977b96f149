// Beside what a page shows stands the command that shows it, too: with what was looked for, as one line that a
// shell takes whatever was typed into the search.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { it } from "node:test";
import { manualOf } from "../src/cli/manual.ts";
import { readOptions } from "../src/cli/options.ts";
import { COMMANDS } from "../src/cli/table.ts";
import { pagesOf } from "../src/features/pages.ts";
import { SHOP } from "./cast.ts";
import { openOneGateway } from "./one-gateway.ts";
import { anna, unescaped } from "./people.ts";

const { gateway } = await openOneGateway();

/** What a shell makes of a line that is pasted into it. */
function typed(line: string): string[] {
  const words = execFileSync("sh", ["-c", `printf '%s\\0' ${line}`], { encoding: "utf8" });
  return words.split("\0").slice(0, -1);
}

const commandIn = (page: string): string =>
  unescaped(/<details class="command">.*?<code[^>]*>(.*?)<\/code>/s.exec(page)?.[1] ?? "");

it("200: the command of every list takes all that the page can be searched by, whatever was typed", async () => {
  const visit = await anna(gateway);
  const lists = pagesOf("sandbox").flatMap(({ path }) =>
    path.endsWith(".csv") && !path.includes(":") ? [path.slice(0, -".csv".length)] : [],
  );
  let searched = 0;
  for (const path of lists) {
    const page = await visit.open(path);
    const plain = commandIn(page);
    const command = COMMANDS.find(({ words }) => `kopeck ${words}` === plain);
    const [, form = ""] = /<details class="filters".*?<form(.*?)<\/form>/s.exec(page) ?? [];
    const names = [...form.matchAll(/ name="([^"]+)"/g)].map(([, name = ""]) => name);
    if (command === undefined || names.length === 0) continue;
    searched += 1;
    const manual = await manualOf(command);
    const known = new Set(manual.options.map(({ name }) => name));
    assert.deepEqual(new Set(names).difference(known), new Set(), path);
  }
  assert.ok(searched > 10, String(searched));
  const order = `it's "$(id)" \n;--x`;
  const query = new URLSearchParams({ order_id: order, state: "paid", from: "2026-03-01" });
  const command = commandIn(await visit.open(`/desk/invoices?${query}`));
  const [, ...words] = typed(command);
  assert.deepEqual(words.slice(0, 2), ["invoice", "list"]);
  const list = COMMANDS.find((one) => one.words === "invoice list");
  assert.ok(list);
  const asked = readOptions(list.words, await manualOf(list), words.slice(2));
  assert.deepEqual(asked, { order_id: order, state: "paid", from: "2026-02-28T21:00:00.000Z" });
});

it("200: the command of a merchant's statistics is of the shop that the page is of", async () => {
  const visit = await anna(gateway);
  const command = commandIn(await visit.open(`/my/statistics?days=7&shop_id=${SHOP.id}`));
  const [, ...words] = typed(command);
  const list = COMMANDS.find((one) => one.words === "my statistics");
  assert.ok(list);
  const asked = readOptions(list.words, await manualOf(list), words.slice(2));
  assert.deepEqual(asked, { from: "2026-02-23", currency: "RUB", shop_id: SHOP.id });
  assert.doesNotMatch(commandIn(await visit.open("/my/statistics?days=7")), /shop/);
});
