// Two users and three shops with data that can be recognised wherever it turns up, everybody who may
// come to a door, and what each request needs to exist.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { MemberRole } from "../src/domain/role.ts";
import { approveByOther } from "./approvals.ts";
import type { TestGateway } from "./gateway.ts";
import { failingImport } from "./imports.ts";
import { manage, ownHand } from "./manage.ts";
import { hire } from "./members.ts";
import { DAY, HOUR, orders } from "./orders.ts";
import { pauseRail } from "./payouts.ts";
import { openReceiver } from "./receiver.ts";
import { statement1c } from "./statement-file.ts";

export type TenantName = "a" | "b" | "c";

export interface Tenant {
  readonly userId: string;
  readonly userSecret: string;
  readonly shopId: string;
  readonly key: string;
  readonly keyId: string;
  /** Ids, orders, amounts, names: nobody else may ever read one of these. */
  readonly canaries: readonly string[];
  readonly invoiceId: string;
  readonly orderId: string;
  readonly eventId: string;
}

export interface Principal {
  readonly name: string;
  readonly kind:
    | "nobody"
    | "shop"
    | "user"
    | "member"
    | "viewer"
    | "cashier"
    | "operator"
    | "bank"
    | "source"
    | "rail";
  /** Of a member. */
  readonly role?: MemberRole;
  readonly secret: string | undefined;
  /** Whom the requests name at a merchant's door. */
  readonly shopId: string;
  readonly userId: string;
  /** Whose data the answers may hold; nobody's where the secret proves nothing. */
  readonly tenant?: TenantName;
  /** Whether the secret proves what is named. */
  readonly proven: boolean;
}

export type World = Awaited<ReturnType<typeof createWorld>>;

/** Kopecks that no other sum has: a tenant is known by the digits of its amounts. */
const AMOUNTS = { a: 7311.37, b: 6422.28, c: 5533.19 } as const;

const BANK_OF_PHONE = { bank: "sber", receiver_name: "canary-m-receiver" };

