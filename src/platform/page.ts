// What every list takes and answers: fields of the request, and the shape of a page.

import type { TSchema } from "typebox";
import type { KeysetPage } from "./db-page.ts";
import { cursor, integer, moment, textOrNull } from "./field.ts";
import { Type } from "./schema.ts";

export const pageFields = {
  limit: Type.Optional(integer({ min: 1, max: 200 }, { description: "Rows of a page; 50." })),
  after: Type.Optional(cursor({ description: "The `next` of the page before." })),
};

/** For lists whose rows begin with the moment that they were made at. */
export const periodFields = {
  from: Type.Optional(moment({ description: "Made at this moment or later (ISO 8601)." })),
  to: Type.Optional(moment({ description: "Made before this moment (ISO 8601)." })),
};

export function pageOf<Item extends TSchema>(item: Item) {
  return Type.Object({
    items: Type.Array(item),
    next: textOrNull({
      description: "What `after` takes for the next page; null where nothing is left.",
    }),
  });
}

export function toPage<Row, Item>(page: KeysetPage<Row>, toItem: (row: Row) => Item) {
  return { items: page.rows.map(toItem), next: page.next };
}
