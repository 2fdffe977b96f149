// A list of a door as a page: what to look for in the address, the rows, the next page, and the same rows as a
// file. Guards that what one sees is exactly what the address says, so that it can be sent to somebody else.

import { momentFormat } from "../../domain/moment.ts";
import { Refusal } from "../../domain/refusal.ts";
import { perApp } from "../../platform/app.ts";
import { fromTexts } from "../../platform/ask.ts";
import type { Asked } from "../../platform/endpoint.ts";
import { type Failure, HttpFailure, isFailure } from "../../platform/failure.ts";
import { type Html, html, type Part } from "../../platform/html.ts";
import { momentOf } from "../../platform/id.ts";
import type { PageAnswer, WebPage } from "../../platform/web-page.ts";
import { dayAfter } from "../screens/chart.ts";
import type { Look } from "../screens/locale.ts";
import {
  type Column,
  empty,
  type FormField,
  form,
  link,
  momentText,
  table,
} from "../screens/pieces.ts";
import {
  columnsOf,
  fieldOf,
  itemFields,
  type Named,
  problemOf,
  withChoices,
  withNames,
} from "./cells.ts";
import { csvText, cutWords, fileNameOf, fileParts } from "./list-file.ts";
import type { Screen, Sight, Site, Words } from "./site.ts";

/** What the address asks for; of what stands there several times, the last. */
function askedIn<Who>({ visit }: Sight<Who>, name: string): string | undefined {
  return [visit.sent[name] ?? []].flat().at(-1);
}

/** Another tab may have turned to another merchant since: then what this one leads to is not what it shows. */
function refuseOther<Who>(sight: Sight<Who>): void {
  if ((askedIn(sight, "of") ?? sight.formOf) !== sight.formOf) throw new Refusal("wrong_merchant");
}

/** A day that somebody chose begins where the gateway is, as days of statistics do. */
function dayAsMoment<Sent>(sent: Sent, { look }: { readonly look: Look }): Sent | string {
  return isDay(sent) ? momentFormat(look.zone).startOf(sent).toISOString() : sent;
}

/** Who chooses the last day of a period means all of it: doors take the first moment that is past it. */
function dayEnd<Sent>(sent: Sent, { look }: { readonly look: Look }): Sent | string {
  const next = isDay(sent) ? dayAfter(sent) : undefined;
  return isDay(next) ? momentFormat(look.zone).startOf(next).toISOString() : sent;
}

/** What is no day, or none that anything here can be of, is the door's to refuse. */
function isDay(sent: unknown): sent is string {
  const isWritten = typeof sent === "string" && /^\d{4}-\d\d-\d\d$/.test(sent);
  return isWritten && Date.parse(sent) > 0 && new Date(sent).toISOString().startsWith(sent);
}

/** The same address with something changed; an empty text leaves it out. */
export function addressOf(
  path: string,
  query: string,
  changes: Readonly<Record<string, string>>,
): string {
  const wanted = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === "") wanted.delete(name);
    else wanted.set(name, value);
  }
  for (const [name, value] of [...wanted]) if (value === "") wanted.delete(name);
  return wanted.size === 0 ? path : `${path}?${wanted}`;
}

interface Listed<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

type Wished<Item> = readonly (string | Named | Column<NoInfer<Item>>)[];

interface ListDefinition<Who, Input, Item extends object> {
  readonly path: string;
  readonly title: Words;
  readonly door: Asked<Input, Listed<Item>>;
  /** Names of fields, or columns of the page's own, which may have to ask about the rows. */
  columns(sight: Sight<Who>, items: readonly Item[]): Wished<Item> | Promise<Wished<Item>>;
  /** What it can be searched by. */
  readonly filters?: readonly (string | Named)[];
  open?(item: Item, root: string): string | undefined;
  /** What stands above the rows, such as a button to make one more. */
  above?(sight: Sight<Who>): Part | Promise<Part>;
  readonly nothing: Words;
  readonly command?: string;
  /** The topic whose news it counts. */
  readonly live?: string;
}

const WORDS = {
  en: {
    search: "Search",
    next: "Older",
    first: "Newest",
    csv: "As CSV",
    all: "Clear",
    none: "Nothing fits",
    noMore: "Nothing older fits",
    soFar: "Nothing fits so far",
    backTo: (moment: string) => `Nothing fits so far: looked through back to ${moment}`,
    older: "Older ones may fit.",
    further: "Look further",
  },
  ru: {
    search: "Найти",
    next: "Старее",
    first: "Новейшие",
    csv: "В CSV",
    all: "Сбросить",
    none: "Ничего не подходит",
    noMore: "Более старых подходящих нет",
    soFar: "Пока ничего не подошло",
    backTo: (moment: string) => `Пока ничего не подошло: просмотрено назад до ${moment}`,
    older: "Более старые могут подойти.",
    further: "Искать дальше",
  },
};

