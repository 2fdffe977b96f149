// A table of rows: a real one, with a caption and heads that say what they head. On a narrow screen each
// row becomes a card, so nothing has to be moved sideways.

import { type Html, html, type Part } from "../../platform/html.ts";

export interface Column<Row> {
  readonly label: string;
  /** Of numbers. */
  readonly align?: "end";
  cell(row: Row): Part;
  /** What stands in a CSV file instead. */
  text?(row: Row): string | number | null;
}

export interface Table<Row> {
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
