// The kopeck command as a person or a program uses it: a process with arguments, two outputs and an
// exit code, against a running gateway.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { runCommand } from "../src/cli/run.ts";
import { COMMANDS } from "../src/cli/table.ts";
import { endpointsOf } from "../src/features/index.ts";
import { endpointName } from "../src/platform/endpoint.ts";
import { createH2h, createInvoice, OTHER_SHOP, SHOP, URLS_SHOP, USER } from "./cast.ts";
import { changedLine } from "./lines.ts";
import { ownHand } from "./manage.ts";
import { openOneGateway } from "./one-gateway.ts";
import { orders } from "./orders.ts";
import { CARD as PAYOUT_CARD, pauseRail, payouts, SBER } from "./payouts.ts";
import { NO_TERMINAL, onTerminal } from "./terminal.ts";

const ENTRANCE = join(import.meta.dirname, "../bin/kopeck.mjs");

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const { gateway } = await openOneGateway();
const folder = mkdtempSync(join(tmpdir(), "kopeck-cli-"));
after(() => rmSync(folder, { recursive: true }));

const ENV = { KOPECK_URL: gateway.url, KOPECK_DATA_DIR: folder };
const run = (
  words: string | readonly string[],
  {
    env = ENV,
    input = "",
    cwd,
  }: { env?: Record<string, string>; input?: string; cwd?: string } = {},
): Promise<Ended> =>
  new Promise((resolve) => {
    const args = typeof words === "string" ? words.split(" ").filter(Boolean) : words;
    const child = execFile(process.execPath, [ENTRANCE, ...args], { env, cwd }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout: out, stderr: err }),
    );
    child.stdin?.end(input);
  });
/** Nobody listens there. */
const AWAY = { KOPECK_URL: "http://127.0.0.1:1" };
const LIVE = { KOPECK_MODE: "live" };
const SIGNED = { KOPECK_URL: "http://anna:hidden@127.0.0.1:1" };
/** No addresses: without the beginning of one, and with a password that was not encoded. */
const TORN = { KOPECK_URL: "anna:hidden@127.0.0.1:1" };
const UNCODED = { KOPECK_URL: "http://anna:#hidden@127.0.0.1:1" };
const PARTS = /^kopeck: KOPECK_URL must be an address without user, query or fragment/;
const json = async (words: string | readonly string[]) => {
  const typed = typeof words === "string" ? words.split(" ") : words;
  const { code, stdout, stderr } = await run([...typed, "--json"]);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
};

