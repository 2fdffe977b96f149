// What detail pages of the desk are put together from, which those of the cabinet are, too.

export { factsOf, sheet, story } from "../people/parts.ts";
