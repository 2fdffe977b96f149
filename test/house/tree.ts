// Keeps the tree drawn in ARCHITECTURE.md true: a map that lies is worse than none.
//
// The tree is the first fenced block with a line that starts with "src/". Two spaces of indentation
// are one level. Names on a line are separated by two or more spaces, a folder's name ends in "/",
// a file's has an extension; the first thing that is no name starts the comment. Names that share a
// line stand beside each other, or inside the folder that opens the line ("docs/  api.md  money.md").
import type { Files } from "./source.ts";
import { isTest } from "./source.ts";

const NAME = /^[\w.@/-]*(?:\w\/|\.[a-z]+)$/;

type Named = { path: string; inside: string | null; line: number };

/** The block's lines with their line numbers in the document. */
function findTree(document: string): { text: string; line: number }[] {
  const lines = document.split("\n").map((text, index) => ({ text, line: index + 1 }));
  const fences = lines.filter(({ text }) => text.startsWith("```"));
  for (let index = 0; index + 1 < fences.length; index += 2) {
    const block = lines.slice(fences[index]?.line, (fences[index + 1]?.line ?? 0) - 1);
    if (block.some(({ text }) => /^src\/(?:\s|$)/.test(text))) return block;
  }
  return [];
}

function readTree(document: string): Named[] {
  const folders: string[] = [];
  return findTree(document).flatMap(({ text, line }) => {
    const depth = Math.floor((text.length - text.trimStart().length) / 2);
    const words = text.trim().split(/\s{2,}/);
    const end = words.findIndex((word) => !NAME.test(word));
    const names = end === -1 ? words : words.slice(0, end);
    const parent = folders.slice(0, depth).join("");
    const opening = names[0]?.endsWith("/") ? parent + names[0] : null;
    const lastFolder = names.findLast((name) => name.endsWith("/"));
    if (lastFolder !== undefined) folders.splice(depth, folders.length, lastFolder);
    return names.map((name, index) => ({
      path: parent + name,
      inside: index > 0 && opening !== null ? opening + name : null,
      line,
    }));
  });
}

/** Every file and, with a slash at the end, every folder that holds one. */
function listPaths(files: Files): Set<string> {
  const paths = new Set(files.keys());
  for (const path of files.keys()) {
    const segments = path.split("/");
    for (let end = 1; end < segments.length; end += 1)
      paths.add(`${segments.slice(0, end).join("/")}/`);
  }
  return paths;
}

function mustBeNamed(path: string): boolean {
  if (path.startsWith("migrations/")) return !path.endsWith("/");
  return path.startsWith("src/") && (path.endsWith("/") || (path.endsWith(".ts") && !isTest(path)));
}

/** What is drawn exists, and what exists under src/ and migrations/ is drawn. */
export function checkTree(files: Files): string[] {
  const document = files.get("ARCHITECTURE.md");
  if (document === undefined) return ["ARCHITECTURE.md:1: ARCHITECTURE.md is missing"];
  const named = readTree(document);
  if (named.length === 0) return ["ARCHITECTURE.md:1: ARCHITECTURE.md draws no tree of src/"];
  const paths = listPaths(files);
  const drawn = new Set<string>();
  const [invented, twice]: [string[], string[]] = [[], []];
  for (const { path, inside, line } of named) {
    const found = [path, inside].find((candidate) => candidate !== null && paths.has(candidate));
    if (found && drawn.has(found)) twice.push(`ARCHITECTURE.md:${line}: ${path} is drawn twice`);
    else if (found) drawn.add(found);
    else invented.push(`ARCHITECTURE.md:${line}: ${path} does not exist`);
  }
  const forgotten = [...paths].filter((path) => mustBeNamed(path) && !drawn.has(path));
  return [
    ...invented,
    ...twice,
    ...forgotten.map((path) => `ARCHITECTURE.md:1: ${path} is not in the tree`),
  ];
}
