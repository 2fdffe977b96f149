// A form: one column, the label above its field, what is wrong beside it and once more in a summary that
// takes the focus. Guards that nothing but a POST changes anything, and that a password is never sent back.

import { type Html, html, type Part } from "../../platform/html.ts";
import type { Look } from "./look.ts";
import { button, notice } from "./pieces.ts";
import { WORDS } from "./words.ts";

export type Choices = readonly { readonly value: string; readonly label: string }[];

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

export interface Form {
  readonly action: string;
  readonly fields: readonly FormField[];
  readonly submit: string;
  readonly method?: "get" | "post";
  /** Whether what it does cannot be taken back. */
  readonly danger?: boolean;
  readonly note?: Part;
  /** A button that asks for the page again, with what was typed in its address. */
  readonly preview?: string;
  readonly problems?: readonly string[];
  readonly hidden?: Readonly<Record<string, string>>;
  readonly look: Look;
}

export function form(wanted: Form): Html {
  const {
    action,
    fields,
    submit,
    method = "post",
    danger,
    note,
    preview,
    hidden = {},
    look,
  } = wanted;
  const hasFile = fields.some(({ kind }) => kind === "file");
  return html`<form class="form" method="${method}" action="${action}"${
    hasFile && html` enctype="multipart/form-data"`
  }${method === "post" && html` data-warn`}>${summary(wanted)}${Object.entries(hidden).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}${fields.map((field) => fieldOf(field, look))}${
    note !== undefined && html`<div class="note">${note}</div>`
  }<div class="acts">${button(submit, { kind: danger ? "danger" : "main" })}${
    preview !== undefined &&
    html`<button class="button plain" formmethod="get" formnovalidate>${preview}</button>`
  }</div></form>`;
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