/**
 * A door looks through 2,000 rows at most for a page, those of several shops together. Where none of them fits, as many
 * pages more are asked for before a person has to: together that takes a quarter of a second.
 */
const MORE_PAGES = 9;

/** A place of a list whose rows are in the order that they were made in. */
const MADE_AT_A_MOMENT = /^[0-9a-f]{8}-[0-9a-f]{4}-7/;

function momentIn(next: string, look: Look): string | undefined {
  return MADE_AT_A_MOMENT.test(next) ? momentText(momentOf(next).toISOString(), look) : undefined;
}

/** A file reads for as long as its reader takes: one merchant or session must not hold every connection. */
const MAX_FILES = 2;

/** Of each file under way, the session and merchant it counts for. */
const filesUnderWay = perApp(() => new Set<readonly string[]>());

/** Throws past the limit; the returned function makes room again. */
function beginFile<Who>({ app, session, formOf }: Sight<Who>): () => void {
  const files = filesUnderWay(app);
  const keys = formOf === "" ? [session.id] : [session.id, formOf];
  for (const key of keys) {
    const own = [...files].filter((file) => file.includes(key));
    if (own.length >= MAX_FILES) throw new HttpFailure("overloaded");
  }
  files.add(keys);
  return () => files.delete(keys);
}

const CSV_PAGE = 100;
/** Past that, from where it ends another file goes on. */
const CSV_ROWS = 100_000;