export async function createWorld(gateway: TestGateway) {
  const own = manage(gateway);
  const receiver = await openReceiver();
  const { pass } = orders(gateway);
  const tariff = { service: "p2p_card", shop_percent: 4, user_percent: 2 };
  await own.post("tariffs", { ...tariff, min_sum: 1, max_sum: 100_000 });

  const user = async (name: string) => {
    const { user: made, secret } = await own.post("users", { name });
    return { userId: made.user_id as string, userSecret: secret as string };
  };
  const first = await user("canary-a-user");
  const second = await user("canary-c-user");
  const owners = { a: first, b: first, c: second } as const;

  const shop = async (name: TenantName) => {
    const wish = { user_id: owners[name].userId, name: `canary-${name}-shop`, h2h_enabled: true };
    const hooks = { hook_url: receiver.url, success_url: `https://canary-${name}.example/ok` };
    const made = await own.post("shops", { ...wish, ...hooks });
    const { items } = await own.get(`keys?shop_id=${made.shop.shop_id}`);
    return { shopId: made.shop.shop_id, key: made.api_key, keyId: items[0].key_id };
  };

  const invoice = async (name: TenantName, made: { shopId: string; key: string }, tag: string) => {
    const orderId = `canary-${name}-order-${tag}`;
    const headers = { "x-api-key": made.key };
    const body = {
      amount: AMOUNTS[name],
      order_id: orderId,
      shop_id: made.shopId,
      type: "direct",
      include_service: ["p2p_card"],
      comment: `canary-${name}-comment`,
      email: `canary-${name}@example.org`,
      custom_fields: { [`canary-${name}-field`]: 1 },
    };
    const { body: created } = await gateway.call("/invoice/create", { headers, body });
    const details = { invoice_id: created.data.id, shop_id: made.shopId };
    const payment_data = { bank: "sber" };
    const { body: issued } = await gateway.call("/invoice/h2h", {
      headers,
      body: { ...details, payment_data },
    });
    return { id: created.data.id as string, orderId, details: issued.data };
  };

  const tenant = async (name: TenantName): Promise<Tenant> => {
    const made = await shop(name);
    const paid = await invoice(name, made, "paid");
    const { wallet, amount } = paid.details;
    const payer = `canary-${name}-payer`;
    const money = { wallet, amount: Number(amount), reference: `canary-${name}-ref`, payer };
    const transfer = await own.post("transfers", money);
    assert.equal(transfer.state, "matched");
    const { items: events } = await own.get(`events?invoice_id=${paid.id}`);
    const eventId = events[0].event_id;
    const ids = [paid.id, eventId, transfer.transfer_id, transfer.payment_id, made.keyId];
    const canaries = [`canary-${name}`, AMOUNTS[name].toFixed(2), String(amount), ...ids];
    return {
      ...owners[name],
      ...made,
      canaries,
      eventId,
      invoiceId: paid.id,
      orderId: paid.orderId,
    };
  };

  // Secrets that are over: made first, so that their time can pass.
  const expired = await own.post("operators", {
    name: "canary-m-expired",
    role: "operator",
    expires_in_days: 1,
  });
  const revoked = await own.post("operators", { name: "canary-m-revoked", role: "operator" });
  await own.post(`operators/${revoked.operator.operator_id}/revoke`);
  const viewer = await own.post("operators", { name: "canary-m-viewer", role: "viewer" });
  const operator = await own.post("operators", { name: "canary-m-operator", role: "operator" });
  const cashier = await own.post("operators", { name: "canary-m-cashier", role: "cashier" });
  const bank = await own.post("operators", { name: "canary-m-bank", role: "bank" });
  const told = { name: "canary-m-phone", adapter: "kopeck", banks: ["sber"], senders: ["900"] };
  const source = await own.post("sources", told);
  const otherSource = await own.post("sources", told);
  const doomedSource = await own.post("sources", told);
  const { person } = await own.post("people", {
    email: "canary-m@example.com",
    name: "canary-m-person",
    desk_role: "viewer",
  });
  const doomed = await own.post("operators", { name: "canary-m-doomed", role: "viewer" });

  const a = await tenant("a");
  const b = await tenant("b");
  const c = await tenant("c");
  const over = await own.post("keys", { shop_id: a.shopId });
  await own.post(`keys/${over.key.key_id}/revoke`);
  // A rotation whose overlap is over by the time that anybody calls.
  const fresh = await own.post("keys/rotate", { shop_id: a.shopId, overlap_hours: 1 });
  const freshUser = await own.post("keys/rotate", { user_id: a.userId, overlap_hours: 1 });
  await pass(0);
  await pass(2 * DAY);

  // Payouts at every stage: the operator who calls has some of them in their hands.
  await pauseRail(gateway);
  const desk = manage(gateway, operator.token);
  const wallet_to = "2200000000000400";
  const askFor = async (amount: number): Promise<string> => {
    const headers = { "x-api-signature-sha256": freshUser.secret };
    const order_id = `canary-a-payout-${amount}`;
    const body = { user_id: a.userId, service: "card", wallet_to, amount, order_id };
    const answer = await gateway.call("/payoff/create", { headers, body });
    return answer.body.data.payoff_id;
  };
  const takenOf = async (amount: number): Promise<string> => {
    const id = await askFor(amount);
    await desk.post(`payouts/${id}/take`);
    return id;
  };
  const unknownPayoutId = await takenOf(21);
  await pass(HOUR);
  const failedPayoutId = await takenOf(22);
  await desk.post(`payouts/${failedPayoutId}/not-sent`, { reason: "canary-a" });

  // What only an operator's calls need; each may be used up.
  const third = await user("canary-m-user");
  const spare = await own.post("shops", { user_id: third.userId, name: "canary-m-spare" });
  const { items: spareKeys } = await own.get(`keys?shop_id=${spare.shop.shop_id}`);
  const phone = { ...BANK_OF_PHONE, phone: "+79165550001", max_sum: 2 };
  const requisite = await own.post("requisites", phone);
  const stray = { requisite_id: requisite.requisite_id, payer: "canary-m-payer" };
  const strays: string[] = [];
  for (const reference of ["canary-m-one", "canary-m-two", "canary-m-three"]) {
    const { transfer_id } = await own.post("transfers", { ...stray, amount: 9000, reference });
    strays.push(transfer_id);
  }
  // Of a day that is still to come, so that its line waits for somebody.
  const days = { "2099-03-01": [{ sum: 3 }] };
  const file = statement1c([{ account: "40817810000000000101", days }]);
  const content = Buffer.from(file).toString("base64");
  const brought = await own.post("imports", { filename: "canary-m.txt", content });
  await pass(0);
  const failingImportId = await failingImport(gateway);
  const { items: lines } = await own.get("lines?waiting=true");
  // What still waits for its money, made after time has passed.
  const open = await invoice("a", { shopId: a.shopId, key: fresh.secret }, "open");
  const canceled = await invoice("a", { shopId: a.shopId, key: fresh.secret }, "doomed");
  const { payments } = await own.get(`invoices/${open.id}`);
  const approvedFor = await invoice("a", { shopId: a.shopId, key: fresh.secret }, "approved");
  const { payments: approvedPayments } = await own.get(`invoices/${approvedFor.id}`);
  await approveByOther(gateway, strays[2] ?? "", approvedPayments[0].payment_id);
  const headers = { "x-api-signature-sha256": freshUser.secret };
  // A program that is told of one payout and does not answer; the next one waits for somebody.
  await own.post("rails/sandbox", { paused: true });
  const program = { code: "canary-m-rail", url: "http://127.0.0.1:9", services: ["card"] };
  const rail = await own.post("rails", program);
  const otherRail = await own.post("rails", { ...program, code: "canary-m-other", paused: true });
  const payout = { user_id: a.userId, service: "card", wallet_to: "2200000000000400", amount: 11 };
  const ask = (order_id: string) =>
    gateway.call("/payoff/create", { headers, body: { ...payout, order_id } });
  const sending = await ask("canary-a-told");
  await pass(0);
  await own.post("rails/canary-m-rail", { paused: true });
  const asked = await ask("canary-a-payout");
  const batch = await desk.post("payout-batches", { format: "csv", payouts: [await askFor(23)] });
  const wished = { user_id: a.userId, service: "card", wallet_to, amount: 24 };
  const held = await (await ownHand(gateway, "canary-m-asks", "operator")).post("payouts", wished);
  const payoutIds = {
    unknown: unknownPayoutId,
    failed: failedPayoutId,
    held: held.payout_id as string,
    taken: await takenOf(25),
    queued: await askFor(26),
    doomed: await askFor(27),
  };
  const ownKey = await own.post("keys", { shop_id: a.shopId });
  const { items: accounts } = await own.get(`accounts?user_id=${a.userId}`);

  // Whoever works for a merchant; the doomed token is of the one who asks for its end.
  const member = async (role: MemberRole, { userId, shopId }: Tenant, name: string) => {
    const { token } = await hire(gateway, role, userId, `${name} who is ${role}`);
    return { name, kind: "member", secret: token, userId, shopId, role, proven: true } as const;
  };
  const owner = await member("owner", a, "the owner of A");
  const { token: doomedToken } = await manage(gateway, owner.secret, "cabinet").post("tokens", {
    name: "doomed",
  });
  const { personId: colleagueId } = await hire(gateway, "support", a.userId, "a colleague of A");
  const dismissed = await hire(gateway, "owner", a.userId);
  await gateway.app.db.query("update memberships set ended_at = $2 where person_id = $1", [
    dismissed.personId,
    gateway.app.clock.now(),
  ]);
  const members = [
    owner,
    await member("developer", a, "a developer of A"),
    await member("accountant", a, "an accountant of A"),
    await member("support", a, "the support of A"),
    await member("owner", c, "the owner of another merchant"),
  ];

  const claims = { shopId: a.shopId, userId: a.userId };
  const nobody = { ...claims, proven: false } as const;
  const principals: readonly Principal[] = [
    { ...nobody, name: "nobody", kind: "nobody", secret: undefined },
    { ...nobody, name: "a wrong secret", kind: "nobody", secret: randomUUID() },
    { ...nobody, name: "the empty secret", kind: "nobody", secret: "" },
    { ...claims, name: "shop A", kind: "shop", secret: fresh.secret, tenant: "a", proven: true },
    {
      name: "shop B of the same user",
      kind: "shop",
      secret: b.key,
      tenant: "b",
      shopId: b.shopId,
      userId: b.userId,
      proven: true,
    },
    {
      name: "shop C of another user",
      kind: "shop",
      secret: c.key,
      tenant: "c",
      shopId: c.shopId,
      userId: c.userId,
      proven: true,
    },
    { ...nobody, name: "shop B that says it is A", kind: "shop", secret: b.key },
    { ...nobody, name: "shop C that says it is A", kind: "shop", secret: c.key },
    { ...claims, name: "user A", kind: "user", secret: freshUser.secret, proven: true },
    {
      name: "user B",
      kind: "user",
      secret: c.userSecret,
      shopId: c.shopId,
      userId: c.userId,
      proven: true,
    },
    { ...nobody, name: "user B who says to be A", kind: "user", secret: c.userSecret },
    ...members,
    { ...nobody, name: "who works there no longer", kind: "member", secret: dismissed.token },
    { ...claims, name: "a viewer", kind: "viewer", secret: viewer.token, proven: true },
    { ...claims, name: "a cashier", kind: "cashier", secret: cashier.token, proven: true },
    { ...claims, name: "an operator", kind: "operator", secret: operator.token, proven: true },
    { ...claims, name: "a bank", kind: "bank", secret: bank.token, proven: true },
    { ...claims, name: "a source", kind: "source", secret: source.token, proven: true },
    {
      ...nobody,
      name: "a source that says to be another",
      kind: "source",
      secret: otherSource.token,
    },
    { ...claims, name: "a rail", kind: "rail", secret: rail.secret, proven: true },
    { ...nobody, name: "a rail that says to be another", kind: "rail", secret: otherRail.secret },
    { ...nobody, name: "an expired token", kind: "operator", secret: expired.token },
    { ...nobody, name: "a revoked token", kind: "operator", secret: revoked.token },
    { ...nobody, name: "a revoked key", kind: "shop", secret: over.secret },
    { ...nobody, name: "a key past its overlap", kind: "shop", secret: a.key },
    { ...nobody, name: "a user's secret past its overlap", kind: "user", secret: a.userSecret },
  ];

  const mine = ["canary-m", requisite.requisite_id, ...strays, spare.shop.shop_id];
  return {
    colleagueId,
    a: { ...a, canaries: [...a.canaries, open.id, approvedFor.id, asked.body.data.payoff_id] },
    b,
    c,
    principals,
    managers: mine as readonly string[],
    spareShopId: spare.shop.shop_id as string,
    spareKeyId: spareKeys[0].key_id as string,
    doomedId: doomed.operator.operator_id as string,
    personId: person.person_id as string,
    sourceId: source.source.source_id as string,
    doomedSourceId: doomedSource.source.source_id as string,
    requisiteId: requisite.requisite_id as string,
    accountId: accounts[0].account_id as string,
    strays,
    importId: brought.import_id as string,
    failingImportId,
    ownTokenId: doomedToken.token_id as string,
    ownKeyId: ownKey.key.key_id as string,
    lineId: lines[0].line_id as string,
    statement: content,
    openInvoiceId: open.id,
    doomedInvoiceId: canceled.id,
    payoutId: asked.body.data.payoff_id as string,
    payoutIds,
    batchId: batch.batch_id as string,
    railCode: rail.rail.code as string,
    railKey: `${sending.body.data.payoff_id}.1`,
    openPaymentId: payments[0].payment_id as string,
    /** Everything that falls due has happened when this ends. */
    settle: () => pass(0),
    close: () => receiver.close(),
  };
}
