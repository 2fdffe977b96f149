// Links for people, made on the machine itself: for the first one, and for who has lost every way in.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, it } from "node:test";
import { openTestDatabase } from "./gateway.ts";
import { ONE_ENGINE } from "./one-gateway.ts";
import { freePort, killLeftovers, ready, runKopeck } from "./process.ts";

const folder = mkdtempSync(join(tmpdir(), "kopeck-person-"));
const database = await openTestDatabase(ONE_ENGINE, { empty: true });
after(async () => {
  killLeftovers();
  rmSync(folder, { recursive: true });
  await database.drop();
});
const { databaseUrl = "", dataDir = folder } = database.config;
const ENV = {
  ...{ KOPECK_MODE: "live", KOPECK_SECRET_KEY: "0123456789abcdef".repeat(4) },
  KOPECK_BASE_URL: "http://localhost:8080",
  ...{ DATABASE_URL: databaseUrl, KOPECK_DATA_DIR: dataDir },
};
const run = (words: string) => runKopeck(ENV, words.split(" ")).ended;

it("prints a link for the first person, and another one for who has lost theirs", async () => {
  const bad = await run("init --name Anna --email nowhere");
  assert.match(bad.stderr, /--email must be an e-mail address/);
  const german = await run("init --name Anna --email Anna@example.com --language de");
  assert.match(german.stderr, /--language must be en or ru/);
  const made = await run("init --name Anna --email Anna@example.com --language ru");
  assert.equal(made.code, 0, made.stderr);
  assert.match(
    made.stdout,
    /^token +\S+ .*\nsign in +https?:\/\/\S+\/welcome\/[\w-]{32} +\(once, within 15 minutes\)$/m,
  );
  const serving = runKopeck({ ...ENV, PORT: String(await freePort()) });
  await ready(serving);
  const path = /\/welcome\/\S+/.exec(made.stdout)?.[0];
  const page = await (await fetch(serving.url + path)).text();
  assert.match(page, /<html lang="ru"/);
  serving.child.kill();
  await serving.ended;
  const found = await run("person recover ANNA@example.com");
  assert.equal(found.code, 0, found.stderr);
  assert.match(found.stdout, /^person +Anna\nlink +https?:\/\/\S+\/welcome\/[\w-]{32} /);
  const nobody = await run("person recover boris@example.com");
  assert.equal(nobody.code, 1);
  assert.match(nobody.stderr, /Nobody signs in with this address/);
});
