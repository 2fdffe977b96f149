// How a shop talks: by the specification to the letter, or as the clients of this family of API do.

export const DIALECTS = ["strict", "family"] as const;

export type Dialect = (typeof DIALECTS)[number];
