// /desk/imports: statements of banks, brought as files: first what one would do, then the same for real. Guards that
// nothing is stored before somebody has seen it.

import { html, type Part } from "../../platform/html.ts";
import type { WebPage } from "../../platform/web-page.ts";
import {
  bringImport,
  dropImport,
  readImports,
  showImport,
} from "../intake/manage-imports.endpoint.ts";
import { named } from "../people/cells.ts";
import { formOf, formPages } from "../people/form-page.ts";
import { listPages } from "../people/list-page.ts";
import { factsOf } from "../people/parts.ts";
import type { Words } from "../people/site.ts";
import { card, figures, form, link, notice } from "../screens/pieces.ts";
import { wordOf } from "../screens/words.ts";
import { linePages } from "./lines.page.ts";
import { type DeskSight, desk } from "./site.ts";

/** As base64 in a form: of a file of 8 MiB. */
const MAX_BODY_BYTES = 12 * 1024 * 1024;
/** A page that carries more in a hidden field takes longer than choosing the file again. */
const MOST_CARRIED = 1024 * 1024;

const NEW = { en: "Bring a statement", ru: "Загрузить выписку" };

const list = listPages(desk, {
  path: "/desk/imports",
  title: { en: "Statements", ru: "Выписки" },
  door: readImports,
  columns: () => [
    "created_at",
    "filename",
    "format",
    "lines",
    "done_lines",
    "known_lines",
    "applied_at",
    "created_by",
  ],
  open: ({ import_id: id }, root) => `${root}/imports/${id}`,
  above: ({ may, say }) =>
    html`<p class="acts">${may(bringImport) && link(say(NEW), "/desk/imports/new", "main")}${link(say({ en: "Lines that wait", ru: "Строки, ждущие решения" }), "/desk/imports/lines?waiting=true", "plain")}</p>`,
  nothing: {
    en: "No statement was brought yet. One proves the money that phones have told of, and finds what nobody has",
    ru: "Выписок ещё не было. Выписка подтверждает деньги, о которых сообщили телефоны, и находит остальные",
  },
  command: "kopeck import list",
});

const COUNTS: Readonly<Record<string, Words>> = {
  new: { en: "New money", ru: "Новые деньги" },
  matched: { en: "pay a payment", ru: "оплатят платежи" },
  suspense: { en: "wait in suspense", ru: "на разбор" },
  duplicate: { en: "Known already", ru: "Уже известны" },
  outflow: { en: "Left", ru: "Списания" },
  charge: { en: "Bank's fees", ru: "Комиссии банка" },
  internal: { en: "Own accounts", ru: "Между своими" },
  waiting: { en: "Wait for a person", ru: "Ждут решения" },
  excluded: { en: "Excluded", ru: "Исключены" },
  missing: { en: "Gone since", ru: "Пропали" },
};

/** What became of lines, or would; each a way to them, where they are stored. */
function countsOf({ say }: DeskSight, counts: object, importId?: string): Part {
  const of = counts as Readonly<Record<string, number>>;
  const told = Object.entries(COUNTS).flatMap(([name, words]): [string, Part][] => {
    const count = of[name] ?? 0;
    if (count === 0) return [];
    const isOutcome = importId !== undefined && name !== "missing";
    const filter = name === "waiting" ? "waiting=true" : `outcome=${name}`;
    const href = `/desk/imports/lines?import_id=${importId}&${filter}`;
    return [[say(words), isOutcome ? link(count, href) : count]];
  });
  if (told.length === 0) return say({ en: "No line of money.", ru: "Строк с деньгами нет." });
  return figures(told);
}

const bring = formPages(desk, {
  path: "/desk/imports/new",
  title: NEW,
  submit: { en: "Show what it would do", ru: "Показать, что будет" },
  door: bringImport,
  maxBodyBytes: MAX_BODY_BYTES,
  fields({ say }) {
    return [
      {
        name: "file",
        kind: "file" as const,
        required: true,
        label: say({ en: "The bank's file", ru: "Файл банка" }),
        hint: say({
          en: "1C (kl_to_1c.txt), CSV of a bank that we know, CAMT.053 or MT940; up to 8 MiB.",
          ru: "1С (kl_to_1c.txt), CSV знакомого банка, CAMT.053 или MT940; до 8 МиБ.",
        }),
      },
      {
        ...named("requisite_id"),
        hint: say({
          en: "Only where the file does not name the account itself.",
          ru: "Только если в самом файле нет номера счёта.",
        }),
      },
      {
        name: "sure",
        kind: "yes" as const,
        label: say({
          en: "For real, without showing first what it would do",
          ru: "По-настоящему, не показывая сначала, что будет",
        }),
      },
    ];
  },
  also({ visit }) {
    const { file } = visit.files;
    return {
      filename: file?.name || visit.form["filename"] || "file",
      content:
        file === undefined
          ? (visit.form["content"] ?? "")
          : Buffer.from(file.bytes).toString("base64"),
      dry_run: visit.form["sure"] !== "true",
    };
  },
  shows: (data, sight) => ("dry_run" in data ? tried(sight, data.dry_run) : undefined),
  then: (data) => ("dry_run" in data ? "" : `/desk/imports/${data.import_id}`),
  command: "kopeck transfer import FILE --dry-run",
});

