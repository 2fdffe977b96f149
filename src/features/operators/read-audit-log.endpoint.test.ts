// The audit log through /manage: one row for each change, none for a refused one, nothing secret.

import assert from "node:assert/strict";
import { after, it } from "node:test";
import { approveByOther } from "../../../test/approvals.ts";
import { SHOP, USER } from "../../../test/cast.ts";
import { resultsFile } from "../../../test/desk.ts";
import { failingImport } from "../../../test/imports.ts";
import { manage } from "../../../test/manage.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, HOUR, NOBODY } from "../../../test/orders.ts";
import { CARD, pauseRail, payouts } from "../../../test/payouts.ts";
import { openReceiver } from "../../../test/receiver.ts";
import { statement1c } from "../../../test/statement-file.ts";
import { endpointsOf } from "../index.ts";

const SANDBOX_ID = "00000000-0000-4000-8000-000000000008";

const { gateway, own, trade } = await openOneGateway();
const receiver = await openReceiver();
after(() => receiver.close());

const acts = async (query: string): Promise<string[]> =>
  (await own.get(`audit?${query}`)).items.map((row: { act: string }) => row.act);

it("200: every kind of change leaves one row, and none holds a secret or a whole number", async () => {
  const secrets: string[] = ["5200828282828210", "+79161112233", "9161112233"];
  const from = trade.now();
  const post = async (path: string, body: unknown = {}) => {
    const { answer, row } = await trade.audited(() => own.post(path, body));
    assert.deepEqual([row.operator_id, row.operator_name], [SANDBOX_ID, "sandbox"]);
    assert.equal(row.created_at, trade.now());
    const { token, secret, api_key, webhook_key, webhook_secret, link } = answer;
    const shown = [token, secret, api_key, webhook_key, webhook_secret, link];
    secrets.push(...shown.filter((one) => one !== undefined));
    return answer;
  };
  const { operator } = await post("operators", { name: "Anna", role: "viewer" });
  await post(`operators/${operator.operator_id}/revoke`);
  const boris = { email: "boris@example.com", name: "Boris", desk_role: "viewer" };
  const { person } = await post("people", boris);
  await post(`people/${person.person_id}`, { desk_role: "cashier" });
  await post(`people/${person.person_id}/link`);
  await post(`people/${person.person_id}/end-sessions`);
  await post("books/check");
  const { user } = await post("users", { name: "Acme" });
  const vera = { email: "vera@example.com", name: "Vera", role: "owner" };
  const { person_id: veraId } = await post(`users/${user.user_id}/people`, vera);
  const olga = { ...vera, email: "olga@example.com" };
  await post(`users/${user.user_id}/people`, olga);
  await post(`users/${user.user_id}/people/${veraId}`, { role: "support" });
  await post(`users/${user.user_id}`, { name: "Acme Ltd" });
  const { shop } = await post("shops", { user_id: user.user_id, name: "Store" });
  await post(`shops/${shop.shop_id}`, { name: "The store" });
  await post(`shops/${shop.shop_id}/rotate-webhook-keys`);
  await post(`users/${user.user_id}/rotate-webhook-keys`);
  const { key } = await post("keys", { shop_id: shop.shop_id });
  await post("keys/rotate", { shop_id: shop.shop_id });
  await post(`keys/${key.key_id}/revoke`);
  await post("services/p2p_card", { freeze_seconds: 2 * DAY });
  await post("services/p2p_card", { freeze_seconds: DAY });
  const rates = { shop_percent: 1, user_percent: 1, min_sum: 1, max_sum: 2 };
  await post("tariffs", { service: "card", ...rates });
  await post("tariffs/remove", { service: "card" });
  const numbers = { card: "5200828282828210", phone: "+79161112233" };
  const wish = { bank: "tinkoff", receiver_name: "Олег О.", ...numbers };
  const { requisite_id } = await post("requisites", wish);
  await post(`requisites/${requisite_id}`, { enabled: false });
  await post(`requisites/${requisite_id}/reveal`);
  const order = await trade.order({ hook_url: receiver.url });
  secrets.push(order.wallet);
  const arrive = (amount: number, reference: string) =>
    post("transfers", { wallet: order.wallet, amount, reference });
  const { transfer_id } = await arrive(900, "1");
  await post(`transfers/${transfer_id}/assign`, {
    payment_id: order.paymentId,
    reason: "a screenshot",
  });
  const other = await arrive(901, "2");
  await post(`transfers/${other.transfer_id}/return`, { reason: "nobody's" });
  const next = await trade.order({ hook_url: receiver.url });
  const third = await arrive(902, "3");
  const approve = () => approveByOther(gateway, third.transfer_id, next.paymentId);
  await approve();
  await post(`transfers/${third.transfer_id}/withdraw`, { reason: "not theirs" });
  await approve();
  await post(`transfers/${third.transfer_id}/assign`, {
    payment_id: next.paymentId,
    reason: "seen it",
  });
  const unwanted = await trade.order({ hook_url: receiver.url });
  await post(`invoices/${unwanted.id}/cancel`, { reason: "nobody wants it" });
  await trade.pass(DAY);
  const [{ event_id }] = (await own.get("events")).items;
  await post(`events/${event_id}/send`);
  await post("refunds", { invoice_id: order.id, amount: 1, reason: "came back" });
  const opening = { kind: "opening", requisite_id, amount: 1, reference: "1", reason: "was there" };
  await post("own-moves", opening);
  await post("sbp-banks", { banks: [{ id: "1", name: "One" }] });
  const phone = { name: "Phone", adapter: "kopeck", banks: ["sber"], senders: ["900"] };
  const { source } = await post("sources", phone);
  await post(`sources/${source.source_id}`, { name: "Another" });
  await post(`sources/${source.source_id}/revoke`);
  const program = { code: "acquirer", url: "http://127.0.0.1:9", services: ["card"] };
  const { secret: railSecret } = await post("rails", program);
  await post("rails/acquirer", { paused: true });
  const { secret: nextSecret } = await post("rails/acquirer/rotate-secret");
  secrets.push(railSecret, nextSecret);
  const account = "40817810000000000101";
  const statement = statement1c([{ account, days: { "2099-01-01": [{ sum: 1 }, { sum: 2 }] } }]);
  secrets.push(account);
  const content = Buffer.from(statement).toString("base64");
  await post("imports", { filename: "kl_to_1c.txt", content });
  await post(`imports/${await failingImport(gateway)}/drop`);
  await trade.pass(0);
  const [line, second] = (await own.get("lines?waiting=true")).items;
  const word = { decision: "exclude", reason: "not yet" };
  await post(`lines/${line.line_id}/decide`, word);
  await post("lines/decide", { line_ids: [second.line_id], ...word });

  await everyActOnPayouts(post);
  secrets.push(CARD);

  const { text, body } = await own.ask(`audit?limit=200&from=${from}`);
  assert.ok(secrets.length > 10);
  for (const secret of secrets) assert.ok(!text.includes(secret), secret);
  const kinds = new Set(body.data.items.map((row: { act: string }) => row.act));
  const table = await gateway.app.db.query<{ act: string }>("select act from audit_log");
  assert.equal(table.length, body.data.items.length);
  const changes = endpointsOf("live").filter(
    ({ method, path, gate }) =>
      method === "POST" && path.startsWith("/manage/") && gate.name !== "viewer",
  );
  // Of several lines each is decided as it would be by itself, and stands there so.
  const others = changes.filter(({ path }) => path !== "/manage/lines/decide");
  assert.equal(kinds.size, others.length, "a new kind of change belongs into this test");
});

