// Figures are of one currency each: the usual one first, and the way to the others.

import { type Html, html } from "../../platform/html.ts";
import type { Look } from "./look.ts";
import type { Tally } from "./tally-charts.ts";

/** Of an answer with figures: what they are in, and what others there may be in. */
export interface InCurrency {
  readonly currency: string;
  readonly currencies: readonly string[];
}

/** What the list of a figure is narrowed by, and its charts are told. */
export function currencyOf({ currency, currencies }: InCurrency) {
  const isOneOfSeveral = currencies.length > 1;
  return { currency, isOneOfSeveral, only: isOneOfSeveral ? `&currency=${currency}` : "" };
}

/** The usual one's, and those of every other that anything happened in. */
export async function inEachCurrency<
  Told extends InCurrency & { readonly items: readonly Tally[] },
>(usual: Told, ask: (currency: string) => Promise<Told>): Promise<Told[]> {
  const others = usual.currencies.filter((one) => one !== usual.currency);
  const told = await Promise.all(others.map(ask));
  return [usual, ...told.filter(({ items }) => items.some(isOfSomething))];
}

function isOfSomething({ key: _day, ...sums }: Tally): boolean {
  return Object.values(sums).some((sum) => sum !== 0);
}

const LABEL = { en: "Currency", ru: "Валюта" };

/** Links to the figures in each, where there are several. */
export function currencyLine(
  { currency, currencies }: InCurrency,
  { language }: Look,
  hrefOf: (currency: string) => string,
): Html | false {
  if (currencies.length < 2) return false;
  const links = currencies.map(
    (one) =>
      html`<a class="button plain" href="${hrefOf(one)}"${one === currency && html` aria-current="true"`}>${one}</a>`,
  );
  return html`<nav class="pages" aria-label="${LABEL[language]}">${links}</nav>`;
}