/** What a file would do, and the same for real without choosing it again. */
function tried(
  sight: DeskSight,
  found: { format: string; lines: number; known_lines: number; untried_lines: number },
): Part {
  const { say, look, visit } = sight;
  const { file } = visit.files;
  const size = file?.bytes.length ?? 0;
  const { lines, known_lines: known, untried_lines: untried } = found;
  const format = wordOf(found.format, look.language);
  const lead = say({
    en: `Nothing is stored yet. Read as ${format}; lines of money: ${lines}, known from earlier files: ${known}.`,
    ru: `Пока ничего не сохранено. Прочитано как ${format}: строк с деньгами ${lines}, из прежних файлов известно ${known}.`,
  });
  const more = say({
    en: `The last lines (${untried}) were not tried: there are too many.`,
    ru: `Последние строки (${untried}) не проверены: их слишком много.`,
  });
  const again = link(
    say({ en: "Choose another file", ru: "Выбрать другой файл" }),
    "/desk/imports/new",
  );
  const isCarried = file !== undefined && size <= MOST_CARRIED;
  const sure = isCarried
    ? form({
        action: "/desk/imports/new",
        fields: [],
        look,
        submit: say({ en: "Bring it for real", ru: "Загрузить по-настоящему" }),
        hidden: {
          once: sight.app.newId(),
          sure: "true",
          filename: file.name,
          content: Buffer.from(file.bytes).toString("base64"),
          requisite_id: visit.form["requisite_id"] ?? "",
        },
      })
    : html`<p>${say({ en: "The file is too large for this page to carry it on: choose it once more.", ru: "Файл слишком велик, страница не передаст его дальше: выберите его ещё раз." })}</p><p>${link(say({ en: "Bring it for real", ru: "Загрузить по-настоящему" }), "/desk/imports/new?sure=true", "main")}</p>`;
  return html`${notice("plain", lead)}${untried > 0 && notice("warn", more)}${card(say({ en: "What it would do", ru: "Что будет" }), countsOf(sight, found))}${sure}<p>${again}</p>`;
}

const drop = {
  path: "/desk/imports/:import_id/drop",
  title: { en: "Drop it", ru: "Отказаться от файла" },
  submit: { en: "Drop it", ru: "Отказаться" },
  door: dropImport,
  danger: true,
  above: async (sight: DeskSight) =>
    html`<p class="lead"><bdi>${(await sight.askHere(showImport)).filename}</bdi></p>`,
  note: {
    en: "Only while nothing came of it. The same file can be brought again.",
    ru: "Только пока из файла ничего не вышло. Тот же файл можно загрузить снова.",
  },
  then: () => "/desk/imports",
};

const detail = desk.page({
  path: "/desk/imports/:import_id",
  async show(sight) {
    const { say } = sight;
    const one = await sight.askHere(showImport);
    const { import_id: id, lines: all, done_lines: done } = one;
    const isDone = one.applied_at !== null;
    const lead = isDone
      ? say({ en: "All of it is applied.", ru: "Файл применён целиком." })
      : say({
          en: `${done} of ${all} lines are applied; it goes on.`,
          ru: `Применено ${done} из ${all}; продолжается.`,
        });
    const body = html`${card(undefined, html`<p class="lead" data-say>${lead}</p>${one.waiting > 0 && html`<p class="acts">${link(say({ en: `Lines that wait for you: ${one.waiting}`, ru: `Ждут решения: ${one.waiting}` }), `/desk/imports/lines?import_id=${id}&waiting=true`, "main")}</p>`}`)}${card(
      say({ en: "What became of its lines", ru: "Что стало со строками" }),
      isDone || done > 0 ? countsOf(sight, one, id) : "—",
      link(say({ en: "All lines", ru: "Все строки" }), `/desk/imports/lines?import_id=${id}`),
    )}${card(
      undefined,
      factsOf(sight, showImport, undefined, one, [
        "filename",
        "format",
        "requisite_id",
        "lines",
        "done_lines",
        "known_lines",
        "pending_lines",
        "created_at",
        "created_by",
        "applied_at",
        "import_id",
      ]),
    )}${!isDone && done === 0 && sight.may(dropImport) && card(say(drop.title), await formOf(sight, drop))}`;
    const live = { of: "transfers", mode: "figures" } as const;
    return { title: one.filename, body, command: `kopeck import show ${id}`, live };
  },
});

export const importPages: readonly WebPage[] = [
  ...list,
  ...bring,
  ...linePages,
  ...formPages(desk, drop),
  detail,
];
