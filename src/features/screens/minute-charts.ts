// The last hour of one process as charts: how much it was asked, how fast it answered, how late its event loop was.

import { momentFormat } from "../../domain/moment.ts";
import { type Html, html } from "../../platform/html.ts";
import { lineChart } from "./chart.ts";
import { numberText } from "./locale.ts";
import type { Look } from "./look.ts";
import { card } from "./pieces.ts";

interface Minute {
  readonly ended_at: string;
  readonly per_second: number;
  readonly requests: number;
  readonly failed: number;
  readonly p50_ms: number | null;
  readonly p99_ms: number | null;
  readonly loop_lag_ms: number;
}

const WORDS = {
  en: {
    title: "The last hour of this process",
    note: "Of the one process that made this page, since its start and from its memory. Where several run, each has its own; for all of them scrape /metrics.",
    busy: "Requests a second",
    requests: ["All", "Failed (500 and more)"],
    speed: "How long they took",
    shares: ["Half of them", "99 of 100"],
    loop: "How late its event loop was",
    most: "99 of 100 looks",
    ms: "ms",
  },
  ru: {
    title: "Последний час этого процесса",
    note: "Только того процесса, который показал эту страницу, с его запуска и из его памяти. Если их несколько, у каждого свои числа; по всем сразу — /metrics.",
    busy: "Запросов в секунду",
    requests: ["Все", "С ошибкой (500 и выше)"],
    speed: "Сколько они длились",
    shares: ["Половина", "99 из 100"],
    loop: "Насколько опаздывал цикл событий",
    most: "99 замеров из 100",
    ms: "мс",
  },
};

export function minuteCharts(minutes: readonly Minute[], look: Look): Html {
  const words = WORDS[look.language];
  const clock = momentFormat(look.zone);
  const number = (value: number): string => numberText(value, look.language);
  const chart = (
    title: string,
    series: readonly string[],
    format: (value: number) => string,
    values: (minute: Minute) => readonly (number | null)[],
  ): Html =>
    card(
      undefined,
      lineChart({
        ...{ title, series, format, look },
        points: minutes.map((minute) => ({
          label: clock.text(new Date(minute.ended_at)).slice(11, 16),
          values: values(minute),
        })),
      }),
    );
  const ms = (value: number): string => `${number(value)}\u00a0${words.ms}`;
  return html`<h2>${words.title}</h2><p class="muted">${words.note}</p><div class="grid">${chart(
    words.busy,
    words.requests,
    number,
    ({ per_second: all, requests, failed }) => [
      all,
      requests === 0 ? 0 : (all * failed) / requests,
    ],
  )}${chart(words.speed, words.shares, ms, (one) => [one.p50_ms, one.p99_ms])}${chart(
    words.loop,
    [words.most],
    ms,
    (one) => [one.loop_lag_ms],
  )}</div>`;
}
