// Where SQL may stand and what it may touch. All statements of a table in one file is what makes
// "who changes this row?" a question with one answer, and lock order something one can review.
import { ROOMS } from "./imports.ts";
import type { Files } from "./source.ts";
import { findAll, scan, sourceFiles, violation } from "./source.ts";

const SQL_PLACES = [
  /^src\/features\/[^/]+\/(?:[a-z-]+-)?queries\.ts$/,
  /^src\/platform\/migrat(?:e|ion-files)\.ts$/,
  /^src\/platform\/db[^/]*\.ts$/,
];

const STATEMENT = new RegExp(
  `^\\s*(?:${[
    "select\\s",
    "insert\\s+into\\s",
    "update\\s+\\S+\\s+(?:(?:as\\s+)?\\w+\\s+)?set\\s",
    "delete\\s+from\\s",
    "merge\\s+into\\s",
    "truncate\\s",
    "with\\s+(?:recursive\\s+)?\\w+\\s*(?:\\([^)]*\\)\\s*)?as\\s",
    "(?:create|alter|drop|lock)\\s+table\\s",
  ].join("|")})`,
  "i",
);

/** The table's name stands in the first group; `${}` is a name put together at run time. */
const WRITES =
  /\b(?:insert\s+into|merge\s+into|delete\s+from(?:\s+only)?|truncate(?:\s+table)?|update(?:\s+only)?(?=\s+\S+\s+(?:(?:as\s+)?\w+\s+)?set\b))\s+("?[\w.]+"?|\$\{\})/gi;

const SQL_CLOCK =
  /\b(?:now\s*\(|(?:clock|statement|transaction)_timestamp\s*\(|current_(?:timestamp|date|time)\b|localtime(?:stamp)?\b)/gi;

function maySpeakSql(path: string): boolean {
  return SQL_PLACES.some((place) => place.test(path));
}

/** Blanked, not removed, so that an offset in the result is an offset in the literal. */
function blankSqlComments(sql: string): string {
  return sql.replace(/--[^\n]*|\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, " "));
}

/** SQL outside the queries of a room hides a statement from whoever reviews the table. */
export function checkSqlPlace(files: Files): string[] {
  return sourceFiles(files).flatMap(([path, text]) => {
    if (maySpeakSql(path)) return [];
    return scan(text)
      .literals.filter((literal) => STATEMENT.test(blankSqlComments(literal.text)))
      .map((literal) =>
        violation(path, text, literal.at, "SQL stands only in a room's queries.ts or …-queries.ts"),
      );
  });
}

type Write = { table: string; owner: string; path: string; where: (message: string) => string };

/** Sealing anew is written once for every sealed column: no module's row changes its meaning. */
const RESEALS_ALL = "src/platform/db-sealed.ts";

function listWrites(files: Files): Write[] {
  return sourceFiles(files).flatMap(([path, text]) => {
    if (!maySpeakSql(path) || path === RESEALS_ALL) return [];
    const owner = /^src\/features\/([^/]+)\//.exec(path)?.[1] ?? "platform";
    return scan(text).literals.flatMap((literal) =>
      [...blankSqlComments(literal.text).matchAll(WRITES)].map((match) => ({
        table: (match[1] ?? "").replaceAll('"', "").toLowerCase(),
        owner,
        path,
        where: (message: string) => violation(path, text, literal.at, message),
      })),
    );
  });
}

/** Two writers of one table can each be right and together be wrong, so a table has one. */
export function checkOneWriter(files: Files): string[] {
  const writes = listWrites(files);
  return writes.flatMap(({ table, owner, where }) => {
    if (table === "${}") return [where("write the table's name out, so that its writer is known")];
    if (table.startsWith("ledger_") && owner !== "ledger") {
      return [where(`${table} is written only by the ledger`)];
    }
    const first = writes.find((write) => write.table === table);
    if (first === undefined || first.owner === owner) return [];
    return [where(`${table} already has a writer: ${first.path}`)];
  });
}

/** A table or a view that a statement reads, locks or writes; a list of a page names its own in `from:`. */
const NAMES = /\b(?:from|join|into|update|only|using|truncate|table)\s+("?[\w.]+"?)/gi;

/** A table is of the room that writes it; what no room writes, of the one that its migration is named for. */
function roomsOfTables(files: Files): Map<string, string> {
  const rooms = new Map<string, string>();
  for (const [path, text] of files) {
    const room = /^migrations\/\d+_(\w+)\.sql$/.exec(path)?.[1];
    if (room === undefined || !ROOMS.includes(room)) continue;
    for (const [, name] of text.matchAll(/\bcreate (?:table|view) (\w+)/g))
      rooms.set(name ?? "", room);
  }
  for (const { table, owner } of listWrites(files)) rooms.set(table, owner);
  return rooms;
}

/**
 * A cycle between rooms is as easily written in SQL as in imports, so it is held to the same order: a
 * statement names tables of its own room and of rooms to the left.
 */
export function checkSqlOrder(files: Files): string[] {
  const rooms = roomsOfTables(files);
  return sourceFiles(files).flatMap(([path, text]) => {
    const own = ROOMS.indexOf(/^src\/features\/([^/]+)\//.exec(path)?.[1] ?? "");
    if (own === -1 || !maySpeakSql(path)) return [];
    const { code, literals } = scan(text);
    return literals.flatMap((literal) => {
      const isListed = /\bfrom:\s*$/.test(code.slice(0, literal.at));
      const sql = isListed ? `from ${literal.text}` : blankSqlComments(literal.text);
      const names = [...sql.matchAll(NAMES)].map(([, name = ""]) =>
        name.replaceAll('"', "").toLowerCase(),
      );
      return [...new Set(names)].flatMap((table) => {
        const room = rooms.get(table);
        if (room === undefined || ROOMS.indexOf(room) <= own) return [];
        return [violation(path, text, literal.at, `${table} is of the room ${room}, to the right`)];
      });
    });
  });
}

/** What the database's clock itself is asked for; nothing is decided there. */
const ABOUT_THE_CLOCK = "src/platform/db-clock.ts";

/** The database's clock cannot be moved by a test or by the sandbox; ours can. */
export function checkSqlClock(files: Files): string[] {
  const others = sourceFiles(files).filter(([path]) => path !== ABOUT_THE_CLOCK);
  return others.flatMap(([path, text]) =>
    scan(text).literals.flatMap((literal) => {
      const sql = blankSqlComments(literal.text);
      if (!maySpeakSql(path) && !STATEMENT.test(sql)) return [];
      return findAll(path, sql, SQL_CLOCK, String).map(() =>
        violation(path, text, literal.at, "SQL gets the time as a parameter"),
      );
    }),
  );
}
