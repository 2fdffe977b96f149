// Links for people, made on the machine itself: for the first one, and for who has lost every way in.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { call, onPostgres, openTestDatabase, type TestDatabase } from "./gateway.ts";
import { manage } from "./manage.ts";
import { joinByPassword, visitor } from "./people.ts";
import { freePort, killLeftovers, type Running, ready, runKopeck } from "./process.ts";

onPostgres("links that are made on the machine", () => {
  const folder = mkdtempSync(join(tmpdir(), "kopeck-person-"));
  const ENV: Record<string, string> = {
    KOPECK_MODE: "live",
    KOPECK_SECRET_KEY: "0123456789abcdef".repeat(4),
    KOPECK_BASE_URL: "http://localhost:8080",
    KOPECK_DATA_DIR: folder,
  };
  let database: TestDatabase;
  before(async () => {
    database = await openTestDatabase("postgres");
    ENV["DATABASE_URL"] = database.config.databaseUrl ?? "";
  });
  after(async () => {
    killLeftovers();
    rmSync(folder, { recursive: true });
    await database.drop();
  });
  const run = (words: string) => runKopeck(ENV, words.split(" ")).ended;

  it("prints a link for the first person, and another one for who has lost theirs", async () => {
    const bad = await run("init --name Anna --email nowhere");
    assert.match(bad.stderr, /--email must be an e-mail address/);
    assert.equal(bad.code, 2);
    const german = await run("init --name Anna --email Anna@example.com --language de");
    assert.match(german.stderr, /--language must be en or ru/);
    assert.equal(german.code, 2);
    const unnamed = await run("person recover");
    assert.match(unnamed.stderr, /^kopeck: The email is missing\./);
    assert.equal(unnamed.code, 2);
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

  it("makes nobody an operator who is known by an address that a merchant has typed, before they accept", async () => {
    const port = await freePort();
    const env = { ...ENV, PORT: String(port), KOPECK_BASE_URL: `http://127.0.0.1:${port}` };
    const ask = async (words: string) => {
      const ended = await runKopeck(env, words.split(" ")).ended;
      assert.equal(ended.code, 0, ended.stderr);
      return ended.stdout;
    };
    const serve = async () => {
      const serving = runKopeck(env);
      await ready(serving);
      return serving;
    };
    const stop = async ({ child, ended }: Running) => {
      child.kill();
      await ended;
    };
    const clock = { now: () => new Date() };
    // Who is one of the desk already comes in by the link.
    const again = await ask("init --again --name Anna --email anna@example.com");
    assert.match(again, /^sign in .*\/welcome\//m);
    const [, token = ""] = /^token +(\S+)/m.exec(again) ?? [];

    const before = await serve();
    const own = manage({ call: (path, options) => call(before.url, path, options) }, token);
    const { user } = await own.post("users", { name: "Corp" });
    // Whoever types an address has the link, and may be anybody.
    const typed = { email: "boss@example.com", name: "Boss", role: "owner" };
    const { link } = await own.post(`users/${user.user_id}/people`, typed);
    const squatter = visitor(before);
    await joinByPassword(squatter, { clock }, link);
    assert.equal((await squatter.get("/my")).status, 200);
    await stop(before);

    const printed = await ask("init --again --name Boss --email Boss@example.com");
    const found = await ask("person recover boss@example.com");
    const serving = await serve();
    assert.equal((await squatter.get("/desk")).status, 403);
    assert.doesNotMatch(printed, /welcome/);
    assert.match(printed, /kopeck person recover boss@example\.com/);
    const [, path = ""] = /^accept +\S+(\/join\/[\w-]{32}) /m.exec(printed) ?? [];
    assert.match((await visitor(serving).get(path)).location, /^\/sign-in/);
    // Who has the link and no way in is let in anew, and then nobody else is.
    const boss = visitor(serving);
    await joinByPassword(boss, { clock }, /http\S+\/welcome\/\S+/.exec(found)?.[0] ?? "");
    assert.match((await squatter.get("/my")).location, /^\/sign-in/);
    assert.equal((await boss.post(path)).location, "/desk");
    assert.equal((await boss.get("/desk")).status, 200);
    await stop(serving);
  });
});
