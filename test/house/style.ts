// Names, sizes and manners. Each of these is small; together they are why a file's path says what
// is in it and why no file has to be read twice.
import type { Files } from "./source.ts";
import { findAll, isCode, sourceFiles } from "./source.ts";

const LONGEST_FILE_LINES = 600;

const EMPTY_NAMES = new Set(
  "util utils helper helpers common shared service services manager managers base types".split(" "),
);
const EMPTY_ENDINGS = /-(?:utils?|helpers?|services?|managers?)$/;

const DOOR = /\.(?:endpoint|job|page)\.ts$/;

/** A door is what outsiders can reach, so each one is tried from outside, beside it. */
export function checkDoorsHaveTests(files: Files): string[] {
  return [...files.keys()]
    .filter((path) => DOOR.test(path) && !files.has(path.replace(/\.ts$/, ".test.ts")))
    .map((path) => `${path}:1: a door has its test beside it`);
}

/** A name such as "utils" says nothing, so everything ends up in it. */
export function checkNames(files: Files): string[] {
  return [...files.keys()].flatMap((path) => {
    const stems = path.split("/").map((segment) => segment.split(".")[0] ?? "");
    const empty = stems.find((stem) => EMPTY_NAMES.has(stem) || EMPTY_ENDINGS.test(stem));
    return empty === undefined ? [] : [`${path}:1: "${empty}" names nothing: say what it is`];
  });
}

/** The first line is where a reader decides whether this is the right file. */
export function checkOpeningComments(files: Files): string[] {
  return [...files].flatMap(([path, text]) => {
    if (!isCode(path) || !/^(?:src|test|bench|torture|bin|sdk)\//.test(path)) return [];
    const opening = text.replace(/^#![^\n]*\n/, "");
    return /^\/[/*]/.test(opening)
      ? []
      : [`${path}:1: a file opens with a comment that says what it is`];
  });
}

function countLines(text: string): number {
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}

/** Past this length something in the file wants its own name. */
export function checkFileLength(files: Files): string[] {
  return sourceFiles(files)
    .filter(([, text]) => countLines(text) > LONGEST_FILE_LINES)
    .map(([path, text]) => `${path}:${countLines(text)}: over ${LONGEST_FILE_LINES} lines`);
}

/** Kept in halves, so that this file does not hold the words it looks for. */
const LEAKED_FOLDERS = ["wo-rk", "ro-ot", "Us-ers"].map((name) => name.replace("-", "")).join("|");
const LEAKED_HOST = "npm-js".replace("-", "");
const LEAKS = new RegExp(
  `(?<![\\w.-])/(?:${LEAKED_FOLDERS})/|registry\\.${LEAKED_HOST}|${LEAKED_HOST}\\.org`,
  "g",
);

/** A path of one machine, or the host a package came from, is true for its author only. */
export function checkLeaks(files: Files): string[] {
  return [...files].flatMap(([path, text]) =>
    findAll(path, text, LEAKS, (found) => `${found} belongs to one machine, not to the project`),
  );
}