it("knows a command for every call of operators and of a merchant's people, and no call that is not there", () => {
  const names = endpointsOf("live")
    .map(endpointName)
    .filter((name) => / \/(?:manage|cabinet)\//.test(name))
    .map((name) => name.replace(/:(\w+)/g, "{$1}"));
  const called = new Set(
    COMMANDS.flatMap((one) => ("call" in one ? [one.call] : (one.calls ?? []))),
  );
  assert.deepEqual([...called].sort(), names.sort());
});

it("takes a payout through the desk and through a file: by its order, with what the bank says", async () => {
  await pauseRail(gateway);
  const client = payouts(gateway, orders(gateway));
  await client.earn(1);
  const [desk, filed] = [await client.made({ order_id: "desk" }), await client.made()];
  const taken = await json("payout take desk --yes");
  assert.deepEqual([taken.wallet, taken.payout.payout_id], [PAYOUT_CARD, desk]);
  const told = (await run("payout take desk --yes")).stdout;
  assert.match(told, /^Send exactly 98\.00 RUB to 2200000000000400, until 12:\d\d\.\n\n/);
  assert.match(told, /^withdraw +100\.00$/m);
  assert.equal((await json("payout sent desk B17 --yes")).state, "done");
  const unpaid = await run("payout-batch make 1c --yes");
  assert.equal(unpaid.code, 1);
  assert.match(unpaid.stderr, /names the payer's account/);
  const { payouts: count, batch_id } = await json("payout-batch make csv --yes");
  assert.equal(count, 1);
  const end = batch_id.slice(-8);
  const file = join(folder, "payouts.csv");
  const saved = await run(["payout-batch", "save", end, "--out", file]);
  assert.deepEqual([saved.code, saved.stdout.split("\n")[0]], [0, file], saved.stderr);
  const text = readFileSync(file, "utf8");
  assert.ok(text.includes(`;card;${PAYOUT_CARD};`), text);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const again = await run(["payout-batch", "save", end, "--out", file]);
  assert.match(again.stderr, /is there already/);
  const [, number] = /^(K[0-9A-F]{12});/m.exec(text) ?? [];
  writeFileSync(file, `${number};sent;B18;\r\n`);
  const settled = await json(["payout-batch", "settle", end, file]);
  assert.deepEqual([settled.rows, settled.settled], [1, 1]);
  assert.equal((await json(`payout show ${filed}`)).payout.bank_reference, "B18");
  const looked = join(folder, "again-not-for-bank.csv");
  const late = ["payout-batch", "save", end, "--out", looked];
  const over = await run(late);
  assert.equal(over.code, 1);
  assert.match(over.stderr, new RegExp(`${number}. Do not bring it to the bank`));
  assert.equal((await run([...late, "--not-for-bank"])).code, 0);
  assert.equal(readFileSync(looked, "utf8"), text);
  const sbp = `--service sbp --wallet-to 89161234567 --bank-id ${SBER} --amount 20`;
  const added = await json(`payout add --user-id ${USER.id} ${sbp} --yes`);
  assert.deepEqual([added.bank_id, added.held_reason], [SBER, "by_hand"]);
  const [head, row] = (await run("payout list --csv")).stdout.split("\r\n");
  assert.match(head ?? "", /,created_at,currency$/);
  assert.match(row ?? "", /,RUB$/);
  const { stdout: listed } = await run("payout-tariff list");
  assert.match(listed, /day_sum +hold_over +hold_first/);
  assert.match(listed, / 1000000\.00 +50000\.00 +no +80000\.00 /);
});

it("says of a line that takes two that the first word has moved nothing", async () => {
  const { config } = gateway.app;
  Object.assign(config, { fourEyesFrom: 700 });
  try {
    const { line_id } = await changedLine(gateway, 700);
    const told: string[] = [];
    for (const name of ["Anna", "Boris"]) {
      const { token } = await ownHand(gateway, name);
      const env = { ...ENV, KOPECK_TOKEN: token };
      const words = `line decide ${line_id} --decision book --reason seen --yes`;
      const { stdout, stderr } = await run(words, { env });
      told.push(stdout.split("\n")[0] || stderr);
    }
    assert.deepEqual(told, [
      "Nothing has moved yet: this amount needs a second approval, by another person with the same command.",
      "It is new.",
    ]);
  } finally {
    Object.assign(config, { fourEyesFrom: undefined });
  }
});

it("fails where one of several lines was refused, and says of how many nothing has moved yet", async () => {
  const { config } = gateway.app;
  Object.assign(config, { fourEyesFrom: 700 });
  try {
    const { line_id: small } = await changedLine(gateway, 70);
    const { line_id: large } = await changedLine(gateway, 701);
    const file = join(folder, "lines.txt");
    writeFileSync(file, `${small}\n${large}\n`);
    const words = ["line", "decide-several", "--file", file, "--decision", "book", "--yes"];
    const decide = () => run([...words, "--reason", "seen"]);
    const first = await decide();
    assert.equal(first.code, 0, first.stderr);
    assert.match(
      first.stdout,
      /^Decided: 1 of 2\. Of 1 nothing has moved yet: this amount needs a second/,
    );
    const again = await decide();
    assert.deepEqual(
      [again.code, again.stdout.split("\n")[0], again.stderr.trim()],
      [
        1,
        "Decided: 0 of 2.",
        "kopeck: 2 of 2 were refused or got no answer; the same again decides none twice.",
      ],
    );
    assert.match(again.stdout, /line_settled.*\n.*approval_repeated/);
  } finally {
    Object.assign(config, { fourEyesFrom: undefined });
  }
});

it("reads a file of banks", async () => {
  const file = join(folder, "banks.tsv");
  writeFileSync(file, "\ufeff# id\tname\n100000000001\tГазпромбанк\n199999999999\tNew Bank\n");
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

it("asks before a rotation ends the present keys at once, and before no other", async () => {
  const { shop, api_key } = await json(`shop create Rotated --user-id ${USER.id}`);
  const rotation = `key rotate --shop-id ${shop.shop_id} --overlap-hours`;
  const asked = await run(`${rotation} 0`);
  assert.equal(asked.code, 2);
  assert.match(asked.stderr, /refused from now on\. Say --yes/);
  const tariffs = () =>
    gateway.call(`/shops/${shop.shop_id}/payment-tariffs`, { headers: { "x-api-key": api_key } });
  assert.notEqual((await tariffs()).status, 401);
  assert.equal((await run(`${rotation} 1`)).code, 0);
  assert.notEqual((await tariffs()).status, 401);
  assert.equal((await run(`${rotation} 0 --yes`)).code, 0);
  assert.equal((await tariffs()).status, 401);
});

it("names what an id stands for, at the question and where several fit", {
  skip: NO_TERMINAL,
}, async () => {
  const order_id = "named-1";
  const { body } = await createInvoice(gateway, { order_id, amount: 500 }, OTHER_SHOP);
  const { id } = body.data;
  const details = await createH2h(gateway, id, {}, OTHER_SHOP);
  const { wallet, amount } = details.body.data;
  await json(`transfer add --wallet ${wallet} --amount ${amount} --reference named-1`);
  const [payment] = (await json(`payment list --order-id ${order_id}`)).items;
  const words = [process.execPath, ENTRANCE, "refund", "create", order_id, "7.5", "--reason", "no"];
  const typed = (text: string) =>
    onTerminal(words, { env: ENV, typed: [/Go on\? \[y\/N\] /, text] as const });
  const question = new RegExp(
    `^invoice-id: ${id}  named-1, paid, 500\\.00 RUB\namount: 7\\.50\nreason: no\n.*Go on\\?`,
  );
  for (const [text, code] of [
    ["\u0003", 130],
    ["\u0004", 2],
    ["n\r", 2],
  ] as const) {
    const ended = await typed(text);
    assert.match(ended.screen, question);
    assert.match(ended.screen, /kopeck: Nothing was done\.\n$/);
    assert.equal(ended.code, code, ended.screen);
  }
  assert.equal((await json("refund list")).items.length, 0);
  const shown = await run(`invoice show ${order_id}`);
  assert.match(shown.stdout, new RegExp(id), shown.stderr);
  // The end of an id, the last digits of a card.
  for (const [found, name, value] of [
    [await json("shop show 0002"), "shop_id", SHOP.id],
    [await json("requisite show 0015"), "card", "220220******0015"],
    [await json("requisite show 00000104"), "bank", "tinkoff"],
  ] as const) {
    assert.equal(found[name], value);
  }
  // One order id may be two shops'.
  await createInvoice(gateway, { order_id }, URLS_SHOP);
  const several = await run(`invoice show ${order_id}`);
  assert.deepEqual([several.code, several.stdout], [2, ""]);
  assert.match(
    several.stderr,
    /^kopeck: "named-1" may be any of these:(?:\n +\S{36} {2}named-1, .*){2}\n$/,
  );
  assert.match((await run("requisite show 000000010")).stderr, /There is no requisite that/);
  assert.equal(
    (await json(`payment list --invoice-id ${id}`)).items[0].payment_id,
    payment.payment_id,
  );
});

it("asks for a line at a terminal, cuts tables to it, and tells times by the service's zone", {
  skip: NO_TERMINAL,
}, async () => {
  const kopeck = (words: string, seat: Parameters<typeof onTerminal>[1]) =>
    onTerminal([process.execPath, ENTRANCE, ...words.split(" ")], { env: ENV, ...seat });
  const added = await kopeck("requisite add --bank sber --receiver-name A --card -", {
    typed: [/^card: /, "5200828282828210\r"],
  });
  assert.match(added.screen, /card +520082\*+8210/);
  const wide = (await run("key list")).stdout.split("\n");
  const { screen } = await kopeck("key list", { columns: 70 });
  const [head = "", first = ""] = screen.split("\n");
  assert.ok((wide[0]?.length ?? 0) > 100);
  for (const line of [head, first]) assert.ok([...line].length <= 70, line);
  // Of an id the end is left, which commands take.
  const [, end = ""] = /^…(\S{8,}) /.exec(first) ?? [];
  assert.ok(end !== "" && wide[1]?.startsWith(end, 36 - end.length), first);
  for (const text of [screen, wide.join("\n")]) {
    assert.match(text, /2026-03-01 12:0/, "nine o'clock in London");
    assert.match(text, /\n\nTimes are those of Europe\/Moscow\.\n$/);
  }
  const sent = (await kopeck("payout list", { columns: 80 })).screen.split("\n");
  for (const line of sent) assert.ok([...line].length <= 80, line);
  assert.ok(
    sent.some((line) => / card +100\.00 +…\*+0400 /.test(line)),
    sent.join("\n"),
  );
});

describe("says what is wrong in one line, with an exit code of its kind", () => {
  it("2 for what cannot be understood, before anything is asked or done", async () => {
    // main.ts makes one line of what is thrown; many lines of one process are listened for.
    process.stdout.setMaxListeners(0);
    for (const [words, message] of [
      ["nonsense", /There is no command "nonsense"/],
      ["help nonsense", /There is no command "nonsense"/],
      ["shop frobnicate", /There is no command "shop frobnicate"/],
      ["shop list --colour red", /Unknown option '--colour'/],
      ["shop show", /The shop-id is missing/],
      ["shop show x again", /"again" is one word too many/],
      ["shop create Store", /--user-id is missing/],
      ["transfer add --wallet x --reference y", /--amount is missing/],
      ["refund create x 1 --reason y --reference= --yes", /reference is empty/],
      [
        "refund create x ten --reason y --yes",
        /amount must be a number such as 1519.80, not "ten"/,
      ],
      ["refund create x 150,000 --reason y --yes", /must be a number such as .*"150,000"/],
      ["refund create x 150.000 --reason y --yes", /must be a number such as .*"150\.000"/],
      ["requisite update x --max-day-payments 1.000", /must be a whole number, not "1\.000"/],
      ["refund create x 100.00000000000000001 --reason y --yes", /amount has more digits/],
      ["refund create x 99999999999.999999 --reason y --yes", /amount has more digits/],
      ["refund create x 1 --reason y --reason z --yes", /--reason stands there twice/],
      ["sbp-bank replace --yes", /--file is missing/],
      ["sbp-bank replace --file /nonexistent --yes", /cannot be read/],
      ["secret frobnicate", /There is no command "secret frobnicate"/],
      ["verify --colour red", /Unknown option '--colour'/],
    ] as const) {
      await assert.rejects(runCommand(words.split(" ")), { exitCode: 2, message }, words);
    }
    const ended = await run("shop frobnicate");
    assert.deepEqual([ended.code, ended.stdout], [2, ""]);
    assert.match(ended.stderr, /^kopeck: There is no command "shop frobnicate"[^\n]*\n$/);
  });

  for (const [words, code, line, changes] of [
    ["shop show 00000000-0000-4000-8000-00000000dead", 1, /The shop was not found/],
    ["shop show nonsense", 2, /There is no shop that "nonsense" would tell/],
    ["whoami", 3, /The gateway at http:\/\/127\.0\.0\.1:1 cannot be reached/, AWAY],
    ["whoami", 2, PARTS, SIGNED],
    ["whoami", 2, PARTS, TORN],
    ["whoami", 2, PARTS, UNCODED],
    ["whoami", 3, /know this token, which is from KOPECK_TOKEN/, { KOPECK_TOKEN: "kop_wrong" }],
    ["whoami", 2, /There is no token: set KOPECK_TOKEN, or run "kopeck init"/, LIVE],
    ["verify --colour red", 2, /Unknown option '--colour'/],
  ] as const) {
    it(`${words}: ${line.source}`, async () => {
      const ended = await run(words, { env: { ...ENV, ...changes } });
      assert.deepEqual([ended.code, ended.stdout], [code, ""], ended.stderr);
      assert.match(ended.stderr, /^kopeck: [^\n]+\n$/);
      assert.match(ended.stderr, line);
      assert.doesNotMatch(ended.stderr, /hidden/);
    });
  }
});

it("finds address and token in the data directory, and sends that token to no other gateway", async () => {
  const { operator, token } = await json("operator create Filed --role viewer");
  writeFileSync(join(folder, "server.json"), JSON.stringify({ url: gateway.url, mode: "live" }));
  writeFileSync(join(folder, "operator-token"), `${token}\n`);
  const here = await run("whoami", { env: { KOPECK_DATA_DIR: folder } });
  assert.match(here.stdout, new RegExp(operator.operator_id), here.stderr);
  const elsewhere = await run("whoami", { env: { KOPECK_DATA_DIR: folder, ...AWAY, ...LIVE } });
  assert.equal(elsewhere.code, 2);
  assert.match(
    elsewhere.stderr,
    /There is no token: set KOPECK_TOKEN\. One lies in \S+operator-token, and is only sent to http:\/\/127/,
  );
  const { port } = new URL(gateway.url);
  for (const spelling of [
    `http://localhost:${port}`,
    `${gateway.url}/`,
    `HTTP://127.0.0.1:${port}`,
  ]) {
    const env = { KOPECK_DATA_DIR: folder, KOPECK_URL: spelling };
    const { stdout, stderr } = await run("whoami", { env });
    assert.match(stdout, new RegExp(operator.operator_id), stderr);
  }
  rmSync(join(folder, "server.json"));
  const unknown = { KOPECK_DATA_DIR: folder, KOPECK_URL: gateway.url, ...LIVE };
  const { stderr } = await run("whoami", { env: unknown });
  assert.match(
    stderr,
    /One lies in \S+operator-token, and is only sent to the gateway that runs there\.\n/,
  );
  rmSync(join(folder, "operator-token"));
});

describe("sends no token where a server.json sends it that may be anybody's", () => {
  const heard: string[] = [];
  const listener = createServer((request, response) => {
    heard.push(String(request.headers.authorization));
    response.end("{}");
  });
  before(() => once(listener.listen(0, "127.0.0.1"), "listening"));
  after(() => listener.close());

  const file = join(folder, "server.json");
  for (const [name, line, spoil] of [
    // This address of no machine reaches the listener all the same.
    ["names another machine", /which is not this machine: set KOPECK_URL/, () => {}],
    ["can be written by others", /can be written by other users/, () => chmodSync(file, 0o646)],
    [
      ...(["is a link to another", /is not a file of its own/] as const),
      () => {
        renameSync(file, join(folder, "elsewhere.json"));
        symlinkSync(join(folder, "elsewhere.json"), file);
      },
    ],
    ["belongs to somebody else", /another user/, () => chownSync(file, 54321, 54321)],
  ] as const) {
    const skip = name.startsWith("belongs") && process.getuid?.() !== 0 && "needs root";
    it(`one that ${name}`, { skip }, async () => {
      const { port } = listener.address() as AddressInfo;
      const host = name.startsWith("names") ? "0.0.0.0" : "127.0.0.1";
      writeFileSync(file, JSON.stringify({ url: `http://${host}:${port}`, mode: "live" }));
      spoil();
      const own = { KOPECK_DATA_DIR: folder, KOPECK_TOKEN: "kop_secret" };
      const { code, stdout, stderr } = await run("whoami", { env: own });
      assert.deepEqual([heard, code, stdout], [[], 2, ""], stderr);
      assert.match(stderr, /^kopeck: [^\n]+\n$/);
      assert.match(stderr, line);
      // What the environment says in full is not held up by it.
      const named = await run("whoami", { env: { ...own, KOPECK_URL: gateway.url } });
      assert.match(named.stderr, /does not know this token/);
      rmSync(file);
    });
  }
});

it("says in one line that an answer could not be written, and what may be done and lost", async () => {
  const script = `${process.execPath} ${ENTRANCE} user create Unheard --json > /dev/full`;
  const [code, stderr] = await new Promise<[unknown, string]>((resolve) => {
    execFile("sh", ["-c", script], { env: ENV }, (error, _, err) => resolve([error?.code, err]));
  });
  assert.equal(code, 1);
  assert.match(stderr, /^kopeck: The answer could not be written \(ENOSPC[^\n]+\n$/);
  assert.match(stderr, /may have been done .* secret .* make it anew/);
  assert.match((await run("user list")).stdout, /Unheard/, "it was done");
});

it("does not let a stranger's text steer the terminal", async () => {
  await run(["user", "create", "red\u001b[31m\nsecond line"]);
  const { stdout } = await run("user list");
  assert.ok(!stdout.includes("\u001b"));
  assert.match(stdout, /red \[31m second line/);
});
