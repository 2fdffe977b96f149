// Whatever a shop, a payer or a link says stays text: each hostile text in each field that is shown or
// asked for, in a real browser. A page with it has the same elements and attributes as one without.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { inBrowser } from "./browser.ts";
import { LINK_SHOP } from "./cast.ts";
import { type CheckoutRoom, openCheckoutRoom, type Payer } from "./checkout-room.ts";
import { ENGINES } from "./gateway.ts";
import { HOSTILE_TEXTS } from "./hostile-texts.ts";

const CARD = "00000000-0000-4000-8000-000000000101";
const OTHER_CARDS = [102, 103].map((number) => `00000000-0000-4000-8000-000000000${number}`);

/** As many as fit into the shortest field stand in it together. */
const FIELD_LENGTH = 100;
const PACKS: string[] = [];
for (const text of HOSTILE_TEXTS) {
  const together = `${PACKS.at(-1)} ${text}`;
  if (PACKS.length > 0 && together.length <= FIELD_LENGTH) PACKS[PACKS.length - 1] = together;
  else PACKS.push(text);
}

/** Tags and attributes' names; marked kopecks are no matter here. */
const SHAPE = `[...document.querySelectorAll("*")].filter((one) => one.tagName !== "MARK")
  .map((one) => one.tagName + " " + one.getAttributeNames().join(" ")).join("\\n")`;

const TEXTS = `({
  shop: document.querySelector("header strong").textContent,
  order: document.querySelector("header span bdi").textContent,
  values: [...document.querySelectorAll("dd")].map((one) => one.textContent),
  links: [...document.querySelectorAll("a[rel]")].map((one) => [one.host, one.textContent]),
  xss: window.__xss,
})`;

interface Texts {
  readonly shop: string;
  readonly order: string;
  readonly values: readonly string[];
  readonly links: readonly [host: string, text: string][];
  readonly xss?: unknown;
}

