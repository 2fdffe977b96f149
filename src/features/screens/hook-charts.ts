// Webhooks as charts, the same for a merchant and for whoever runs the gateway: heard at once, later or not so far,
// and how long receivers took. Guards that every day leads to the events that it counts.

import { type Html, html } from "../../platform/html.ts";
import { barChart, lineChart } from "./chart.ts";
import { MOST_SLOTS } from "./chart-frame.ts";
import { numberText } from "./locale.ts";
import type { Look } from "./look.ts";
import { card } from "./pieces.ts";
import { dayNote, placesOf } from "./tally-period.ts";

/** As the doors of tallies tell it. */
interface HookDay {
  readonly day: string;
  readonly heard_at_once: number;
  readonly heard_later: number;
  readonly not_heard: number;
  readonly p95_ms: number | null;
}

const WORDS = {
  en: {
    heard: "Webhooks by the day of what they tell",
    series: ["Heard at once", "Heard later", "Not heard so far"],
    speed: { own: "How long your server took", all: "How long receivers took" },
    most: "19 of 20 answers",
    ms: "ms",
  },
  ru: {
    heard: "Вебхуки по дню события",
    series: ["Приняты сразу", "Приняты позже", "Пока не приняты"],
    speed: { own: "Сколько отвечал ваш сервер", all: "Сколько отвечали получатели" },
    most: "19 ответов из 20",
    ms: "мс",
  },
};

export function hookCharts(
  items: readonly HookDay[],
  whose: "own" | "all",
  look: Look,
  rows: (from: string, to: string) => string,
): Html {
  const words = WORDS[look.language];
  // Percentiles of days do not add up to one of a week.
  const places = placesOf(
    items.slice(-MOST_SLOTS).map((one) => ({ ...one, key: one.day })),
    look,
  ).map(({ items: [one], from, to, ...place }) => {
    const href = `${rows(from, to)}&had_address=true`;
    return { ...place, one, href };
  });
  const bars = barChart({
    title: words.heard,
    bars: places.map(({ one, ...place }) => ({
      ...place,
      parts: one ? [one.heard_at_once, one.heard_later, one.not_heard] : [],
    })),
    series: words.series,
    format: (value) => numberText(value, look.language),
    look,
  });
  const line = lineChart({
    title: words.speed[whose],
    points: places.map(({ label, href, one }) => ({ label, href, values: [one?.p95_ms ?? null] })),
    series: [words.most],
    format: (value) => `${numberText(Math.round(value), look.language)}\u00a0${words.ms}`,
    look,
  });
  return html`<div class="grid">${card(undefined, bars)}${card(undefined, line)}</div>${dayNote(look)}`;
}
