// The kopeck command as a person or a program uses it: a process with arguments, two outputs and an
// exit code, against a running gateway.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import {
  chmodSync,
  chownSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { DoorCommand } from "../src/cli/command.ts";
import { doorManual } from "../src/cli/manual.ts";
import { readOptions } from "../src/cli/options.ts";
import { COMMANDS } from "../src/cli/table.ts";
import { endpointsOf } from "../src/features/index.ts";
import { endpointName } from "../src/platform/endpoint.ts";
import { createH2h, createInvoice, SHOP, USER } from "./cast.ts";
import { ENGINES, openTestGateway, type TestGateway } from "./gateway.ts";

const ENTRANCE = join(import.meta.dirname, "../bin/kopeck.mjs");

const CALLS = COMMANDS.filter((command): command is DoorCommand => "call" in command);

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

describe("the kopeck command", () => {
  let gateway: TestGateway;
  let folder: string;
  before(async () => {
    gateway = await openTestGateway(ENGINES.at(-1) ?? "embedded");
    folder = mkdtempSync(join(tmpdir(), "kopeck-cli-"));
  });
  after(async () => {
    await gateway.stop();
    rmSync(folder, { recursive: true });
  });

  const env = (): Record<string, string> => ({
    KOPECK_URL: gateway.url,
    KOPECK_DATA_DIR: folder,
    TZ: "UTC",
  });
  const run = (
    words: string | readonly string[],
    options: { env?: Record<string, string>; input?: string } = {},
  ): Promise<Ended> =>
    new Promise((resolve) => {
      const args = typeof words === "string" ? words.split(" ").filter(Boolean) : [...words];
      const child = execFile(
        process.execPath,
        [ENTRANCE, ...args],
        { env: options.env ?? env() },
        (error, stdout, stderr) => {
          const code = error === null ? 0 : Number(error.code);
          resolve({ code, stdout, stderr });
        },
      );
      child.stdin?.end(options.input ?? "");
    });
  const json = async (words: string | readonly string[]) => {
    const { code, stdout, stderr } = await run([
      ...(typeof words === "string" ? words.split(" ") : words),
      "--json",
    ]);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };

  describe("knows", () => {
    it("a command for every management call, and no call that is not there", () => {
      const names = endpointsOf("live")
        .map(endpointName)
        .filter((name) => name.includes(" /manage/"))
        .map((name) => name.replace(/:(\w+)/g, "{$1}"));
      const called = new Set(CALLS.map(({ call }) => call));
      assert.deepEqual([...called].sort(), names.sort());
    });

    for (const command of CALLS) {
      it(`an example of "${command.words}" that it understands itself`, () => {
        const manual = doorManual(command);
        const [, ...words] = (manual.example.match(/"[^"]*"|\S+/g) ?? []).map((word) =>
          word.replaceAll('"', ""),
        );
        const own = words.slice(command.words.split(" ").length);
        assert.equal(words.slice(0, -own.length || undefined).join(" "), command.words);
        readOptions(command.words, manual, own, () => "2202200000000007");
      });
    }
  });

  it("helps at every level", async () => {
    const overview = await run("help");
    assert.equal(overview.code, 0);
    for (const words of COMMANDS.map((command) => command.words)) {
      assert.ok(overview.stdout.includes(`kopeck ${words} `), words);
    }
    for (const words of ["help shop", "shop -h", "shop help"]) {
      assert.equal((await run(words)).stdout, (await run("shop --help")).stdout, words);
    }
    const noun = await run("shop --help");
    assert.match(noun.stdout, /kopeck shop create/);
    assert.doesNotMatch(noun.stdout, /kopeck key create/);
    const one = await run("suspense assign --help");
    assert.equal(one.code, 0);
    assert.match(one.stdout, /Cannot be undone: .*credited/);
    assert.match(one.stdout, /<transfer-id>/);
    assert.match(one.stdout, /--payment-id/);
    assert.match(one.stdout, /Example:\n\n {2}kopeck suspense assign/);
  });

  it("prints a table for people", async () => {
    const { code, stdout } = await run("shop list --limit 1");
    assert.equal(code, 0);
    const [head = "", line = "", , more = ""] = stdout.split("\n");
    assert.match(head, /^shop_id {31}name +user_id +h2h_enabled {2}late_policy {2}hook_url$/);
    assert.match(line, /Another user's .* yes +credit +-$/);
    assert.match(more, /^There is more: --after 0{8}-0000-4000-8000-000000000007, or --all\.$/);
    assert.equal(head.indexOf("user_id"), line.indexOf("00000000-0000-4000-8000-000000000006"));
  });

  it("prints JSON for programs, one page or all", async () => {
    const page = await json("shop list --limit 2");
    assert.equal(page.items.length, 2);
    assert.ok(page.next);
    const all = await json("shop list --limit 2 --all");
    assert.equal(all.next, null);
    assert.equal(all.items.length, 5);
  });

  it("walks a merchant's whole way", async () => {
    const { user } = await json("user create Acme");
    const made = await json(`shop create Store --user-id ${user.user_id} --h2h-enabled`);
    const { shop_id } = made.shop;
    await json(
      `tariff set p2p_card --shop-id ${shop_id} --shop-percent 5 --user-percent 0 --min-sum 10 --max-sum 500`,
    );
    const shop = { id: shop_id, key: made.api_key };
    const invoice = await createInvoice(gateway, { amount: 100, order_id: "cli-1" }, shop);
    assert.equal(invoice.status, 200, invoice.text);
    const { body } = await createH2h(gateway, invoice.body.data.id, {}, shop);
    // The number comes by standard input: it is in no list of processes and no history.
    const added = await run(
      ["transfer", "add", "--wallet", "-", "--amount", body.data.amount, "--reference", "cli-r1"],
      { input: `${body.data.wallet}\n` },
    );
    assert.equal(added.code, 0, added.stderr);
    assert.match(added.stdout, /^state +matched$/m);
    const shown = await run(`invoice show ${invoice.body.data.id}`);
    assert.match(shown.stdout, /timeline:/);
    assert.match(shown.stdout, /invoice created .*order cli-1, 100\.00 RUB/);
    assert.match(shown.stdout, /paid .*credited 95\.00 RUB/);
    assert.ok(!shown.stdout.includes(body.data.wallet));
    const [account] = (await json(`account list --user-id ${user.user_id} --kind frozen`)).items;
    const statement = await run(`account statement ${account.account_id}`);
    assert.match(statement.stdout, /transfer_matched +95\.00/);
  });

  it("reads a file of banks", async () => {
    const file = join(folder, "banks.tsv");
    writeFileSync(file, "# id\tname\n100000000001\tГазпромбанк\n199999999999\tNew Bank\n");
    const done = await json(["sbp-bank", "replace", "--file", file, "--yes"]);
    assert.deepEqual(done, { added: 1, renamed: 0, removed: 191 });
    const answer = await gateway.call(`/payoff/get-sbp-bank-list?user_id=${USER.id}`, {
      headers: { "x-api-signature-sha256": USER.secret },
    });
    assert.deepEqual(
      answer.body.data.banks.map(({ name }: { name: string }) => name),
      ["Газпромбанк", "New Bank"],
    );
    writeFileSync(file, "no tab\n");
    const refused = await run(["sbp-bank", "replace", "--file", file, "--yes"]);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /an id, a tab and a name/);
  });

  it("asks before what cannot be undone, and does nothing without an answer", async () => {
    const [key] = (await json(`key list --shop-id ${SHOP.id}`)).items;
    const asked = await run(`key revoke ${key.key_id}`);
    assert.equal(asked.code, 2);
    assert.match(asked.stderr, /refused from now on\. Say --yes/);
    assert.equal((await createInvoice(gateway)).status, 200);
    const { secret } = await json(`key create --shop-id ${SHOP.id}`);
    assert.equal((await run(`key revoke ${key.key_id} --yes`)).code, 0);
    assert.equal((await createInvoice(gateway)).status, 401);
    assert.equal((await createInvoice(gateway, {}, { id: SHOP.id, key: secret })).status, 200);
  });

  describe("says what is wrong in one line, with an exit code of its kind", () => {
    const unknown = "00000000-0000-4000-8000-00000000dead";
    const wrong: [words: string, code: number, line: RegExp][] = [
      ["nonsense", 2, /There is no command "nonsense"/],
      ["help nonsense", 2, /There is no command "nonsense"/],
      ["shop frobnicate", 2, /There is no command "shop frobnicate"/],
      ["shop list --colour red", 2, /Unknown option '--colour'/],
      ["shop show", 2, /The shop-id is missing/],
      [`shop show ${unknown} again`, 2, /"again" is one word too many/],
      ["shop create Store", 2, /--user-id is missing/],
      ["refund create x 1 --reason y --reference= --yes", 2, /reference is empty/],
      ["refund create x ten --reason y --yes", 2, /amount must be a number, not "ten"/],
      ["refund create x 100.00000000000000001 --reason y --yes", 2, /amount has more digits/],
      ["refund create x 99999999999.999999 --reason y --yes", 2, /amount has more digits/],
      ["refund create x 1 --reason y --reason z --yes", 2, /--reason stands there twice/],
      ["sbp-bank replace --yes", 2, /--file is missing/],
      ["sbp-bank replace --file /nonexistent --yes", 2, /cannot be read/],
      ["completion tcsh", 2, /bash, zsh or fish/],
      ["secret frobnicate", 2, /There is no command "secret frobnicate"/],
      ["verify --colour red", 2, /Unknown option '--colour'/],
      [`shop show ${unknown}`, 1, /The shop was not found/],
      ["shop show nonsense", 1, /The shop id field must be a UUID/],
      ["shop list --limit 0", 1, /The limit field must be at least 1/],
    ];
    for (const [words, code, line] of wrong) {
      it(words, async () => {
        const ended = await run(words);
        assert.equal(ended.code, code, ended.stderr);
        assert.match(ended.stderr, /^kopeck: [^\n]+\n$/);
        assert.match(ended.stderr, line);
        assert.equal(ended.stdout, "");
      });
    }

    it("a gateway that is not there, and a token that it does not know", async () => {
      const away = await run("whoami", { env: { ...env(), KOPECK_URL: "http://127.0.0.1:1" } });
      assert.equal(away.code, 3);
      assert.match(away.stderr, /The gateway at http:\/\/127\.0\.0\.1:1 cannot be reached/);
      const stranger = await run("whoami", { env: { ...env(), KOPECK_TOKEN: "kop_wrong" } });
      assert.equal(stranger.code, 3);
      assert.match(stranger.stderr, /does not know this token/);
      const live = await run("whoami", { env: { ...env(), KOPECK_MODE: "live" } });
      assert.equal(live.code, 2);
      assert.match(live.stderr, /There is no token: set KOPECK_TOKEN, or run "kopeck init"/);
    });
  });

  it("says of a transfer whether it is new, and refuses its reference with another amount", async () => {
    const transfer = (amount: number) =>
      `transfer add --wallet 2202200000000007 --amount ${amount} --reference told-by-hand`;
    const first = await json(transfer(12.5));
    assert.equal(first.fresh, true);
    assert.deepEqual(await json(transfer(12.5)), { ...first, fresh: false });
    const { code, stdout, stderr } = await run(transfer(12.51));
    assert.deepEqual([code, stdout], [1, ""]);
    assert.equal(
      stderr,
      "kopeck: The reference field belongs to another transfer, with another amount.\n",
    );
    assert.equal((await json("transfer list --reference told-by-hand")).items.length, 1);
  });

  it("finds address and token in the data directory", async () => {
    const { operator, token } = await json("operator create Filed --role viewer");
    writeFileSync(join(folder, "server.json"), JSON.stringify({ url: gateway.url, mode: "live" }));
    writeFileSync(join(folder, "operator-token"), `${token}\n`);
    const { code, stdout, stderr } = await run("whoami", { env: { KOPECK_DATA_DIR: folder } });
    assert.equal(code, 0, stderr);
    assert.match(stdout, new RegExp(operator.operator_id));
    rmSync(join(folder, "server.json"));
    rmSync(join(folder, "operator-token"));
  });

  it("sends the token that lies here to no other gateway", async () => {
    writeFileSync(join(folder, "server.json"), JSON.stringify({ url: gateway.url, mode: "live" }));
    writeFileSync(join(folder, "operator-token"), "kop_of_this_machine\n");
    const elsewhere = {
      KOPECK_DATA_DIR: folder,
      KOPECK_URL: "http://127.0.0.1:1",
      KOPECK_MODE: "live",
    };
    const { code, stderr } = await run("whoami", { env: elsewhere });
    assert.equal(code, 2);
    assert.match(stderr, /There is no token: set KOPECK_TOKEN/);
    rmSync(join(folder, "server.json"));
    rmSync(join(folder, "operator-token"));
  });

  describe("sends no token where a server.json sends it that may be anybody's", () => {
    const heard: string[] = [];
    let listener: Server;
    let port: number;
    before(async () => {
      listener = createServer((request, response) => {
        heard.push(String(request.headers.authorization));
        response.end("{}");
      });
      await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
      ({ port } = listener.address() as AddressInfo);
    });
    after(() => listener.close());

    const file = (): string => join(folder, "server.json");
    const leave = (url: string): void =>
      writeFileSync(file(), JSON.stringify({ url, mode: "live" }));
    const here = (): string => `http://127.0.0.1:${port}`;
    const cases: [name: string, line: RegExp, plant: () => void][] = [
      // This address of no machine reaches the listener all the same.
      [
        "names another machine",
        /which is not this machine: set KOPECK_URL/,
        () => leave(`http://0.0.0.0:${port}`),
      ],
      [
        "can be written by others",
        /can be written by other users/,
        () => {
          leave(here());
          chmodSync(file(), 0o646);
        },
      ],
      [
        "is a link to another",
        /is not a file of its own/,
        () => {
          leave(here());
          renameSync(file(), join(folder, "elsewhere.json"));
          symlinkSync(join(folder, "elsewhere.json"), file());
        },
      ],
      [
        "belongs to somebody else",
        /belongs to another user/,
        () => {
          leave(here());
          chownSync(file(), 54321, 54321);
        },
      ],
    ];
    for (const [name, line, plant] of cases) {
      const skip = name.startsWith("belongs") && process.getuid?.() !== 0 && "needs root";
      it(`one that ${name}`, { skip }, async () => {
        plant();
        const own = { KOPECK_DATA_DIR: folder, KOPECK_TOKEN: "kop_secret" };
        const { code, stdout, stderr } = await run("whoami", { env: own });
        assert.deepEqual(heard, []);
        assert.equal(code, 2, stderr);
        assert.equal(stdout, "");
        assert.match(stderr, /^kopeck: [^\n]+\n$/);
        assert.match(stderr, line);
        // What the environment says in full is not held up by it.
        const named = await run("whoami", { env: { ...own, KOPECK_URL: gateway.url } });
        assert.match(named.stderr, /does not know this token/);
        rmSync(file());
      });
    }
  });

  it("ends quietly when nobody reads on", async () => {
    const script = `${process.execPath} ${ENTRANCE} help | true; echo "\${PIPESTATUS[0]}"`;
    const said = await new Promise<string>((resolve) => {
      execFile("bash", ["-c", script], { env: env() }, (_, out) => resolve(out));
    });
    assert.equal(said, "0\n");
  });

  it("does not let a stranger's text steer the terminal", async () => {
    await run(["user", "create", "red\u001b[31m\nsecond line"]);
    const { stdout } = await run("user list");
    assert.ok(!stdout.includes("\u001b"));
    assert.match(stdout, /red \[31m second line/);
  });

  it("completes words and choices in bash", async () => {
    const script = (await run("completion bash")).stdout;
    const bin = join(folder, "kopeck");
    writeFileSync(bin, `#!/bin/sh\nexec ${process.execPath} ${ENTRANCE} "$@"\n`, { mode: 0o755 });
    const completed = (line: string): Promise<string> =>
      new Promise((resolve) => {
        const typed = line.split(" ");
        const set = `COMP_WORDS=(${typed.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${typed.length - 1}`;
        const text = `${script}\n${set}\n_kopeck\necho "\${COMPREPLY[@]}"`;
        const path = { PATH: `${folder}:${process.env["PATH"]}` };
        execFile("bash", ["-c", text], { env: path }, (_, stdout) => resolve(stdout.trim()));
      });
    assert.equal(await completed("kopeck susp"), "suspense");
    assert.equal(await completed("kopeck suspense "), "list assign return");
    assert.equal(await completed("kopeck operator create --role "), "operator viewer bank");
    assert.equal(await completed("kopeck shop create --late"), "--late-policy");
    assert.equal(await completed("kopeck secret "), "rotate");
    assert.equal(await completed("kopeck init --a"), "--again");
  });
});
