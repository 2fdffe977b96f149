// The three import rules of the house. They keep a reader's question "what can this file touch?"
// answerable from its path alone, and they make a cycle between rooms impossible to write.
import { posix } from "node:path";
import type { Files } from "./source.ts";
import { isCode, isTest, scan, violation } from "./source.ts";

/** A room may import the rooms to its left, never those to its right. */
export const ROOMS = (
  "screens operators people merchants tariffs ledger webhooks invoices requisites payments approvals transfers " +
  "refunds treasury payouts intake checkout sandbox overview statistics cabinet desk"
).split(" ");

type Import = { target: string; at: number };

/** The places a file can live in, or an import can lead to; a module of Node is a package, too. */
type Place = {
  kind:
    | "domain"
    | "platform"
    | "room"
    | "rooms list"
    | "entrance"
    | "tests"
    | "launcher"
    | "package"
    | "root file"
    | "nowhere";
  name: string;
};

/** Tools that are run by hand and are no part of what they stand beside. */
const TOOLS = new Set(["sdk/generate.ts"]);

/**
 * One entrance, from the door inwards: the process, its command line, the commands of it that run on this
 * machine, the gateway that one of them starts.
 */
const MAIN_ENTRANCE = ["src/main.ts", "src/cli/", "src/cli/local/", "src/gateway.ts"];

const COMMAND_LINE = 1;
const LOCAL = 2;

function depthInMain(path: string): number {
  return MAIN_ENTRANCE.findLastIndex((part) => path.startsWith(part));
}

