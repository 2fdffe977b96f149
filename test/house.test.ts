// The house rules, run over the real tree; and each rule proven by trees that it must refuse and
// trees that it must leave alone, so that a rule which stopped biting is noticed.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { describe, it } from "node:test";
import { EXAMPLES, type Tree } from "./house/examples.ts";
import { checkImports } from "./house/imports.ts";
import { checkHiddenInputs, checkMoneyDivision } from "./house/purity.ts";
import type { Rule } from "./house/source.ts";
import { checkOneWriter, checkSqlClock, checkSqlOrder, checkSqlPlace } from "./house/sql.ts";
import {
  checkDoorsHaveTests,
  checkFileLength,
  checkLeaks,
  checkNames,
  checkOpeningComments,
} from "./house/style.ts";
import { checkTree } from "./house/tree.ts";

/** What Biome, tsc and knip cannot see. Each rule takes the tree as a map of path to text, so that it can be shown a bad one. */
const rules = {
  "imports follow the floors, the order of the rooms and the entrances": checkImports,
  "SQL stands only in a room's queries": checkSqlPlace,
  "a table has one writer": checkOneWriter,
  "SQL keeps to the order of the rooms": checkSqlOrder,
  "SQL reads no clock": checkSqlClock,
  "the domain and the rooms read no clock, environment or chance": checkHiddenInputs,
  "money is divided only in domain/money.ts": checkMoneyDivision,
  "a door has its test beside it": checkDoorsHaveTests,
  "names say something": checkNames,
  "a file opens with a comment": checkOpeningComments,
  "no file is too long": checkFileLength,
  "the tree in ARCHITECTURE.md is true": checkTree,
  "nothing of one machine leaks into the tree": checkLeaks,
} satisfies Record<string, Rule>;

const TOP = join(import.meta.dirname, "..");
const NOT_OURS = new Set([".git", "node_modules", "data", "coverage", "dist"]);

/** Read by walking, not by asking git, so that the rules also hold in a tree without history. */
function readTree(folder: string, files = new Map<string, string>()): Map<string, string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (NOT_OURS.has(entry.name) || entry.name.endsWith(".log")) continue;
    if (entry.isDirectory()) readTree(path, files);
    if (!entry.isFile()) continue;
    const text = readFileSync(path, "utf8");
    const isBinary = text.includes("\0");
    if (!isBinary) files.set(relative(TOP, path).split(sep).join("/"), text);
  }
  return files;
}

describe("the tree", () => {
  const files = readTree(TOP);
  for (const [name, check] of Object.entries(rules)) {
    it(name, () => {
      const violations = check(files);
      assert.deepEqual(violations, [], `\n${violations.join("\n")}\n`);
    });
  }
});

/** The type makes a rule without examples an error. */
const examples: Record<keyof typeof rules, (typeof EXAMPLES)[keyof typeof EXAMPLES]> = EXAMPLES;

describe("the rules", () => {
  for (const name of Object.keys(rules) as (keyof typeof rules)[]) {
    const check = (tree: Tree) => rules[name](new Map(Object.entries(tree)));

    it(`${name}: bad trees are refused`, () => {
      for (const { at, tree } of examples[name].bad) {
        const places = check(tree).map((found) => found.split(": ")[0]);
        assert.deepEqual(places, [at], JSON.stringify(tree));
      }
    });

    it(`${name}: good trees are accepted`, () => {
      for (const tree of examples[name].good)
        assert.deepEqual(check(tree), [], JSON.stringify(tree));
    });
  }
});
