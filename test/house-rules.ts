// The rules of the house that Biome, tsc and knip cannot see, as one list. Each takes the tree as
// a map of path to text and knows no file system, so that a test can show it a bad tree.
import { checkImports } from "./house/imports.ts";
import { checkDomainIsSynchronous, checkHiddenInputs, checkMoneyDivision } from "./house/purity.ts";
import type { Rule } from "./house/source.ts";
import { checkOneWriter, checkSqlClock, checkSqlOrder, checkSqlPlace } from "./house/sql.ts";
import {
  checkDoorsHaveTests,
  checkFileLength,
  checkLeaks,
  checkMedianLength,
  checkNames,
  checkOpeningComments,
} from "./house/style.ts";
import { checkTree } from "./house/tree.ts";

export const rules = {
  "imports follow the floors, the order of the rooms and the entrances": checkImports,
  "SQL stands only in a room's queries": checkSqlPlace,
  "a table has one writer": checkOneWriter,
  "SQL keeps to the order of the rooms": checkSqlOrder,
  "SQL reads no clock": checkSqlClock,
  "the domain and the rooms read no clock, environment or chance": checkHiddenInputs,
  "the domain does not wait": checkDomainIsSynchronous,
  "money is divided only in domain/money.ts": checkMoneyDivision,
  "a door has its test beside it": checkDoorsHaveTests,
  "names say something": checkNames,
  "a file opens with a comment": checkOpeningComments,
  "no file is too long": checkFileLength,
  "the median file is short": checkMedianLength,
  "the tree in ARCHITECTURE.md is true": checkTree,
  "nothing of one machine leaks into the tree": checkLeaks,
} satisfies Record<string, Rule>;
