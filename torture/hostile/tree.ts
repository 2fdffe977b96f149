// JSON as it will stand on the wire, and not as a program would hold it: keys may come twice, and a
// number may have any digits. What is sent is made as such a tree, harmed there, and written.

/** A scalar, written exactly so. */
export interface Literal {
  readonly kind: "literal";
  readonly text: string;
}

export interface Members {
  readonly kind: "members";
  readonly list: { name: string; value: Tree }[];
}

interface Items {
  readonly kind: "items";
  readonly list: { value: Tree }[];
}

export type Tree = Literal | Members | Items;

export const literal = (text: string): Literal => ({ kind: "literal", text });
export const textLiteral = (text: string): Literal => literal(JSON.stringify(text));

export function treeOf(value: unknown): Tree {
  if (Array.isArray(value)) {
    return { kind: "items", list: value.map((one) => ({ value: treeOf(one) })) };
  }
  if (typeof value === "object" && value !== null) return membersOf(value);
  return literal(JSON.stringify(value) ?? "null");
}

export function membersOf(value: object): Members {
  const entries = Object.entries(value).filter(([, one]) => one !== undefined);
  return { kind: "members", list: entries.map(([name, one]) => ({ name, value: treeOf(one) })) };
}

export function toJson(tree: Tree): string {
  switch (tree.kind) {
    case "literal":
      return tree.text;
    case "items":
      return `[${tree.list.map(({ value }) => toJson(value)).join(",")}]`;
    case "members": {
      const members = tree.list.map(
        ({ name, value }) => `${JSON.stringify(name)}:${toJson(value)}`,
      );
      return `{${members.join(",")}}`;
    }
  }
}

/** As a query or a form; what is nested is written with brackets, as some clients do. */
export function toQuery(tree: Members): string {
  return tree.list.flatMap(({ name, value }) => pairs(name, value)).join("&");
}

function pairs(name: string, tree: Tree): string[] {
  switch (tree.kind) {
    case "literal":
      return [`${encoded(name)}=${encoded(plainText(tree))}`];
    case "items":
      return tree.list.flatMap(({ value }) => pairs(`${name}[]`, value));
    case "members":
      return tree.list.flatMap((one) => pairs(`${name}[${one.name}]`, one.value));
  }
}

function plainText({ text }: Literal): string {
  return text.startsWith('"') ? String(JSON.parse(text)) : text;
}

/** Half of a surrogate pair becomes the three bytes that no decoder may take. */
export function encoded(text: string): string {
  if (text.isWellFormed()) return encodeURIComponent(text);
  return [...text]
    .map((one) => (one.isWellFormed() ? encodeURIComponent(one) : "%ED%A0%80"))
    .join("");
}

export interface Spot {
  readonly value: Tree;
  replace(next: Tree): void;
}

/** Every place of a value, at any depth. */
export function spotsOf(tree: Tree): Spot[] {
  if (tree.kind === "literal") return [];
  const holders: { value: Tree }[] = tree.list;
  return holders.flatMap((holder) => [
    {
      value: holder.value,
      replace(next: Tree) {
        holder.value = next;
      },
    },
    ...spotsOf(holder.value),
  ]);
}
