// What the screens say by themselves, and what the wire's own names are called, in both languages. Guards
// that a name nobody has a word for is still shown readable, and never as an empty place.

import type { Language } from "../../platform/failure.ts";
import { LABELS } from "./labels.ts";
import { CODES, STATES, type Standing } from "./states.ts";

const EN = {
  skip: "Skip to the content",
  places: "Places",
  menu: "Menu",
  find: "Find",
  findWhat: "ID, order, digits…",
  keys: "Keyboard",
  keysList: [
    ["⌘K · Ctrl K", "find anything"],
    ["/", "search field"],
    ["g then h i t r p e m", "home, invoices, transfers, requisites, payouts, events, merchants"],
    ["j k", "next row, row before"],
    ["Enter", "open the row"],
    ["x", "mark the row"],
    ["[ ]", "newer, older"],
    ["c", "copy the ID"],
    ["?", "this list"],
  ],
  close: "Close",
  signOut: "Sign out",
  command: "As a command",
  required: "required",
  problems: "Please correct this:",
  choose: "Choose…",
  numbers: "Numbers",
  total: "Total",
  soFar: "so far",
  noData: "Nothing to draw yet",
  noDataText: "Once there are figures for this period, they stand here.",
  nothingYet: "Nothing here yet",
  nothingYetText: "What comes will stand here, the newest first.",
  now: "just now",
  soon: "in a moment",
  units: { minute: "min", hour: "h" },
  past: (span: string) => `${span} ago`,
  future: (span: string) => `in ${span}`,
  months: "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
};

type Words = typeof EN;

const RU: Words = {
  skip: "К содержанию",
  places: "Разделы",
  menu: "Меню",
  find: "Найти",
  findWhat: "ID, заказ, цифры…",
  keys: "Клавиши",
  keysList: [
    ["⌘K · Ctrl K", "найти что угодно"],
    ["/", "поле поиска"],
    ["g, затем h i t r p e m", "главная, счета, переводы, реквизиты, выводы, события, мерчанты"],
    ["j k", "следующая и предыдущая строка"],
    ["Enter", "открыть строку"],
    ["x", "отметить строку"],
    ["[ ]", "новее, старее"],
    ["c", "скопировать ID"],
    ["?", "этот список"],
  ],
  close: "Закрыть",
  signOut: "Выйти",
  command: "Команда",
  required: "обязательно",
  problems: "Пожалуйста, исправьте:",
  choose: "Выберите…",
  numbers: "Числа",
  total: "Всего",
  soFar: "пока",
  noData: "Данных пока нет",
  noDataText: "Когда за этот период появятся числа, они будут здесь.",
  nothingYet: "Здесь пока ничего нет",
  nothingYetText: "Новые записи появятся здесь, сверху.",
  now: "только что",
  soon: "вот-вот",
  units: { minute: "мин", hour: "ч" },
  past: (span) => `${span} назад`,
  future: (span) => `через ${span}`,
  months: "янв фев мар апр мая июн июл авг сен окт ноя дек",
};

export const WORDS: Readonly<Record<Language, Words>> = { en: EN, ru: RU };

type Pair = Readonly<Record<Language, string>>;

/** Whatever is written is no name of an object's own, such as `constructor`. */
function read<Value>(
  text: string,
  of: (cells: readonly string[]) => [string, Value],
): Map<string, Value> {
  return new Map(
    text
      .trim()
      .split("\n")
      .map((line) => of(line.split("|"))),
  );
}

const pair = ([name = "", en = "", ru = ""]: readonly string[]): [string, Pair] => [
  name,
  { en, ru },
];

const labels = read(LABELS, pair);
const states = read(STATES, (cells) => pair(cells.slice(1)));
const codes = read(CODES, pair);
const standings = new Map(
  STATES.trim()
    .split("\n")
    .map((line) => line.split("|"))
    .map(([standing, state = ""]) => [state, standing as Standing]),
);

/** received_at is "Received"; of a field that has no label, its own name with spaces. */
export function labelOf(field: string, language: Language): string {
  return labels.get(field)?.[language] ?? plain(field);
}

export function stateWord(state: string, language: Language): string {
  return (states.get(state) ?? codes.get(state))?.[language] ?? plain(state);
}

/** Of a kind, a reason, a method, a bank, a role. */
export function wordOf(code: string, language: Language): string {
  return (codes.get(code) ?? states.get(code))?.[language] ?? code;
}

/** Nothing but a cancel makes an invoice fail: the wire keeps its word, people read what happened. */
export function invoiceState(state: string): string {
  return state === "failed" ? "canceled" : state;
}

export function standingOf(state: string): Standing {
  return standings.get(state) ?? "over";
}

export function hasLabel(field: string): boolean {
  return labels.has(field);
}

function plain(name: string): string {
  const text = name.replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
