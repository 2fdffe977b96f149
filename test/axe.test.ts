// Whoever looks at a page with axe may leave out rows that are like others, and nothing else: a fault that one row of
// a kind has is found, in whatever row.

import assert from "node:assert/strict";
import { it } from "node:test";
import { bringAxe, problems } from "./axe.ts";
import { inBrowser, openBrowser } from "./browser.ts";

const row = (cell: string): string => `<tr><td>${cell}</td></tr>`;
const GOOD = row('<a class="one" href="/x">A word</a>');
const table = (rows: readonly string[]): string =>
  `<!doctype html><html lang="en"><title>A list</title><style>.pale { color: #ccc }</style>
   <main><h1>A list</h1><table><thead><tr><th>Name</th></tr></thead>
   <tbody>${rows.join("")}</tbody></table></main></html>`;

inBrowser("axe", () => {
  it("finds what is wrong in any row of a kind, and looks at three of each", async () => {
    const browser = await openBrowser();
    try {
      const context = await browser.newContext();
      await bringAxe(context);
      const page = await context.newPage();
      const found = async (...last: readonly string[]): Promise<string[]> => {
        await page.goto(
          `data:text/html,${encodeURIComponent(table([...Array(50).fill(GOOD), ...last]))}`,
        );
        return problems(page);
      };
      assert.deepEqual(await found(), []);
      const pale = await found(row('<b class="pale">A word</b>'));
      assert.match(pale.join(), /^color-contrast: <b class="pale">[^,]*$/);
      const empty = await found(row('<a class="one" href="/x"></a>'));
      assert.match(empty.join(), /link-name: <a class="one"/);
      const many = await found(...Array(9).fill(row('<b class="pale">A word</b>')));
      assert.equal(many.length, 3);
    } finally {
      await browser.close();
    }
  });
});
