// Harm done to what a request says: its fields, wherever they stand, in a body, a form or a query.

import type { Random } from "../random.ts";
import type { Draft } from "./draft.ts";
import { ODD_NUMBERS, oddText, PROTOTYPE_NAMES } from "./odd-values.ts";
import { literal, spotsOf, type Tree, textLiteral, treeOf } from "./tree.ts";

/** False where the request has nothing that could be harmed so. */
export type Harm = (draft: Draft, random: Random) => boolean;

const DEPTHS = [5, 60, 1_000, 15_000];

export const CONTENT_HARMS = {
  "wrong type": (draft, random) =>
    replaceOne(draft, random, () =>
      random.pick<Tree>([
        ...["null", "true", "false", "0", "1", "-1.5", '""', '" "', "[]", "{}", "[null]"].map(
          literal,
        ),
        ...[textLiteral("text"), treeOf({ id: 1 }), treeOf([[]]), treeOf({ "": { "": "" } })],
      ]),
    ),
  "missing field": ({ tree }, random) => {
    if (tree.list.length === 0) return false;
    tree.list.splice(random.below(tree.list.length), 1);
    return true;
  },
  "additional field": ({ tree }, random) => {
    const names = ["id", "state", "user_id", "credited", "amount_minor", "created_at", "", " "];
    const value = random.pick([treeOf(1), treeOf("paid"), treeOf({ a: [1] }), literal("null")]);
    tree.list.splice(random.below(tree.list.length + 1), 0, { name: random.pick(names), value });
    return true;
  },
  "odd number": (draft, random) =>
    replaceOne(draft, random, () => literal(random.pick(ODD_NUMBERS)), isNumber),
  "odd text": (draft, random) =>
    replaceOne(draft, random, () => textLiteral(oddText(random)), isText),
  "duplicate key": ({ tree }, random) => {
    const double = tree.list[random.below(tree.list.length)];
    if (double === undefined) return false;
    const value = random.pick([double.value, literal("null"), treeOf([1]), textLiteral("twice")]);
    tree.list.splice(random.below(tree.list.length + 1), 0, { name: double.name, value });
    return true;
  },
  "doubled item": ({ tree }, random) => {
    const lists = [...spotsOf(tree)]
      .map(({ value }) => value)
      .filter((one) => one.kind === "items");
    const list = lists.length === 0 ? undefined : random.pick(lists).list;
    const first = list?.[0];
    if (list === undefined || first === undefined) return false;
    for (let more = random.pick([1, 30, 1_500]); more > 0; more -= 1) list.push({ ...first });
    return true;
  },
  "deep nesting": (draft, random) => {
    const depth = random.pick(DEPTHS);
    const [open, close] = random.pick([
      ["[", "]"],
      ['{"a":', "}"],
      ['{"__proto__":', "}"],
      ['[{"":', "}]"],
    ] as const);
    const deep = literal(`${open.repeat(depth)}1${close.repeat(depth)}`.slice(0, 60_000));
    if (replaceOne(draft, random, () => deep)) return true;
    draft.tree.list.push({ name: "deep", value: deep });
    return true;
  },
  "array for scalar": (draft, random) =>
    replaceOne(draft, random, (old) => ({
      kind: "items",
      list: Array.from({ length: random.pick([1, 2, 500]) }, () => ({ value: old })),
    })),
  "prototype name": (draft, random) => {
    const name = random.pick(PROTOTYPE_NAMES);
    const value = random.pick([
      ...[treeOf({ admin: true, status: 200 }), literal("null"), textLiteral(name)],
      treeOf({ constructor: { prototype: { admin: true } } }),
    ]);
    if (random.chance(0.3)) return replaceOne(draft, random, () => textLiteral(name));
    draft.tree.list.splice(random.below(draft.tree.list.length + 1), 0, { name, value });
    return true;
  },
} satisfies Record<string, Harm>;

const isNumber = (tree: Tree): boolean => tree.kind === "literal" && /^[\d-]/.test(tree.text);
const isText = (tree: Tree): boolean => tree.kind === "literal" && tree.text.startsWith('"');

/** What is harmed is mostly of the kind that the harm is about: anything else is refused at once. */
function replaceOne(
  { tree }: Draft,
  random: Random,
  next: (old: Tree) => Tree,
  suits: (tree: Tree) => boolean = () => true,
): boolean {
  const all = spotsOf(tree);
  const suiting = all.filter(({ value }) => suits(value));
  const spots = suiting.length > 0 && random.chance(0.9) ? suiting : all;
  if (spots.length === 0) return false;
  const spot = random.pick(spots);
  spot.replace(next(spot.value));
  return true;
}
