// Templates escape whatever is put into them, and only HTML of a template stays HTML.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { checkProperty } from "../../test/property.ts";
import { html } from "./html.ts";

describe("html", () => {
  it("escapes text, in content and in quoted attributes", () => {
    const evil = `"><script>alert('1')</script>&amp;`;
    assert.equal(
      html`<p title="${evil}">${evil}</p>`.text,
      `<p title="&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;">&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;</p>`,
    );
  });

  it("keeps templates inside templates, lists, and leaves nothing for what is not there", () => {
    const items = ["a", "<b>"].map((text) => html`<li>${text}</li>`);
    const page = html`<ul>${items}${false}${null}${undefined}${0}</ul>`;
    assert.equal(page.text, "<ul><li>a</li><li>&lt;b&gt;</li>0</ul>");
  });

  it("lets no text out of its place", () => {
    checkProperty(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const [, inside = ""] = /^<p>(.*)<\/p>$/s.exec(html`<p>${text}</p>`.text) ?? [];
        assert.doesNotMatch(inside, /[<>"']/);
      }),
    );
  });
});
