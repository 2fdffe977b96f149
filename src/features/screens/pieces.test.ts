// What the pieces say of amounts, moments and states, and that nothing somebody wrote becomes markup.

import assert from "node:assert/strict";
import { it } from "node:test";
import { frame } from "../people/site.ts";
import type { Look } from "./locale.ts";
import {
  button,
  type Column,
  card,
  chip,
  copyable,
  empty,
  type FormField,
  facts,
  figures,
  form,
  link,
  meter,
  moment,
  momentText,
  money,
  moneyText,
  notice,
  shortId,
  table,
} from "./pieces.ts";

const EN: Look = { language: "en", zone: "Europe/Moscow", now: new Date("2026-11-15T12:00:00Z") };
const RU: Look = { ...EN, language: "ru" };
const HOSTILE = `"><script>alert('1')</script>`;

it("money is exact, with thin spaces, and a minus that is one", () => {
  const said = [0, 1519.8, -20, 1_234_567.89, 9_007_199_254_740.99, -0.001, 0.1 + 0.2];
  assert.deepEqual(
    said.map((amount) => moneyText(amount, "en").replaceAll("\u202f", " ")),
    ["0.00", "1 519.80", "−20.00", "1 234 567.89", "9 007 199 254 740.99", "0.00", "0.30"],
  );
  assert.equal(money(1519.8, RU, "RUB").text, `<span class="money">1\u202f519,80\u00a0₽</span>`);
  assert.match(money(null, EN).text, /—/);
});

it("a moment within a day is told by its distance, else by its day; the whole is its title", () => {
  const texts = (look: Look): string[] =>
    [
      "2026-11-15T11:59:50Z",
      "2026-11-15T11:15:00Z",
      "2026-11-15T15:00:00Z",
      "2026-11-14T11:59:00Z",
      "2025-12-31T21:30:00Z",
      "2025-11-14",
    ].map((iso) =>
      moment(iso, look)
        .text.replace(/<[^>]*>/g, "")
        .replaceAll("\u00a0", " "),
    );
  assert.deepEqual(texts(EN), [
    "just now",
    "45 min ago",
    "in 3 h",
    "14 Nov, 14:59",
    "1 Jan, 00:30",
    "14 Nov 2025",
  ]);
  assert.deepEqual(texts(RU).slice(1, 4), ["45 мин назад", "через 3 ч", "14 ноя, 14:59"]);
  assert.match(moment("2026-11-15T11:15:00Z", EN).text, /title="2026-11-15 14:15:00 MSK" data-ago/);
  assert.equal(momentText("whenever", EN), "whenever");
});

it("a state has a kind and a word, an unknown one its own name", () => {
  assert.equal(chip("suspense", RU).text, `<span class="chip wait">Не выяснен</span>`);
  assert.equal(chip("half_done", EN).text, `<span class="chip over">Half done</span>`);
  assert.equal(chip("constructor", EN).text, `<span class="chip over">Constructor</span>`);
});

it("nothing that somebody wrote becomes markup, anywhere", () => {
  const field: Omit<FormField, "kind"> = {
    name: "n",
    label: HOSTILE,
    hint: HOSTILE,
    value: HOSTILE,
    problem: HOSTILE,
  };
  const kinds = ["text", "area", "yes", "choice", "hidden"] as const;
  const body = [
    chip(HOSTILE, EN),
    money(1, EN, HOSTILE),
    moment(HOSTILE, EN),
    shortId(HOSTILE, HOSTILE),
    copyable(HOSTILE, HOSTILE),
    meter(1, 2, HOSTILE),
    facts([[HOSTILE, HOSTILE]]),
    figures([[HOSTILE, HOSTILE, HOSTILE]]),
    card(HOSTILE, HOSTILE, HOSTILE),
    notice("bad", HOSTILE),
    empty(HOSTILE, HOSTILE),
    link(HOSTILE, HOSTILE, "plain"),
    button(HOSTILE, { name: HOSTILE, value: HOSTILE }),
    form({
      action: HOSTILE,
      submit: HOSTILE,
      note: HOSTILE,
      problems: [HOSTILE],
      look: EN,
      hidden: { [HOSTILE]: HOSTILE },
      fields: kinds.map((kind) => ({
        ...field,
        kind,
        choices: [{ value: HOSTILE, label: HOSTILE }],
      })),
    }),
    table({
      caption: HOSTILE,
      columns: [HOSTILE, "b"].map(
        (label): Column<string> => ({ label, cell: (row: string) => row }),
      ),
      rows: [HOSTILE],
      rowHref: (row) => row,
    }),
  ];
  const page = frame({
    site: { name: HOSTILE, root: HOSTILE },
    title: HOSTILE,
    language: "en",
    body,
    person: { name: HOSTILE },
    places: [{ label: HOSTILE, href: HOSTILE, isHere: true }],
    merchant: HOSTILE,
    ribbon: HOSTILE,
    command: HOSTILE,
    live: HOSTILE,
    of: HOSTILE,
    keys: true,
    now: EN.now,
  }).text;
  assert.doesNotMatch(page, /<script|alert\('| style=| on\w+="/);
  assert.doesNotMatch(page, /""?>&lt;script/);
});

it("a row's first cell is its link, unless it has links of its own", () => {
  const rowsOf = (cell: () => ReturnType<typeof link> | string): string =>
    table({ caption: "c", columns: [{ label: "l", cell }], rows: [1], rowHref: () => "/r" }).text;
  assert.match(rowsOf(() => "A").toString(), /<a class="open" href="\/r">A<\/a>/);
  assert.doesNotMatch(
    rowsOf(() => link("A", "/own")),
    /class="open"/,
  );
});

it("a form says what is wrong beside the field and in its summary, and never sends a secret back", () => {
  const { text } = form({
    action: "/x",
    submit: "Save",
    look: EN,
    problems: ["Not now."],
    fields: [
      { name: "amount", label: "Amount", kind: "money", required: true, problem: "Too large." },
      { name: "password", label: "Password", kind: "password", value: "secret" },
    ],
  });
  assert.match(text, /role="alert" tabindex="-1" autofocus>.*Not now\..*href="#f-amount"/s);
  assert.match(
    text,
    /required aria-describedby="p-amount" aria-invalid="true" inputmode="decimal"/,
  );
  assert.match(text, /Amount <small>required<\/small>/);
  assert.doesNotMatch(text, /secret/);
});