export function listPages<Who, Input, Item extends object>(
  site: Site<Who>,
  list: ListDefinition<Who, Input, Item>,
): readonly WebPage[] {
  const { door, filters: sought = [] } = list;
  const filters = sought.map((one) => (typeof one === "string" ? one : one.name));
  const fields = itemFields(door);

  const wantedOf = (sight: Sight<Who>, names: readonly string[]) =>
    names.map((name) => {
      const sent = askedIn(sight, name);
      return [name, name === "to" ? dayEnd(sent, sight) : dayAsMoment(sent, sight)] as const;
    });
  const inputOf = (sight: Sight<Who>, more: object = {}): Input => {
    const wanted = Object.fromEntries(wantedOf(sight, [...filters, "after"]));
    return { ...fromTexts(door, { ...wanted, ...sight.visit.params }), ...more };
  };
  /** What a person sees by a filter, a command is asked for by the same. */
  const commandOf = (sight: Sight<Who>): string | undefined => {
    const places = Object.values(sight.visit.params);
    const options = wantedOf(sight, filters).flatMap(([name, value]) =>
      typeof value === "string" && value !== ""
        ? [`--${name.replaceAll("_", "-")}=${asShellWord(value)}`]
        : [],
    );
    return list.command && [list.command, ...places.map(asShellWord), ...options].join(" ");
  };
  const shownColumns = async (sight: Sight<Who>, items: readonly Item[]): Promise<Column<Item>[]> =>
    columnsOf(
      await withNames<Who, Item>(sight, await list.columns(sight, items), items),
      fields,
      sight,
    );
  // Buttons are no part of a file. A page shows sums with their sign; in a file they are bare, so it always says what
  // of. Last, where no formula of somebody's is moved by it.
  const fileColumnsOf = async (sight: Sight<Who>, items: readonly Item[]) => {
    const isOfMoney = fields["currency"] !== undefined;
    const currency = columnsOf<Item>(isOfMoney ? ["currency"] : [], fields, sight);
    const told = (await shownColumns(sight, items)).filter(({ text }) => text !== undefined);
    return [...told, ...currency];
  };

  const isSearched = (sight: Sight<Who>): boolean => filters.some((name) => askedIn(sight, name));

  /** The page that the address says, or the next one that has a row. */
  const firstFound = async (
    sight: Sight<Who>,
  ): Promise<Listed<Item> & { readonly failure?: Failure }> => {
    let page = await sight.ask(door, inputOf(sight));
    for (
      let more = 0;
      more < MORE_PAGES && page.items.length === 0 && page.next !== null;
      more += 1
    )
      page = await sight.ask(door, inputOf(sight, { after: page.next }));
    return page;
  };

  /** Nothing is said to be there only where all of it was looked through. */
  const nothingHere = (sight: Sight<Who>, next: string | null): Html => {
    const { look, say } = sight;
    const words = WORDS[look.language];
    if (next !== null) {
      const moment = momentIn(next, look);
      return empty(`${moment ? words.backTo(moment) : words.soFar}.`, words.older);
    }
    if (askedIn(sight, "after") !== undefined) return empty(words.noMore, "");
    return empty(isSearched(sight) ? words.none : say(list.nothing), "");
  };

  const show = async (sight: Sight<Who>): Promise<Screen> => {
    const { visit, look, say, root } = sight;
    const { items, next, failure } = await firstFound(sight).catch(unsearchable);
    const words = WORDS[look.language];
    const isFirst = askedIn(sight, "after") === undefined;
    const [path = "", query = ""] = visit.url.split("?");
    const rows =
      failure !== undefined
        ? ""
        : items.length === 0
          ? nothingHere(sight, next)
          : table({
              caption: say(list.title),
              columns: await shownColumns(sight, items),
              rows: items,
              rowHref: (item) => list.open?.(item, root),
            });
    const body = html`${await list.above?.(sight)}${await filterForm(sight, path, failure)}${rows}<nav class="pages">${
      !isFirst &&
      html`<a rel="prev" href="${addressOf(path, query, { after: "" })}">${words.first}</a>`
    }${next !== null && html`<a rel="next" href="${addressOf(path, query, { after: next })}">${items.length > 0 ? words.next : words.further}</a>`}${
      failure === undefined &&
      (items.length > 0 || next !== null || !isFirst) &&
      link(words.csv, addressOf(`${path}.csv`, query, { after: "", of: sight.formOf }))
    }</nav>`;
    return {
      title: say(list.title),
      body,
      command: commandOf(sight),
      ...(list.live !== undefined && isFirst ? { live: { of: list.live, mode: "list" } } : {}),
      ...(failure && { status: failure.status }),
    };
  };

  /** What was typed into a filter and is nothing to look for stands there again, with what is wrong. */
  const unsearchable = (error: unknown) => {
    const isTyped = isFailure(error) && error.fields?.every((name) => filters.includes(name));
    if (!isTyped || error.status !== 422) throw error;
    return { items: [], next: null, failure: error };
  };

  const filterForm = async (
    sight: Sight<Who>,
    path: string,
    failure?: Failure,
  ): Promise<Html | false> => {
    if (filters.length === 0) return false;
    const wanted = (await withChoices(sight, sought)).map(({ name, ...own }): FormField => {
      const value = askedIn(sight, name) ?? "";
      const { hint: _hint, ...field } = fieldOf(door, name, sight.look, { ...own, value });
      const problem = problemOf(failure, name, sight.look);
      return { ...field, required: false, ...(problem !== undefined && { problem }) };
    });
    const words = WORDS[sight.look.language];
    const asked = form({
      action: path,
      method: "get",
      fields: wanted,
      submit: words.search,
      look: sight.look,
    });
    return html`<details class="filters"${isSearched(sight) && html` open`}><summary>${words.search}</summary>${asked}${isSearched(sight) && link(words.all, path)}</details>`;
  };

  const download = async (sight: Sight<Who>): Promise<PageAnswer> => {
    const { language } = sight.look;
    refuseOther(sight);
    // Refuse before the file counts as under way.
    const asked = inputOf(sight, { limit: CSV_PAGE });
    const names = fileNameOf(list.path, sight, (name) => askedIn(sight, name));
    const end = beginFile(sight);
    const first = await sight.ask(door, asked).catch((error: unknown) => {
      end();
      throw error;
    });
    const parts = fileParts(first, {
      most: CSV_ROWS,
      pageAfter: (after) => sight.ask(door, inputOf(sight, { limit: CSV_PAGE, after })),
      async textOf(items, withHead) {
        const columns = await fileColumnsOf(sight, items);
        const rows = items.map((item) => columns.map(({ text }) => text?.(item) ?? null));
        const head = columns.map(({ label }) => label);
        return csvText(head, rows, language, { withHead });
      },
      cutAt(next) {
        const words = cutWords(sight.look, CSV_ROWS, momentIn(next, sight.look));
        return csvText([], [[words]], language, { withHead: false });
      },
    });
    return { kind: "rows", ...names, parts, end };
  };

  return [
    site.page({ path: list.path, show }),
    site.page({ path: `${list.path}.csv`, show: download }),
  ];
}

/** As one word of a shell, whatever stands in it. */
function asShellWord(text: string): string {
  return /^[\w.:@+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
