// What every screen is put together from. Whatever somebody wrote goes through the template, which escapes
// it, and stands in an element of its own, so that it cannot turn the text around it.

import { momentFormat } from "../../domain/moment.ts";
import { minorFromNumber, toDecimalText } from "../../domain/money.ts";
import type { Language } from "../../platform/failure.ts";
import { type Html, html, type Part } from "../../platform/html.ts";
import { DECIMAL, distanceText, fullMomentText, type Look, signOf, thousands } from "./locale.ts";
import { standingOf, stateWord, WORDS } from "./words.ts";

/** A state: its shape, its colour and its word. */
export function chip(state: string, { language }: Look): Html {
  return html`<span class="chip ${standingOf(state)}">${stateWord(state, language)}</span>`;
}

const NONE = html`<span class="none">—</span>`;

/** A decimal number of the wire; without a currency where the column's head carries it. */
export function money(amount: number | null, { language }: Look, currency?: string): Html {
  if (amount === null) return NONE;
  return html`<span class="money">${moneyText(amount, language, currency)}</span>`;
}

/** 1 519.80 and 1 519,80; −20.00. What is no amount of the wire, such as a mean, is rounded to kopecks. */
export function moneyText(amount: number, language: Language, currency?: string): string {
  if (!Number.isFinite(amount)) return "—";
  const size = Math.abs(amount);
  const minor = minorFromNumber(size) ?? BigInt(Math.round(size * 100));
  const [whole = "", kopecks = ""] = toDecimalText(minor).split(".");
  const sign = amount < 0 && minor > 0n ? "−" : "";
  const unit = currency === undefined ? "" : `\u00a0${signOf(currency)}`;
  return `${sign}${thousands(whole)}${DECIMAL[language]}${kopecks}${unit}`;
}

/** How long ago, within a day; the moment in full is its title. A day stays a day. */
export function moment(iso: string | null, look: Look): Html {
  if (iso === null) return NONE;
  const at = new Date(iso);
  const text = momentText(iso, look);
  if (!iso.includes("T") || Number.isNaN(at.getTime()))
    return html`<span class="when">${text}</span>`;
  const distance = distanceText(at, look);
  return html`<time datetime="${at.toISOString()}" title="${fullMomentText(at, look)}"${
    distance !== undefined && html` data-ago`
  }>${distance ?? text}</time>`;
}

const DAY = /^\d{4}-\d\d-\d\d$/;

/** 14 Nov, 14:02; of another year, 14 Nov 2025, 14:02; of a day, the day. What is no moment stays as it is. */
export function momentText(iso: string, { language, zone, now }: Look): string {
  const isDay = DAY.test(iso);
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  const format = momentFormat(zone);
  const text = isDay ? iso : format.text(at);
  const year = text.slice(0, 4) === format.text(now).slice(0, 4) ? "" : ` ${text.slice(0, 4)}`;
  const month = WORDS[language].months.split(" ")[Number(text.slice(5, 7)) - 1];
  const day = `${Number(text.slice(8, 10))} ${month}${year}`.replaceAll(" ", "\u00a0");
  return isDay ? day : `${day}, ${text.slice(11, 16)}`;
}

/** Cut in the middle, whole in its title, copied whole. The script shows the button: without it nothing copies. */
export function shortId(id: string, href?: string): Html {
  const cut = id.length > 13 ? `${id.slice(0, 6)}…${id.slice(-4)}` : id;
  const code = html`<code title="${id}">${cut}</code>`;
  return html`<span class="id">${href === undefined ? code : html`<a href="${href}">${code}</a>`}${copyButton(id, cut)}</span>`;
}

function copyButton(text: string, label: string): Html {
  return html`<button type="button" class="copy" data-copy="${text}" data-label="${label}" hidden></button>`;
}

/** A number, a key, a line for the terminal, with a button that copies it. */
export function copyable(text: string, label: string): Html {
  return html`<span class="copyable"><code>${text}</code>${copyButton(text, label)}</span>`;
}

/** How much of a limit is used; where there is none, only the words. */
export function meter(value: number, limit: number | null, words: string): Html {
  if (limit === null || limit <= 0) return html`<span class="meter">${words}</span>`;
  return html`<label class="meter"><meter min="0" max="${limit}" high="${limit * 0.8}" optimum="0" value="${Math.min(value, limit)}"></meter><span>${words}</span></label>`;
}