inBrowser("hostile texts on the payment page", () => {
  let room: CheckoutRoom;
  let payer: Payer;
  before(async () => {
    room = await openCheckoutRoom(ENGINES.at(-1) ?? "embedded", { receiptsStay: true });
    for (const id of OTHER_CARDS) await room.manage.post(`requisites/${id}`, { enabled: false });
    payer = await room.payer();
  });
  after(() => room?.close());

  /** Dresses shop, order and card in the texts; the answer is the invoice. */
  const dress = async (shop: string, order: string, receiver: string): Promise<string> => {
    await room.manage.post(`shops/${LINK_SHOP.id}`, { title: shop });
    await room.manage.post(`requisites/${CARD}`, { receiver_name: receiver });
    const back = `https://shop.example/ok?q=${order}#${order}`;
    return room.issued({
      order_id: order,
      comment: order,
      custom_fields: { [order]: order },
      success_url: back,
      fail_url: back,
    });
  };
  const visit = async (id: string, asked: string): Promise<[shape: string, texts: Texts]> => {
    const query = new URLSearchParams({ service: asked, from: asked, lang: asked });
    await payer.page.goto(`${room.baseUrl}/pay/${id}?${query}&${encodeURIComponent(asked)}`);
    return payer.page.evaluate(`[${SHAPE}, ${TEXTS}]`);
  };
  const assertQuiet = (text: string): void => {
    assert.deepEqual(payer.complaints(), [], text);
    assert.deepEqual([...payer.strangers], [], text);
  };

  it("each is text in each field, while waiting and when paid", async () => {
    const plain = await dress("Shop", "order", "Receiver");
    const [waiting] = await visit(plain, "x");
    await room.transfer(plain);
    const [paid] = await visit(plain, "x");
    assert.match(waiting, /^HTML lang\n/);
    for (const [index, text] of PACKS.entries()) {
      // Every text comes to every field, in turns.
      const turn = (step: number): string => PACKS[(index + step) % PACKS.length] ?? "";
      const [shop, receiver, asked] = [turn(1), turn(2), turn(3)];
      const order = `${index} ${text}`;
      const id = await dress(shop, order, receiver);
      const [shape, details] = await visit(id, asked);
      assert.equal(shape, waiting, text);
      assert.equal(details.shop, shop);
      assert.equal(details.order, order);
      assert.ok(details.values.includes(receiver), receiver);
      await room.transfer(id, text);
      const [ending, receipt] = await visit(id, asked);
      assert.equal(ending, paid, text);
      assert.ok(receipt.values.includes(order), order);
      for (const { links, xss } of [details, receipt]) {
        assert.equal(xss, undefined, text);
        assert.deepEqual(links, [["shop.example", `Back to ${shop} (shop.example)`]]);
      }
      assertQuiet(text);
    }
  });

  it("a page that changes by itself takes over text only", async () => {
    const text = `"><img src=x onerror=window.__xss=1><script>window.__xss=1</script>`;
    const id = await dress(text, `changing ${text}`, text);
    const contact = { support: `https://shop.example/help/${text}?q=${text}` };
    await room.manage.post(`shops/${LINK_SHOP.id}`, contact);
    await visit(id, "x");
    await room.transfer(id, text);
    await payer.page.getByRole("heading", { name: "Paid" }).waitFor();
    const receipt = await payer.page.evaluate<Texts>(TEXTS);
    assert.equal(receipt.xss, undefined);
    assert.ok(receipt.values.includes(`changing ${text}`));
    assert.deepEqual(
      receipt.links.map(([host]) => host),
      ["shop.example", "shop.example"],
    );
    assertQuiet(text);
  });

  it("each is only a word in forms and addresses of every page", async () => {
    const [id, issued] = [await room.link(), await room.issued()];
    await room.manage.post(`shops/${LINK_SHOP.id}`, { clear: ["title", "support"] });
    const shapes = new Map<string, string>();
    await payer.page.goto(`${room.baseUrl}/icon.svg`);
    for (const text of HOSTILE_TEXTS) {
      // Nobody asks for so much at one moment.
      room.gateway.clock.advance(1);
      const query = new URLSearchParams({ lang: text, paid: text, service: text, change: text });
      const form = new URLSearchParams({ service: text, bank: text });
      const asked = [
        ["home", `/?${query}`],
        ["demo", `/demo?${query}`],
        ["choice", `/pay/${id}?${query}`],
        ["nothing", `/pay/${encodeURIComponent(text)}?${query}`],
        ["form", `/pay/${id}`, String(form)],
        ["word", `/pay/${issued}/paid`, String(new URLSearchParams({ bank: text, when: text }))],
        ["missing", `/${encodeURIComponent(text)}?${query}`],
      ];
      // The pages' own texts, parsed as the browser parses them but never run: hundreds in no time.
      const found = await payer.page.evaluate<[name: string, shape: string][]>(`(async () => {
        const type = { "content-type": "application/x-www-form-urlencoded" };
        return Promise.all(${JSON.stringify(asked)}.map(async ([name, path, body]) => {
          const accept = { headers: { accept: "text/html" } };
          const options = body === undefined ? accept : { method: "POST", headers: type, body };
          const text = await (await fetch(path, options)).text();
          const parsed = new DOMParser().parseFromString(text, "text/html");
          const all = [...parsed.querySelectorAll("*")];
          const shape = all.map((one) => one.tagName + " " + one.getAttributeNames().join(" "));
          return [name, shape.join("\\n")];
        }));
      })()`);
      for (const [name, shape] of found) {
        if (!shapes.has(name)) shapes.set(name, shape);
        assert.equal(shape, shapes.get(name), `${name}: ${text}`);
      }
      // A form or a path that makes no sense is refused, which the console says.
      assert.doesNotMatch(payer.complaints().join("\n"), /Content Security|dialog|__xss/);
    }
    assert.equal(shapes.size, 7);
    assert.deepEqual([...payer.strangers], []);
  });
});