/** Import statements, dynamic imports, and worker files that are named by a URL. */
const BEFORE_SPECIFIER = /(?:\bfrom|\bimport|\b(?:import|require)\s*\(|\bnew\s+URL\s*\()$/;

function listImports(path: string, text: string): Import[] {
  const { code, literals } = scan(text);
  return literals.flatMap((literal) => {
    const before = code.slice(0, literal.at).trimEnd();
    if (!BEFORE_SPECIFIER.test(before)) return [];
    const isUrl = /URL\s*\($/.test(before);
    if (isUrl && !/^\.{1,2}\/.*\.ts$/.test(literal.text)) return [];
    const isRelative = literal.text.startsWith(".");
    const target = isRelative ? posix.join(posix.dirname(path), literal.text) : literal.text;
    return [{ target: isRelative ? target : `package:${target}`, at: literal.at }];
  });
}

function placeOf(target: string): Place {
  const ownPackage = /^package:(?:@kopeck\/|kopeck-)(sdk|web)\b/.exec(target)?.[1];
  if (ownPackage !== undefined) return { kind: "entrance", name: ownPackage };
  if (target.startsWith("package:")) return { kind: "package", name: target.slice(8) };
  const [top = "", second = "", third = ""] = target.split("/");
  if (TOOLS.has(target)) return { kind: "launcher", name: target };
  if (top === "sdk" || top === "web") return { kind: "entrance", name: top };
  if (top === "test" || top === "bench" || top === "torture") return { kind: "tests", name: top };
  if (top === "bin") return { kind: "launcher", name: top };
  if (top !== "src") return { kind: "root file", name: target };
  if (depthInMain(target) !== -1) return { kind: "entrance", name: "src/main.ts" };
  if (second === "domain" || second === "platform") return { kind: second, name: second };
  if (/^src\/features\/(?:index|pages|jobs)\.ts$/.test(target))
    return { kind: "rooms list", name: target };
  if (second === "features" && ROOMS.includes(third)) return { kind: "room", name: third };
  return { kind: "nowhere", name: target };
}

/** An import: the file and what it names, and the places of both. */
type Step = { path: string; target: string; from: Place; to: Place; fromTest: boolean };

/** Why the import is forbidden, or null when it is allowed. */
function refuse(step: Step): string | null {
  const { from, to, fromTest } = step;
  if (from.kind === "tests" || from.kind === "launcher") return null;
  if (to.kind === "nowhere") return `${to.name} stands on no floor of the house`;
  if (to.kind === "launcher") return `nothing imports ${to.name}`;
  if (to.kind === "tests") return fromTest ? null : `only tests import ${to.name}/`;
  if (from.kind === "entrance") return refuseEntrance(step);
  if (to.kind === "entrance") return `nothing imports the entrance ${to.name}`;
  if (fromTest && to.kind === "package") return null;
  if (from.kind === "domain") return to.kind === "domain" ? null : "domain/ imports only domain/";
  if (from.kind === "platform") return refusePlatform(to);
  if (from.kind === "room" && !fromTest) return refuseRoom(step);
  return null;
}

/** The web page is a client like any other, so it reaches us through sdk/. */
function refuseEntrance({ path, target, from, to, fromTest }: Step): string | null {
  const isOutside = to.kind === "package" || to.kind === "root file";
  if (from.name === "src/main.ts") return refuseMain(path, target, to);
  if (to.kind === "entrance" && to.name === from.name) return null;
  if (from.name === "sdk") return isOutside && fromTest ? null : "sdk/ imports nothing";
  return isOutside || to.name === "sdk" ? null : `${from.name}/ imports only sdk/ of the house`;
}

/**
 * Inwards only, but for what all commands share. What calls a gateway is a client like any other: of the
 * house it imports sdk/ alone, and only from src/cli/local/ one gets into it.
 */
function refuseMain(path: string, target: string, to: Place): string | null {
  const [from, into] = [depthInMain(path), depthInMain(target)];
  if (to.kind === "entrance" && to.name === "sdk") {
    return from === COMMAND_LINE ? null : `${path} does not import the entrance ${target}`;
  }
  if (to.kind === "entrance") {
    const isInwards = from <= into && !(from < LOCAL && into > LOCAL);
    const isShared = from === LOCAL && into === COMMAND_LINE;
    return isInwards || isShared ? null : `${path} does not import the entrance ${target}`;
  }
  const isOutside = to.kind === "package" || to.kind === "root file";
  if (from >= LOCAL || isOutside) return null;
  return `${path} gets into the house through src/cli/local/ or sdk/ only`;
}

function refusePlatform(to: Place): string | null {
  const isBelow = to.kind === "domain" || to.kind === "room" || to.kind === "rooms list";
  return isBelow ? "platform/ knows no payments: it imports only platform/ and packages" : null;
}

/** Rooms that are pages: they show what doors answer, and read no table. */
const PAGES = new Set(["cabinet", "desk"]);
/** What pages are made with; and who asks, in whose name. */
const FOR_PAGES =
  /^src\/features\/(?:screens|people|cabinet|desk)\/|\.endpoint\.ts$|\/(?:member|operator)\.ts$/;

function refuseRoom({ from, to, target }: Step): string | null {
  if (to.kind === "rooms list") return "a room does not import the list of rooms";
  if (to.kind !== "room") return null;
  if (ROOMS.indexOf(to.name) > ROOMS.indexOf(from.name)) {
    return `the room ${from.name} imports ${to.name}, which is to its right`;
  }
  if (!PAGES.has(from.name) || FOR_PAGES.test(target)) return null;
  return `a page asks doors: it imports ${to.name} through its *.endpoint.ts only`;
}

/** Floors, room order and entrances, for every import of every code file. */
export function checkImports(files: Files): string[] {
  return [...files].flatMap(([path, text]) => {
    if (!isCode(path)) return [];
    const from = placeOf(path);
    if (from.kind === "nowhere") {
      return [violation(path, text, 0, "this folder is no floor and no known room of the house")];
    }
    return listImports(path, text).flatMap(({ target, at }) => {
      const isTestFile = /\.test\.tsx?$/.test(target);
      const reason = refuse({ path, target, from, to: placeOf(target), fromTest: isTest(path) });
      if (reason !== null) return [violation(path, text, at, reason)];
      return isTestFile ? [violation(path, text, at, "nothing imports a test file")] : [];
    });
  });
}