export function facts(rows: readonly (readonly [string, Part])[]): Html {
  return html`<dl class="facts">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value ?? NONE}</dd></div>`)}</dl>`;
}

/** Large figures side by side, each with its name and what it is to be compared with. */
export function figures(
  rows: readonly (readonly [name: string, value: Part, more?: Part])[],
): Html {
  return html`<dl class="figures">${rows.map(
    ([name, value, more]) =>
      html`<div><dt>${name}</dt><dd><b>${value}</b>${more && html`<span>${more}</span>`}</dd></div>`,
  )}</dl>`;
}

export function card(title: string | undefined, body: Part, actions?: Part): Html {
  const head =
    title !== undefined || actions !== undefined
      ? html`<div class="head">${title !== undefined && html`<h2>${title}</h2>`}${
          actions !== undefined && html`<div class="acts">${actions}</div>`
        }</div>`
      : html``;
  return html`<section class="card">${head}${body}</section>`;
}

export function notice(kind: "good" | "warn" | "bad" | "plain", body: Part): Html {
  return html`<div class="notice ${kind}">${body}</div>`;
}

/** Where nothing is yet: what will be here, and how it comes. */
export function empty(title: string, body: Part): Html {
  return html`<div class="empty"><p><b>${title}</b></p><div>${body}</div></div>`;
}

type ButtonKind = "main" | "danger" | "plain";

export function button(
  label: Part,
  { name, value, kind = "main" }: { name?: string; value?: string; kind?: ButtonKind } = {},
): Html {
  return html`<button class="button ${kind}"${name !== undefined && html` name="${name}"`}${
    value !== undefined && html` value="${value}"`
  }>${label}</button>`;
}

/** A plain link, or one that looks like a button. */
export function link(label: Part, href: string, kind?: ButtonKind): Html {
  return html`<a href="${href}"${kind !== undefined && html` class="button ${kind}"`}>${label}</a>`;
}

export interface Column<Row> {
  readonly label: string;
  /** Of numbers. */
  readonly align?: "end";
  cell(row: Row): Part;
  /** What stands in a CSV file instead. */
  text?(row: Row): string | number | null;
}

interface Table<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** Where the row leads; its first cell becomes the link, unless that has links of its own. */
  rowHref?(row: Row): string | undefined;
}

export function table<Row>({ caption, columns, rows, rowHref }: Table<Row>): Html {
  // A head without words would head nothing.
  const heads = columns.map(({ label, align }) =>
    label === ""
      ? html`<td></td>`
      : html`<th scope="col"${align && html` class="end"`}>${label}</th>`,
  );
  const lines = rows.map((row) => {
    const href = rowHref?.(row);
    return html`<tr${href !== undefined && html` data-href="${href}"`}>${columns.map(
      (column, at) => (at === 0 ? firstCell(column, row, href) : cellOf(column, row)),
    )}</tr>`;
  });
  return html`<div class="wide" role="region" tabindex="0" aria-label="${caption}"><table class="rows"><caption class="unseen">${caption}</caption><thead><tr>${heads}</tr></thead><tbody>${lines}</tbody></table></div>`;
}

function cellOf<Row>({ label, align, cell }: Column<Row>, row: Row): Html {
  return html`<td data-label="${label}"${align && html` class="end"`}>${cell(row)}</td>`;
}

const OWN_LINK = /<(?:a|button|form|input)\b/;

function firstCell<Row>({ align, cell }: Column<Row>, row: Row, href: string | undefined): Html {
  const body = html`${cell(row)}`;
  const isLink = href !== undefined && !OWN_LINK.test(body.text);
  return html`<th scope="row"${align && html` class="end"`}>${
    isLink ? html`<a class="open" href="${href}">${body}</a>` : body
  }</th>`;
}

type Choices = readonly { readonly value: string; readonly label: string }[];

/** Ids to choose from, in the order of their names. */
export function choicesOf(names: ReadonlyMap<string, string>): Choices {
  const all = [...names].map(([value, label]) => ({ value, label }));
  return all.toSorted((left, right) => left.label.localeCompare(right.label));
}

export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly kind:
    | ("text" | "number" | "money" | "choice" | "yes" | "email" | "password" | "day" | "file")
    | ("area" | "hidden" | "new-password" | "code" | "several");
  readonly hint?: string;
  readonly value?: string;
  readonly choices?: Choices;
  readonly required?: boolean;
  readonly problem?: string;
  readonly autocomplete?: string;
}

interface Form {
  readonly action: string;
  readonly fields: readonly FormField[];
  readonly submit: string;
  readonly method?: "get" | "post";
  /** Whether what it does cannot be taken back. */
  readonly danger?: boolean;
  readonly note?: Part;
  readonly problems?: readonly string[];
  readonly hidden?: Readonly<Record<string, string>>;
  readonly look: Look;
}

export function form(wanted: Form): Html {
  const { action, fields, submit, method = "post", danger, note, hidden = {}, look } = wanted;
  const hasFile = fields.some(({ kind }) => kind === "file");
  return html`<form class="form" method="${method}" action="${action}"${
    hasFile && html` enctype="multipart/form-data"`
  }${method === "post" && html` data-warn`}>${summary(wanted)}${Object.entries(hidden).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}${fields.map((field) => fieldOf(field, look))}${
    note !== undefined && html`<div class="note">${note}</div>`
  }<div class="acts">${button(submit, { kind: danger ? "danger" : "main" })}</div></form>`;
}

/** Problems of the whole first, then each field's, with a way to the field. */
function summary({ problems = [], fields, look }: Form): Html {
  const ofFields = fields.filter(({ problem, kind }) => problem !== undefined && kind !== "hidden");
  if (problems.length + ofFields.length === 0) return html``;
  const list = html`<p><b>${WORDS[look.language].problems}</b></p><ul>${problems.map(
    (problem) => html`<li>${problem}</li>`,
  )}${ofFields.map(
    ({ name, label, problem }) => html`<li><a href="#f-${name}">${label}</a>: ${problem}</li>`,
  )}</ul>`;
  return html`<div class="problems" role="alert" tabindex="-1" autofocus>${notice("bad", list)}</div>`;
}

function fieldOf(field: FormField, look: Look): Html {
  const { name, label, kind, hint, value = "", required, problem } = field;
  if (kind === "hidden") return html`<input type="hidden" name="${name}" value="${value}">`;
  const said = html`${hint && html`<p class="hint" id="h-${name}">${hint}</p>`}${
    problem && html`<p class="problem" id="p-${name}">${problem}</p>`
  }`;
  const must = required && html` <small>${WORDS[look.language].required}</small>`;
  if (kind === "yes") {
    const box = html`<input type="checkbox" value="true"${attributesOf(field)}${value === "true" && html` checked`}>`;
    return html`<div class="field"><label class="yes">${box}<span>${label}${must}</span></label>${said}</div>`;
  }
  if (kind === "several") {
    const ticked = new Set(value.split("\n"));
    // An empty one goes along: else nothing would say that they were shown, and that the last was unticked.
    const boxes = offeredOf(field.choices, ticked).map(
      (one) =>
        html`<label class="yes"><input type="checkbox" name="${name}" value="${one.value}"${ticked.has(one.value) && html` checked`}><span>${one.label}</span></label>`,
    );
    return html`<div class="field" id="f-${name}" role="group" aria-labelledby="l-${name}"><b id="l-${name}">${label}${must}</b><input type="hidden" name="${name}" value="">${boxes}${said}</div>`;
  }
  return html`<div class="field"><label for="f-${name}">${label}${must}</label>${inputOf(field, look)}${said}</div>`;
}

/** What stands there already is among them, however few are offered: else a change of something else would lose it. */
function offeredOf(choices: Choices = [], values: Iterable<string>): Choices {
  const known = new Set(choices.map(({ value }) => value));
  const others = [...values].filter((value) => value !== "" && !known.has(value));
  return [...choices, ...others.map((value) => ({ value, label: value }))];
}

function attributesOf({ name, hint, required, problem, autocomplete }: FormField): Html {
  const told = [hint && `h-${name}`, problem && `p-${name}`].filter(Boolean).join(" ");
  return html` id="f-${name}" name="${name}"${required && html` required`}${
    autocomplete && html` autocomplete="${autocomplete}"`
  }${told !== "" && html` aria-describedby="${told}"`}${problem && html` aria-invalid="true"`}`;
}

/** What a kind says of its input beside what every field says. */
const INPUTS: Readonly<Record<string, { type: string; mode?: string; fills?: string }>> = {
  number: { type: "text", mode: "decimal" },
  money: { type: "text", mode: "decimal" },
  email: { type: "email", fills: "email" },
  password: { type: "password", fills: "current-password" },
  "new-password": { type: "password", fills: "new-password" },
  code: { type: "text", mode: "numeric", fills: "one-time-code" },
  day: { type: "date" },
  file: { type: "file" },
};

function inputOf(field: FormField, { language }: Look): Html {
  const { kind, value = "", required } = field;
  if (kind === "area") {
    return html`<textarea rows="4"${attributesOf(field)}>\n${value}</textarea>`;
  }
  if (kind === "choice") {
    const isOpen = !required || value === "";
    return html`<select${attributesOf(field)}>${
      isOpen && html`<option value="">${required ? WORDS[language].choose : "—"}</option>`
    }${offeredOf(field.choices, [value]).map(
      (choice) =>
        html`<option value="${choice.value}"${choice.value === value && html` selected`}>${choice.label}</option>`,
    )}</select>`;
  }
  const { type, mode, fills } = INPUTS[kind] ?? { type: "text" };
  const known = { ...(fills && { autocomplete: fills }), ...field };
  const isSecret = type === "password" || type === "file";
  return html`<input type="${type}" class="${kind}"${attributesOf(known)}${mode && html` inputmode="${mode}"`}${
    !isSecret && value !== "" && html` value="${value}"`
  }>`;
}
