// /desk/health: how this gateway and its database are, when the books were checked, and what it is set to.

import { html } from "../../platform/html.ts";
import { showHealth } from "../overview/show-health.endpoint.ts";
import { numberText } from "../screens/locale.ts";
import { card, facts, moment, momentText, table } from "../screens/pieces.ts";
import { wordOf } from "../screens/words.ts";
import { checkLine } from "./books.page.ts";
import { desk } from "./site.ts";

const MEGABYTE = 1_000_000;
const SECONDS = { en: "s", ru: "с" };

export const healthPages = [
  desk.page({
    path: "/desk/health",
    async show(sight) {
      const { say, look } = sight;
      const { database, books, jobs, settings, ...gateway } = await sight.ask(showHealth, {});
      const ahead = gateway.clock_ahead_seconds;
      const about = facts([
        [say({ en: "Version", ru: "Версия" }), gateway.version],
        [
          say({ en: "Mode", ru: "Режим" }),
          say(
            gateway.mode === "live"
              ? { en: "live", ru: "боевой" }
              : { en: "sandbox", ru: "песочница" },
          ),
        ],
        [say({ en: "Its clock says", ru: "Часы показывают" }), momentText(gateway.now, look)],
        [
          say({ en: "Ahead of the database", ru: "Опережают базу на" }),
          ahead === null ? "—" : `${numberText(ahead, look.language)} ${say(SECONDS)}`,
        ],
        [
          say({ en: "Database", ru: "База" }),
          `${wordOf(database.engine, look.language)} ${database.version}`,
        ],
        [
          say({ en: "Its size", ru: "Размер" }),
          `${Math.ceil(database.bytes / MEGABYTE)} ${say({ en: "MB", ru: "МБ" })}`,
        ],
        [say({ en: "Log archived", ru: "Журнал в архиве" }), moment(database.archived_at, look)],
        [
          say({ en: "Archiving failed", ru: "Ошибка архивации" }),
          moment(database.archive_failed_at, look),
        ],
      ]);
      const jobRows = table({
        caption: say(JOBS),
        columns: [
          {
            label: say({ en: "Job", ru: "Задача" }),
            cell: ({ name }) => html`<code>${name}</code>`,
          },
          {
            label: say({ en: "Last good run, s ago", ru: "Последний раз, с назад" }),
            align: "end",
            cell: ({ last_good_seconds: ago }) => Math.round(ago),
          },
        ],
        rows: jobs.toSorted((left, right) => right.last_good_seconds - left.last_good_seconds),
      });
      const settingRows = table({
        caption: say(SETTINGS),
        columns: [
          {
            label: say({ en: "Setting", ru: "Настройка" }),
            cell: ({ name }) => html`<code>${name}</code>`,
          },
          {
            label: say({ en: "Value", ru: "Значение" }),
            cell: ({ value }) => (value === "" ? "—" : value),
          },
        ],
        rows: settings,
      });
      const last =
        books.checked_at === null
          ? undefined
          : { ended_at: books.checked_at, violations: books.violations };
      const body = html`${checkLine(last, sight)}${card(undefined, about)}${jobs.length > 0 && card(undefined, html`<details><summary>${say(JOBS)}: ${jobs.length}</summary>${jobRows}</details>`)}${card(undefined, html`<details><summary>${say(SETTINGS)}</summary>${settingRows}</details>`)}`;
      return { title: say({ en: "Health", ru: "Состояние" }), body, command: "kopeck health" };
    },
  }),
];

const JOBS = { en: "Jobs", ru: "Задачи" };
const SETTINGS = { en: "Settings, without secrets", ru: "Настройки без секретов" };
