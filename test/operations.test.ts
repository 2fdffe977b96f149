// docs/operations.md, followed to the letter: its own lines, pasted in order into a shell, set up a live
// gateway on PostgreSQL from nothing, take a payment through it, back it up, restore it, upgrade it and rotate
// its keys. Only what names a machine is another: folders, ports, sudo and systemctl.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, it } from "node:test";
import { blocksIn, PROJECT, textOf } from "./document.ts";
import { onPostgres } from "./gateway.ts";
import { findPostgres } from "./postgres.ts";
import { freePort } from "./process.ts";

const MANUAL = textOf("docs/operations.md");
const blocks = (section: string) => blocksIn("docs/operations.md", section).join("\n");

/** What a machine with root and systemd has. The service is a process of this shell's making. */
const MACHINE = `
set -euo pipefail
sudo() { case $1 in -u) shift 2 ;; --preserve-env=*) shift ;; esac; "$@"; }
systemctl() {
  case "\${@: -1} $1" in
    "kopeck restart") systemctl stop kopeck; systemctl start kopeck ;;
    "kopeck stop") kill "$(cat service.pid)"; while kill -0 "$(cat service.pid)" 2>/dev/null; do sleep 0.05; done ;;
    *) kopeck serve >> service.log 2>&1 & echo $! > service.pid
       until curl -sf "http://127.0.0.1:8080/readyz" > /dev/null; do kill -0 "$(cat service.pid)"; sleep 0.05; done ;;
  esac
}
export -f sudo systemctl
`;

it("docs/operations.md writes secrets and dumps for nobody else to read", () => {
  const writing = /> \S+\.(?:json|header|dump)\b|tee \S*env\b.*<<|rand -hex \d+ >/;
  const all = [...MANUAL.matchAll(/```sh\n(.*?)```/gs)].map(([, block = ""]) => block);
  const those = all.filter((block) => writing.test(block));
  assert.ok(those.length >= 6, `${those.length}`);
  for (const block of those) assert.match(block, /^umask 077$/m);
});

onPostgres("docs/operations.md", () => {
  let folder = "";
  let here: (text: string) => string;
  let env: Record<string, string>;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "kopeck-operations-"));
    const server = new URL(process.env["KOPECK_TEST_POSTGRES"] ?? "");
    const port = String(await freePort());
    here = (text) =>
      text
        .replaceAll("127.0.0.1:5432", server.host)
        .replaceAll("8080", port)
        // The tests' own PostgreSQL has a superuser of that name.
        .replace(/(role |owner |--role=|\/\/)kopeck\b(?=[ :;"'\n])/g, "$1kopeck_owner")
        .replaceAll("/etc/kopeck", join(folder, "etc"))
        .replaceAll("/var/lib/kopeck", join(folder, "lib"));
    const command = readFileSync(join(PROJECT, "deploy/kopeck"), "utf8")
      .replaceAll("/opt/kopeck/node_modules/.bin/node", process.execPath)
      .replaceAll("/opt/kopeck", PROJECT)
      .replaceAll("runuser -u kopeck -- ", "");
    mkdirSync(join(folder, "bin"));
    writeFileSync(join(folder, "bin/kopeck"), here(command), { mode: 0o755 });
    env = {
      PATH: `${join(folder, "bin")}:${findPostgres()}:${dirname("/usr/bin/jq")}:${process.env["PATH"]}`,
      HOME: folder,
      PGHOST: server.hostname,
      PGPORT: server.port,
      PGUSER: server.username || "postgres",
      PGDATABASE: "postgres",
    };
  });
  after(async () => {
    const drop = ["kopeck", "kopeck_restored", "kopeck_moved"]
      .map((name) => `psql -q -c 'drop database if exists ${name} with (force)'`)
      .join("\n");
    const stop = '[ ! -f service.pid ] || kill -9 "$(cat service.pid)" 2>/dev/null || true';
    await shell(`${stop}\n${drop}\npsql -q -c 'drop role if exists kopeck_owner'`);
    rmSync(folder, { recursive: true });
  });

  const shell = (script: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const options = { env, cwd: folder, timeout: 300_000 };
      execFile("bash", ["-c", here(MACHINE + script)], options, (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new Error(`${error.message}\n${stdout}\n${stderr}`));
      });
    });

  it("sets a live gateway up from nothing, and a payment goes through it", async () => {
    // What an editor has written: the manual's own example, which the check digit lets pass.
    const [, card = "", phone = ""] = /`(\d{16})` and `(\+7\d{10})`/.exec(MANUAL) ?? [];
    writeFileSync(join(folder, "numbers"), `${card}\n${phone}\n`);
    const said = await shell(blocks("Set up"));
    assert.match(said, /^applied 01_settings\.sql$/m);
    assert.match(said, /^token +kop_[\w-]{32} +\(shown only now\)$/m);
    assert.match(said, /^state +matched$/m);
    assert.match(said, /paid +\S+ +credited 960\.00 RUB/);
    assert.match(said, /"balance":960,"active_balance":0,"freeze_balance":960/);
    assert.match(said, /the books are right/);
    assert.equal(statSync(join(folder, "etc/env")).mode & 0o777, 0o600);
    assert.equal(statSync(join(folder, "lib/operator-token")).mode & 0o777, 0o600);
    const details = JSON.parse(readFileSync(join(folder, "details.json"), "utf8"));
    assert.equal(details.data.wallet, card);
    assert.ok(
      said.includes(`"wallet":"${card}"`),
      "the whole answer is seen, as a refusal would be",
    );
    for (const file of ["user.json", "shop.json", "shop.header", "user.header", "details.json"]) {
      assert.equal(statSync(join(folder, file)).mode & 0o777, 0o600, file);
    }
    for (const file of ["service.log", "lib/server.json"]) {
      assert.ok(!readFileSync(join(folder, file), "utf8").includes(card), file);
    }
  });

  it("backs it up and restores it", async () => {
    const said = await shell(blocks("Back up and restore"));
    assert.match(said, /the books are right/);
  });

  it("upgrades", async () => {
    const said = await shell(blocks("Upgrade"));
    assert.match(said, /^all migrations were there already$/m);
    assert.match(said, /the books are right/);
  });

  it("rotates a shop's key and the service's own", async () => {
    const ids = "SHOP_ID=$(jq -r .shop.shop_id shop.json); API_KEY=$(jq -r .api_key shop.json)\n";
    const tariffs = (key: string): string =>
      `curl -s -o /dev/null -w 'tariffs %{http_code}\\n' http://127.0.0.1:8080/shops/$SHOP_ID/payment-tariffs -H "x-api-key: ${key}"\n`;
    const said = await shell(
      `${ids}${blocks("Rotate keys")}\n${tariffs("$API_KEY")}${tariffs("$(jq -r .secret key.json)")}` +
        "kopeck requisite list\nkopeck verify\n" +
        "DATABASE_URL=$(sed -n 's/^DATABASE_URL=//p' /etc/kopeck/env)_restored kopeck verify 2>&1 || true\n",
    );
    assert.deepEqual(said.match(/^tariffs \d+$/gm), ["tariffs 200", "tariffs 200"]);
    assert.match(said, /220220\*{6}0990/);
    assert.match(said, /the books are right/);
    // What was backed up before opens with the old key alone.
    assert.match(said, /keep a copy of it for as long/);
    assert.match(said, /made with another KOPECK_SECRET_KEY/);
  });
});
