// What the domain and the rooms may not do by themselves: read a clock, the environment or a dice,
// and divide money. All of it comes in through App or through domain/money.ts, so that a test can
// decide what time it is and a rounding always has a name.
import type { Files } from "./source.ts";
import { findAll, scan, sourceFiles } from "./source.ts";

const HIDDEN_INPUTS = new RegExp(
  [
    "\\bDate\\s*\\.\\s*now\\b",
    "\\bnew\\s+Date\\b(?!\\s*\\(\\s*[^\\s)])",
    "(?<!new\\s+|[\\w.$])Date\\s*\\(",
    "\\bTemporal\\s*\\.\\s*Now\\b",
    "\\bperformance\\s*\\.\\s*now\\b",
    "(?<![\\w.$])process\\s*(?:\\?\\.|[.[])",
    "\\bglobalThis\\s*\\.\\s*process\\b",
    "\\bimport\\s*\\.\\s*meta\\s*\\.\\s*env\\b",
    "\\bMath\\s*\\.\\s*random\\b",
    "\\brandom(?:UUID|Bytes|Int)\\b",
    "\\bgetRandomValues\\b",
  ].join("|"),
  "g",
);

const MINOR = "(?:\\w*Minor|\\w*_minor|minor)\\b";
const MONEY_DIVISION = new RegExp(
  `(?<![\\w$])${MINOR}[\\s)\\]]*/|/=?[\\s(]*(?:[\\w$]+\\??\\.)*${MINOR}`,
  "g",
);
/** In the domain and the rooms a bigint is money, so dividing by one is dividing money. */
const BIGINT_DIVISION = /\/=?\s*\(?\s*\d[\d_]*n\b/g;
const FLOATS = /\bparseFloat\b|\.\s*toFixed\b/g;

function isDomain(path: string): boolean {
  return path.startsWith("src/domain/");
}

function isDomainOrRoom(path: string): boolean {
  return isDomain(path) || path.startsWith("src/features/");
}

/** A hidden input makes a rule of payments that cannot be replayed. */
export function checkHiddenInputs(files: Files): string[] {
  return sourceFiles(files).flatMap(([path, text]) => {
    if (!isDomainOrRoom(path)) return [];
    const { code } = scan(text);
    return findAll(
      path,
      code,
      HIDDEN_INPUTS,
      (found) => `${found}: time, environment and chance come from App`,
    );
  });
}

/** A bare division rounds in silence, and a float loses kopecks. */
export function checkMoneyDivision(files: Files): string[] {
  return sourceFiles(files).flatMap(([path, text]) => {
    const { code } = scan(text);
    const advise = () => "division of money has a name: see domain/money.ts";
    const divisions = [
      ...findAll(path, code, MONEY_DIVISION, advise),
      ...(isDomainOrRoom(path) ? findAll(path, code, BIGINT_DIVISION, advise) : []),
    ];
    const floats = isDomainOrRoom(path)
      ? findAll(path, code, FLOATS, (found) => `${found}: money is never a float`)
      : [];
    return [...(path === "src/domain/money.ts" ? [] : new Set(divisions)), ...floats];
  });
}
