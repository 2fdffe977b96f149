// Reads TypeScript just well enough for the house rules: which characters are code, which are
// comments and which are literals. A rule that greps raw text would trip over its own comments and
// over words inside strings; a real parser would be a dependency for the sake of six greps.

/** Repo-relative path, with forward slashes, to the file's text. */
export type Files = ReadonlyMap<string, string>;

/** A rule looks at the whole tree and answers one "path:line: message" per violation. */
export type Rule = (files: Files) => string[];

type Piece = { text: string; at: number };

type Source = {
  /** The text with comments, literals and regular expressions blanked; offsets stay true. */
  code: string;
  /** Strings and templates; each `${…}` of a template is left as `${}`. */
  literals: Piece[];
};

const PLAIN =
  /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:\\[\s\S]|[^"\\\n])*"?|'(?:\\[\s\S]|[^'\\\n])*'?/y;
const REGEXP = /\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y;
/** A slash after one of these opens a regular expression; after anything else it divides. */
const BEFORE_REGEXP =
  /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|void|throw|else))$/;

const scanned = new Map<string, Source>();

/** Every rule scans the same files, so a text is scanned once and remembered. */
export function scan(text: string): Source {
  const known = scanned.get(text);
  if (known !== undefined) return known;
  const source: Source = { code: "", literals: [] };
  scanCode(text, 0, source, false);
  scanned.set(text, source);
  return source;
}

/** Reads code from `at`; inside a template's `${…}` it stops at the brace that closes it. */
function scanCode(text: string, from: number, source: Source, insideTemplate: boolean): number {
  let at = from;
  let depth = 0;
  while (at < text.length) {
    const char = text.charAt(at);
    const token = char === "`" ? "" : readToken(text, at, source.code);
    if (char === "`") {
      at = scanTemplate(text, at, source);
    } else if (token !== "") {
      keep(token, at, source);
      at += token.length;
    } else {
      if (char === "{") depth += 1;
      if (char === "}" && depth === 0 && insideTemplate) return at;
      if (char === "}") depth -= 1;
      source.code += char;
      at += 1;
    }
  }
  return at;
}

function readToken(text: string, at: number, codeBefore: string): string {
  if (at === 0 && text.startsWith("#!")) return text.slice(0, text.indexOf("\n"));
  PLAIN.lastIndex = at;
  const plain = PLAIN.exec(text);
  if (plain !== null) return plain[0];
  if (text.charAt(at) !== "/" || !BEFORE_REGEXP.test(codeBefore.trimEnd().slice(-10))) return "";
  REGEXP.lastIndex = at;
  return REGEXP.exec(text)?.[0] ?? "";
}

function keep(token: string, at: number, source: Source): void {
  const quote = token.charAt(0);
  if (quote === '"' || quote === "'") {
    source.literals.push({ text: token.slice(1, -1), at });
    source.code += quote + blank(token.slice(1, -1)) + (token.length > 1 ? quote : "");
    return;
  }
  source.code += blank(token);
}

function scanTemplate(text: string, from: number, source: Source): number {
  const literal: Piece = { text: "", at: from };
  source.literals.push(literal);
  source.code += "`";
  let at = from + 1;
  while (at < text.length && text.charAt(at) !== "`") {
    if (text.startsWith("${", at)) {
      source.code += "${";
      at = scanCode(text, at + 2, source, true) + 1;
      source.code += "}";
      literal.text += "${}";
      continue;
    }
    const chunk = text.slice(at, at + (text.charAt(at) === "\\" ? 2 : 1));
    literal.text += chunk;
    source.code += blank(chunk);
    at += chunk.length;
  }
  source.code += "`";
  return at + 1;
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, " ");
}

/** "path:line: message", the form an editor turns into a link. */
export function violation(path: string, text: string, at: number, message: string): string {
  return `${path}:${text.slice(0, at).split("\n").length}: ${message}`;
}

/** One violation per match of `pattern` in `searched`, a text with the offsets of the file. */
export function findAll(
  path: string,
  searched: string,
  pattern: RegExp,
  message: (found: string) => string,
): string[] {
  return [...searched.matchAll(pattern)].map((match) =>
    violation(path, searched, match.index, message(match[0].trim())),
  );
}

export function isCode(path: string): boolean {
  return /\.(ts|tsx|mjs|js)$/.test(path);
}

/** Tests are the files beside the code that end in .test.ts, and all of test/, bench/ and torture/. */
export function isTest(path: string): boolean {
  return /\.test\.tsx?$/.test(path) || /^(test|bench|torture)\//.test(path);
}

/** What ships: the code under src/ that is no test. */
export function sourceFiles(files: Files): [path: string, text: string][] {
  return [...files].filter(([path]) => /^src\/.*\.ts$/.test(path) && !isTest(path));
}