type Post = (path: string, body?: unknown) => ReturnType<typeof own.post>;

async function everyActOnPayouts(post: Post): Promise<void> {
  const client = payouts(gateway, trade);
  await pauseRail(gateway);
  const reason = `The bank refused ${CARD}`;
  const place = { user_id: USER.id, service: "card" };
  const rates = { ...place, percent: 0, min_sum: 1, max_sum: 99, hold_first: false };
  await post("payout-tariffs", { ...rates, hold_over: 0 });
  const held = await client.made({ amount: 1 });
  await post(`payouts/${held}/approve`);
  await post(`payouts/${held}/refuse`, { reason });
  await post("payout-tariffs/remove", place);
  await post("payouts", { ...place, wallet_to: CARD, amount: 10 });
  const taken = async (amount: number): Promise<string> => {
    const id = await client.made({ amount });
    await post(`payouts/${id}/take`);
    return id;
  };
  const [sent, failed, unknown] = [await taken(11), await taken(12), await taken(13)];
  await post(`payouts/${sent}/sent`, { bank_reference: "B1" });
  await post(`payouts/${sent}/return`, { reason });
  await post(`payouts/${failed}/not-sent`, { reason });
  await post(`payouts/${failed}/recover`, { bank_reference: "B2", reason });
  await trade.pass(HOUR);
  await post(`payouts/${unknown}/resolve`, { outcome: "not_sent", reason });
  const filed = await client.made({ amount: 14 });
  const { batch_id } = await post("payout-batches", { format: "csv" });
  await post(`payout-batches/${batch_id}/file`);
  const row = `K${filed.slice(-12)};not_sent;;${reason}`;
  await post(`payout-batches/${batch_id}/results`, { content: resultsFile(row) });
}

