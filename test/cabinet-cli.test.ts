// "kopeck my" as a merchant's people type it: on what is theirs, with a personal token, and with what they do not have.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, it } from "node:test";
import { createInvoice, OTHER_SHOP, SHOP, URLS_SHOP } from "./cast.ts";
import { hire, OWNER_TOKEN } from "./members.ts";
import { openOneGateway } from "./one-gateway.ts";
import { DAY } from "./orders.ts";
import { killLeftovers, runKopeck } from "./process.ts";
import { openReceiver } from "./receiver.ts";

const { gateway } = await openOneGateway();
const folder = mkdtempSync(join(tmpdir(), "kopeck-my-"));
after(() => {
  killLeftovers();
  rmSync(folder, { recursive: true });
});

const OWNER = { KOPECK_URL: gateway.url, KOPECK_DATA_DIR: folder, KOPECK_TOKEN: OWNER_TOKEN };
const run = (words: string, changes: Record<string, string> = {}) =>
  runKopeck({ ...OWNER, ...changes }, words.split(" ")).ended;
const json = async (words: string) => {
  const { code, stdout, stderr } = await run(`${words} --json`);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
};

it("lists what is the merchant's alone: for people by the service's zone, for programs, all pages", async () => {
  const theirs = await createInvoice(gateway, { order_id: "theirs" }, OTHER_SHOP);
  assert.equal(theirs.status, 200);
  for (const order_id of ["mine-1", "mine-2", "mine-3"]) await createInvoice(gateway, { order_id });
  const { stdout, stderr } = await run("my invoice list --limit 2");
  assert.match(
    stdout,
    /^invoice_id +shop_id +order_id +state +amount +currency +created_at\n/,
    stderr,
  );
  assert.match(
    stdout,
    / mine-\d +created +1000\.00 +RUB +2026-03-01 12:0/,
    "nine o'clock in London",
  );
  assert.match(
    stdout,
    /\nTimes are those of Europe\/Moscow\.\n\nThere is more: --after \S+, or --all\.\n$/,
  );
  const all = await json("my invoice list --limit 2 --all");
  assert.deepEqual(all.items.map(({ order_id }: { order_id: string }) => order_id).sort(), [
    "mine-1",
    "mine-2",
    "mine-3",
  ]);
  const others = await run("my invoice show theirs");
  assert.deepEqual([others.code, others.stdout], [2, ""]);
  assert.match(others.stderr, /There is no invoice that "theirs" would tell/);
});

it("makes a payment link, and finds shop, order and person by what people type", async () => {
  const made = await json("my invoice create --shop-id 0004 --amount 500 --order-id by-hand");
  assert.match(made.url, new RegExp(`/pay/${made.invoice_id}$`));
  const shown = await json("my invoice show by-hand");
  assert.deepEqual([shown.invoice.shop_id, shown.invoice.amount], [URLS_SHOP.id, 500]);
  const { personId } = await hire(gateway, "support");
  const changed = await json(`my member change ${personId.slice(-12)} --role developer`);
  assert.deepEqual([changed.person_id, changed.role], [personId, "developer"]);
  const { email } = changed;
  const again = await json(`my member change ${email.toUpperCase()} --role support`);
  assert.deepEqual([again.person_id, again.role], [personId, "support"]);
  const words = ["my", "shop", "show", "northern WOOL"];
  assert.match(
    (await runKopeck(OWNER, words).ended).stdout,
    new RegExp(`^shop_id +${URLS_SHOP.id}`),
  );
  const { code, stderr } = await run("my shop show wool");
  assert.deepEqual(
    [code, stderr],
    [
      2,
      'kopeck: There is no shop that "wool" would tell. Say its name, or its id or the end of it, four characters or more.\n',
    ],
  );
  // The rows of a list may be another part of the answer, of which its description says nothing.
  assert.match((await run("my sbp-bank list")).stdout, /^id +name\n100000000001 +Газпромбанк\n/);
  assert.doesNotMatch((await run("my sbp-bank list --help")).stdout, /commission|fee/);
});

