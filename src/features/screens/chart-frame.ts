// What every chart stands in: its title, its legend, the axis beside it, and the same numbers as a table
// under it. Widths are percentages of what is there and texts are never scaled, so a chart is sharp at
// any width. Guards that the same figures and links are there without a picture and without a mouse.

import { type Html, html } from "../../platform/html.ts";
import { rounded, type Scale } from "./chart-scale.ts";
import type { Look } from "./look.ts";
import { empty } from "./pieces.ts";
import { WORDS } from "./words.ts";

export const PLOT_PX = 180;
const LABELS_PX = 22;
const LETTER_PX = 7;
const MOST_LABELS = 10;
export const MOST_SLOTS = 60;

/** One place on the time axis. */
export interface Slot {
  readonly label: string;
  readonly href?: string;
  readonly values: readonly (number | null)[];
  readonly isUnfinished?: boolean;
}

export interface Drawn {
  readonly title: string;
  readonly slots: readonly Slot[];
  /** Their names, in the order of a slot's values; a line is drawn as a line. */
  readonly series: readonly { readonly name: string; readonly mark: string }[];
  readonly scale: Scale;
  readonly picture: Html;
  format(value: number): string;
  readonly look: Look;
}

/** The middle of a slot, in percent. */
export function middleOf(at: number, count: number): number {
  return rounded(((at + 0.5) * 100) / count);
}

export function nothingDrawn(title: string, { language }: Look): Html {
  const { noData, noDataText } = WORDS[language];
  return html`<figure class="chart"><figcaption>${title}</figcaption>${empty(noData, noDataText)}</figure>`;
}

export function chartFrame(drawn: Drawn): Html {
  const { title, series, scale, slots, picture } = drawn;
  const heightPx = PLOT_PX + LABELS_PX;
  const gutterPx = Math.max(...scale.ticks.map(({ text }) => text.length)) * LETTER_PX + 10;
  const axis = scale.ticks.map(
    ({ y, text }) => html`<text x="${gutterPx - 8}" y="${y + 4}" class="end">${text}</text>`,
  );
  const lines = scale.ticks.map(
    ({ y, text }) =>
      html`<line x1="0" x2="100%" y1="${y}" y2="${y}" class="${isZero(text) ? "zero" : "grid"}"/>`,
  );
  const legend =
    series.length > 1 &&
    html`<ul class="legend">${series.map(({ name, mark }) => html`<li class="${mark}">${name}</li>`)}</ul>`;
  return html`<figure class="chart"><figcaption>${title}</figcaption>${legend}<div class="plot" aria-hidden="true"><svg width="${gutterPx}" height="${heightPx}">${axis}</svg><svg class="fill" width="100%" height="${heightPx}">${lines}${picture}${slots.map((_, at) => slotLabel(drawn, at))}${slots.map((_, at) => slotLink(drawn, at))}</svg></div>${numbers(drawn)}</figure>`;
}

function isZero(text: string): boolean {
  return !/[1-9]/.test(text);
}

/** As many as can be read, counted from the newest; three of four only where there is room. */
function slotLabel({ slots }: Drawn, at: number): Html | false {
  const every = Math.ceil(slots.length / MOST_LABELS);
  const fromEnd = slots.length - 1 - at;
  if (fromEnd % every !== 0) return false;
  const turn = slots.length > MOST_LABELS / 2 ? (fromEnd / every) % 4 : 0;
  const room = ["", " spare", " rare", " spare"][turn];
  return html`<text x="${middleOf(at, slots.length)}%" y="${PLOT_PX + 17}" class="middle${room}">${slots[at]?.label}</text>`;
}

/** The whole height of a slot, for the mouse; the keyboard has the same link in the table. */
function slotLink({ slots, series, format, look }: Drawn, at: number): Html | false {
  const slot = slots[at];
  if (slot === undefined) return false;
  const told = series.flatMap(({ name }, index) => {
    const value = slot.values[index];
    return value === null || value === undefined ? [] : [`${name}: ${format(value)}`];
  });
  const head = slot.isUnfinished ? `${slot.label}, ${WORDS[look.language].soFar}` : slot.label;
  const area = html`<title>${[head, ...told].join("\n")}</title><rect class="hit" x="${rounded((at * 100) / slots.length)}%" y="0" width="${rounded(100 / slots.length)}%" height="${PLOT_PX}"/>`;
  return slot.href === undefined
    ? html`<g>${area}</g>`
    : html`<a href="${slot.href}" tabindex="-1">${area}</a>`;
}

function numbers({ title, slots, series, format, look }: Drawn): Html {
  const words = WORDS[look.language];
  const rows = slots.map(
    ({ label, href, values, isUnfinished }) =>
      html`<tr><th scope="row">${href === undefined ? label : html`<a href="${href}">${label}</a>`}${
        isUnfinished && html` <small>${words.soFar}</small>`
      }</th>${series.map((_, index) => {
        const value = values[index];
        return html`<td class="end">${value === null || value === undefined ? "—" : format(value)}</td>`;
      })}</tr>`,
  );
  return html`<details class="numbers"><summary>${words.numbers}</summary><div class="wide" role="region" tabindex="0" aria-label="${title}"><table><caption class="unseen">${title}</caption><thead><tr><td></td>${series.map(({ name }) => html`<th scope="col" class="end">${name}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div></details>`;
}