it("200: is searched by operator, subject, act and period, all at once, the newest first", async () => {
  const { operator, token } = await own.post("operators", { name: "Boris", role: "operator" });
  const from = trade.now();
  const boris = manage(gateway, token);
  for (const step of [1, 2, 3]) {
    trade.tick();
    await boris.post(`shops/${SHOP.id}`, { name: `Step ${step}` });
  }
  trade.tick();
  await boris.post(`users/${USER.id}`, { name: "Renamed" });
  trade.tick();
  await own.post(`shops/${SHOP.id}`, { name: "Not by Boris" });
  const by = `operator_id=${operator.operator_id.toUpperCase()}`;
  const updates = ["shop.update", "shop.update", "shop.update"];
  assert.deepEqual(await acts(by), ["user.update", ...updates]);
  assert.deepEqual(await acts(`${by}&act=user.update`), ["user.update"]);
  assert.deepEqual(await acts(`${by}&subject=${SHOP.id}`), updates);
  assert.equal((await acts(`subject=${SHOP.id}&act=shop.update`)).length, 4);
  assert.deepEqual(await acts(`from=${from}&act=user.update`), ["user.update"]);
  assert.deepEqual(await acts(`${by}&to=${from}`), []);
  assert.deepEqual(await acts(`operator_id=${NOBODY}`), []);
  assert.deepEqual(await acts("subject=nothing"), []);
  const names = [];
  for (let next: string | null = ""; next !== null; ) {
    const page = await own.get(`audit?subject=${SHOP.id}&limit=1&after=${next}`);
    names.push(...page.items.map((row: { after: { name: string } }) => row.after.name));
    next = page.next;
  }
  assert.deepEqual(names, ["Not by Boris", "Step 3", "Step 2", "Step 1"]);
});

it("200: keeps the name that the operator had, and a viewer may read it", async () => {
  const { token } = await own.post("operators", { name: "Viktor", role: "viewer" });
  const { items } = await manage(gateway, token).get("audit?act=user.update&limit=1");
  assert.equal(items[0].operator_name, "Boris");
});

it("200: what changes nothing leaves no row, whatever the kind", async () => {
  const { operator } = await own.post("operators", { name: "Twice", role: "viewer" });
  const { key } = await own.post("keys", { shop_id: SHOP.id });
  const rates = { shop_percent: 1, user_percent: 1, min_sum: 1, max_sum: 2 };
  const changes: [path: string, body: object][] = [
    [`operators/${operator.operator_id}/revoke`, {}],
    [`users/${USER.id}`, { name: "Said twice" }],
    [`shops/${SHOP.id}`, { name: "Said twice", hook_url: receiver.url }],
    [`keys/${key.key_id}/revoke`, {}],
    ["services/p2p_sbp", { freeze_seconds: 60 }],
    ["tariffs", { service: "card", ...rates }],
    ["requisites/00000000-0000-4000-8000-000000000101", { max_day_sum: 999 }],
    ["sbp-banks", { banks: [{ id: "2", name: "Two" }] }],
  ];
  for (const [path, body] of changes) {
    const { answer } = await trade.audited(() => own.post(path, body));
    trade.tick();
    const from = trade.now();
    const again = await own.post(path, body);
    assert.deepEqual(await acts(`from=${from}`), [], path);
    if (path !== "sbp-banks") assert.deepEqual(again, answer, path);
  }
});