it("gives all pages as CSV, which a spreadsheet runs nothing of, by the service's own days", async () => {
  gateway.clock.advance(DAY / 2);
  const order_id = '=HYPERLINK("x"), ё';
  await createInvoice(gateway, { order_id, amount: 1234.5 });
  const { stdout } = await run("my invoice list --from 2026-03-02 --to 2026-03-03 --limit 1 --csv");
  const [head, row, ...rest] = stdout.split("\r\n");
  assert.equal(head, "\ufeffinvoice_id,shop_id,order_id,state,amount,currency,created_at");
  const made = `"'=HYPERLINK(""x""), ё",created,1234.50,RUB,2026-03-02 00:0`;
  assert.ok(row?.includes(`,${SHOP.id},${made}`), "midnight in Moscow has passed, in London not");
  assert.deepEqual(rest, [""]);
  const before = await run("my invoice list --to 2026-03-02 --limit 1 --csv");
  assert.equal(
    before.stdout.split("\r\n").length,
    (await json("my invoice list --all")).items.length + 1,
  );
  for (const unseen of ["\u00ad", "\ufe0f", "\u3164", "\u180e", "\u{e0001}"]) {
    await createInvoice(gateway, { order_id: `${unseen}=1+1` });
    const file = await run("my invoice list --limit 1 --csv --state created");
    assert.ok(file.stdout.includes(`,'${unseen}=1+1,`), JSON.stringify(unseen));
  }
  const pages = await json("my statement --from 2026-03-02");
  assert.deepEqual(pages.items, []);
});

const HOW =
  'a merchant\'s personal token, which the cabinet makes (/my/keys, "New personal token"; or POST /cabinet/tokens).\n';

it("says of a wrong kind of token which one it wants, both ways", async () => {
  const operators = await run("my balance", { KOPECK_TOKEN: "sandbox_operator_token" });
  const unknown = `kopeck: The gateway at ${gateway.url} does not know this token, which is from KOPECK_TOKEN.`;
  assert.deepEqual(operators, {
    code: 3,
    stdout: "",
    stderr: `${unknown} "kopeck my" wants ${HOW}`,
  });
  const { token } = await hire(gateway, "owner");
  const merchants = await run("invoice list", { KOPECK_TOKEN: token });
  assert.deepEqual(merchants, {
    code: 3,
    stdout: "",
    stderr: `${unknown} It is a merchant's, and opens what "kopeck my" does.\n`,
  });
});

it("says without a token how to get one, and takes no operator's that lies there", async () => {
  const none = {
    code: 2,
    stdout: "",
    stderr: `kopeck: There is no token: set KOPECK_TOKEN to ${HOW}`,
  };
  const nothing = { KOPECK_TOKEN: "" };
  writeFileSync(join(folder, "operator-token"), "sandbox_operator_token\n");
  writeFileSync(join(folder, "server.json"), JSON.stringify({ url: gateway.url, mode: "live" }));
  assert.deepEqual(await run("my balance", nothing), none);
  // Far away it is no sandbox's, and nobody is asked.
  const far = { ...nothing, KOPECK_URL: "https://pay.example" };
  assert.deepEqual(await run("my balance", far), none);
  writeFileSync(join(folder, "server.json"), JSON.stringify({ url: gateway.url, mode: "sandbox" }));
  const sandbox = await run("my whoami", nothing);
  assert.match(sandbox.stdout, /^role +owner\n/, sandbox.stderr);
});

it("fails where a test event does, with what the receiver answered", async (test) => {
  const receiver = await openReceiver();
  test.after(() => receiver.close());
  const test_event = `my shop test-event ${SHOP.id}`;
  await json(`my shop update ${SHOP.id} --hook-url ${receiver.url}`);
  const heard = await run(test_event);
  assert.deepEqual([heard.code, heard.stderr], [0, ""]);
  receiver.answer(503);
  const refused = await run(`${test_event} --json`);
  assert.deepEqual([refused.code, JSON.parse(refused.stdout).status], [1, 503]);
  assert.equal(refused.stderr, "kopeck: The receiver answered 503.\n");
  await json(`my shop update ${SHOP.id} --hook-url http://127.0.0.1:1/`);
  const away = await run(test_event);
  assert.equal(away.code, 1);
  assert.match(away.stdout, /^error +\S/m);
  assert.match(away.stderr, /^kopeck: The receiver has not answered: .*\n$/);
  assert.equal(receiver.received.length, 2);
});
