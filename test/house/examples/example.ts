// How an example of a house rule is written down: a tree the rule must leave alone, or a tree in
// which it must find exactly one violation, at a known place.

export type Tree = Record<string, string>;

/** `at` is the one violation that the rule must find, as "path:line". */
export type BadTree = { at: string; tree: Tree };

/** Per rule, at least one example of each kind: a rule nobody saw biting may have no teeth. */
export type Examples = Record<string, { bad: [BadTree, ...BadTree[]]; good: [Tree, ...Tree[]] }>;

/** A tree of one file with its one violation on the line given. */
export function bad(path: string, text: string, line = 1): BadTree {
  return { at: `${path}:${line}`, tree: { [path]: text } };
}
