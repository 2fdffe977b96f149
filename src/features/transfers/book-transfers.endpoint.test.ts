// POST /manage/transfers: money by its own moment, lists of it, and who may tell of it.

import assert from "node:assert/strict";
import { afterEach, beforeEach, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { OTHER_SHOP, SHOP } from "../../../test/cast.ts";
import { manage } from "../../../test/manage.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, HOUR, MINUTE, NOBODY, type Order } from "../../../test/orders.ts";
import { fates, openCard, openPhone } from "../../../test/phone.ts";

const NEXT_MORNING = DAY;

const { gateway, own, trade } = await openOneGateway();
// Past every quarantine, and at nine in the morning: no test's day has anything of another's.
beforeEach(async () => {
  const nine = new Date(trade.now());
  nine.setUTCHours(6, 0, 0, 0);
  const past = nine.getTime() + 4 * NEXT_MORNING * 1000 - gateway.app.clock.now().getTime();
  await trade.pass(Math.round(past / 1000));
});
afterEach(() => assertBooksAreRight(gateway));

/** What was told of the moment, so many seconds after now. */
const inSeconds = (seconds: number): string =>
  new Date(gateway.app.clock.now().getTime() + seconds * 1000).toISOString();
/** In the service's own time zone. */
const today = (): string => inSeconds(3 * HOUR).slice(0, 10);
const paidFor = async (order: Order) => {
  const { invoice, payments } = await own.get(`invoices/${order.id}`);
  return [invoice.state, payments.at(-1).late];
};
/** Details on the same card and for the same amount as those before, of another invoice. */
const twinOf = async (wanted: Order, changes: Record<string, unknown> = {}): Promise<Order> => {
  for (let tries = 0; tries < 6; tries += 1) {
    const order = await trade.order(changes, OTHER_SHOP);
    if (order.wallet === wanted.wallet) return order;
  }
  throw new Error("The card was not given out again.");
};
const hold = (late_policy: "hold" | "credit") => own.post(`shops/${SHOP.id}`, { late_policy });

it("200: Friday's transfer pays Friday's order, though the slot is somebody else's by Monday", async () => {
  const friday = await trade.order();
  const madeAt = inSeconds(5 * MINUTE);
  await trade.pass(DAY + 21 * MINUTE);
  const monday = await twinOf(friday);
  assert.equal(monday.amount, friday.amount);
  const told = await trade.pay(friday, { made_at: madeAt });
  assert.deepEqual(
    [told.invoice_id, told.state, told.made_at, told.judged_by, told.suspense_reason],
    [friday.id, "matched", madeAt, "made_at", null],
  );
  assert.deepEqual(await paidFor(friday), ["paid", false]);
  assert.deepEqual(await paidFor(monday), ["pending", null]);
  assert.equal((await trade.pay(monday)).invoice_id, monday.id);
});

it("200: money in time is in time, however late it is told, also where the shop holds what is late", async () => {
  await hold("hold");
  const order = await trade.order({ expire: 30 });
  const madeAt = inSeconds(19 * MINUTE);
  const late = inSeconds(20 * MINUTE);
  await trade.pass(5 * DAY);
  const held = await trade.pay(order, { made_at: late });
  assert.deepEqual([held.state, held.suspense_reason], ["suspense", "late_held"]);
  const told = await trade.pay(order, { made_at: madeAt });
  assert.deepEqual([told.state, told.invoice_id], ["matched", order.id]);
  assert.deepEqual(await paidFor(order), ["paid", false]);
  await hold("credit");
});

it("200: what was paid on the same day counts for the day's limits of its card again", async () => {
  const order = await trade.order({ expire: 30 });
  const usage = async () => {
    const { items } = await own.get(`requisites?wallet=${order.wallet.slice(-4)}`);
    return [items[0].live_payments, items[0].day_payments, items[0].day_sum];
  };
  const [, payments, sum] = await usage();
  const madeAt = inSeconds(MINUTE);
  await trade.pass(HOUR);
  assert.deepEqual(await usage(), [0, payments - 1, sum - order.amount]);
  await trade.pay(order, { made_at: madeAt });
  assert.deepEqual(await usage(), [0, payments, sum]);
});

it("200: by the day: the only order whose time it meets; in time where it may have been", async () => {
  await hold("hold");
  const order = await trade.order({ expire: 30 });
  const day = today();
  await trade.pass(3 * DAY);
  const told = await trade.pay(order, { made_at: day });
  assert.deepEqual([told.invoice_id, told.made_at], [order.id, day]);
  assert.deepEqual(await paidFor(order), ["paid", false]);
  const next = await trade.order({ expire: 30 });
  const tomorrow = new Date(Date.parse(today()) + DAY * 1000).toISOString().slice(0, 10);
  await trade.pass(3 * DAY);
  const held = await trade.pay(next, { made_at: tomorrow });
  assert.deepEqual([held.state, held.suspense_reason], ["suspense", "late_held"]);
  await hold("credit");
});

it("200: by the day: where two orders could be meant, neither is", async () => {
  const first = await trade.order();
  await trade.pass(DAY + 21 * MINUTE);
  const second = await twinOf(first);
  const told = await trade.pay(second, { made_at: today() });
  assert.deepEqual([told.state, told.suspense_reason], ["suspense", "several_expected"]);
  // By the minute there is no doubt.
  const minute = `${inSeconds(-1).slice(0, 16)}Z`;
  assert.equal((await trade.pay(second, { made_at: minute })).invoice_id, second.id);
});

it("200: before the details there is nobody, nor after their quarantine, whatever was told", async () => {
  const before = inSeconds(-MINUTE);
  const order = await trade.order();
  const reason = async (made_at?: string) =>
    (await trade.pay(order, made_at === undefined ? {} : { made_at })).suspense_reason;
  assert.equal(await reason(before), "nobody_expected");
  const over = inSeconds(DAY + 20 * MINUTE);
  await trade.pass(2 * DAY);
  assert.equal(await reason(over), "nobody_expected");
  const told = await trade.pay(order);
  assert.deepEqual(
    [told.suspense_reason, told.made_at, told.judged_by],
    ["nobody_expected", null, "received_at"],
  );
});

it("200: late money is contested by who was near then, not by who is near now", async () => {
  const first = await trade.order({ expire: 30 });
  await trade.pass(25 * MINUTE);
  // Live from now for 20 minutes, a kopeck away on the same card.
  const near = await twinOf(first);
  assert.notEqual(near.amount, first.amount);
  const contested = inSeconds(MINUTE);
  const alone = inSeconds(21 * MINUTE);
  await trade.pass(3 * HOUR);
  const held = await trade.pay(first, { made_at: contested });
  assert.deepEqual([held.state, held.suspense_reason], ["suspense", "contested"]);
  await twinOf(first);
  const told = await trade.pay(first, { made_at: alone });
  assert.deepEqual([told.invoice_id, await paidFor(first)], [first.id, ["paid", true]]);
});

it("200: assigned by hand it is late or not by the same moment, and keeps why it waited", async () => {
  const order = await trade.order({ expire: 30 });
  const made_at = inSeconds(MINUTE);
  await trade.pass(HOUR);
  const short = await trade.pay(order, { made_at, amount: order.amount - 1 });
  const path = `transfers/${short.transfer_id}/assign`;
  const assigned = await own.post(path, { payment_id: order.paymentId, reason: "a receipt" });
  assert.deepEqual(
    [assigned.state, assigned.suspense_reason, assigned.made_at],
    ["matched", "nobody_expected", made_at],
  );
  assert.deepEqual(await paidFor(order), ["paid", false]);
});

it("200: told again with the fast payment's number in small letters, or in capitals, it is the same transfer", async () => {
  const [capital, small] = ["A60721203517031F0B10110011700501", "b60721203517031f0b10110011700502"];
  const order = await trade.order();
  const wish = { wallet: order.wallet, amount: order.amount };
  const one = await own.post("transfers", { ...wish, reference: capital });
  const again = await own.post("transfers", { ...wish, reference: capital.toLowerCase() });
  assert.deepEqual(again, { ...one, fresh: false });
  const other = await own.post("transfers", { ...wish, reference: small });
  assert.equal(other.reference, small);
  const { items } = await own.post("transfers", {
    items: [small.toUpperCase(), small].map((reference) => ({ ...wish, reference })),
  });
  for (const item of items) assert.deepEqual(item, { ...other, fresh: false });
  // A phone's keyboard begins with a capital.
  const typed = `${capital.charAt(0)}${capital.slice(1).toLowerCase()}`.replace(/1$/, "4");
  const third = await own.post("transfers", { ...wish, reference: typed });
  const told = await own.post("transfers", { ...wish, reference: typed.toUpperCase() });
  assert.deepEqual(told, { ...third, fresh: false });
  const both = [small, small.toUpperCase()].map((text) => `${text.slice(0, -1)}3`);
  const fresh = await own.post("transfers", {
    items: both.map((reference) => ({ ...wish, reference })),
  });
  const [first, second] = fresh.items;
  assert.deepEqual([first.fresh, second.fresh], [true, false]);
  assert.equal(second.transfer_id, first.transfer_id);
  const refused = { ...wish, amount: 7, reference: capital.toLowerCase() };
  assert.equal((await own.refused("transfers", refused))[0], 422);
});

it("200: told again with another moment or none it is the same transfer", async () => {
  const order = await trade.order();
  const first = await trade.pay(order, { reference: "once", made_at: inSeconds(0) });
  for (const changes of [{ made_at: inSeconds(-DAY) }, { made_at: today() }, {}]) {
    const again = await trade.pay(order, { reference: "once", ...changes });
    assert.deepEqual(again, { ...first, fresh: false });
  }
});

const line = ({ wallet, amount }: Order, reference: string, changes = {}) => ({
  wallet,
  amount,
  reference,
  ...changes,
});

it("200: each item has its own answer, in their order, and one row in the audit log says which", async () => {
  const [one, two] = [await trade.order(), await trade.order({ amount: 500 })];
  await own.post("transfers", { items: [line(one, "list 1")] });
  const items = [
    line(two, "list 2", { payer: "Иван П. 2202200212345678", made_at: today() }),
    line(one, "list 1"),
    line(one, "list 1", { amount: 1 }),
    line(one, "list 3"),
    { ...line(one, "list 4"), wallet: "4000000000000002" },
    { requisite_id: NOBODY, amount: 1, reference: "list 5" },
    line(one, "list 6", { amount: 1.005 }),
    line(one, "list 7", { made_at: inSeconds(HOUR) }),
    line(one, "list 8", { made_at: "2026-02-30" }),
    line(one, "4111 1111 1111 1111"),
    line(two, "list 2"),
    line(one, ""),
  ];
  // What is left out is a mistake of the program's, and refuses the whole list.
  assert.deepEqual(await own.refused("transfers", { items }), [
    422,
    ["The items.11.reference field is required."],
  ]);
  items.pop();
  const { answer, row, logged } = await trade.audited(() => own.post("transfers", { items }));
  const told = answer.items.map(
    (item: { code?: string; status?: number; state?: string; fresh?: boolean }) =>
      item.code === undefined ? [item.state, item.fresh] : [item.code, item.status],
  );
  assert.deepEqual(told, [
    ["matched", true],
    ["matched", false],
    ["transfer_reference_taken", 422],
    ["suspense", true],
    ["wallet_unknown", 422],
    ["requisite_not_found", 404],
    ["invalid_input", 422],
    ["made_at_ahead", 422],
    ["invalid_input", 422],
    ["reference_holds_card", 422],
    ["matched", false],
  ]);
  const [second, , refused, third, , , decimals] = answer.items;
  assert.deepEqual(Object.keys(refused), ["error", "code", "status"]);
  assert.deepEqual(decimals.error, ["The amount field must have at most two decimals."]);
  assert.equal(second.payer, "Иван П. 220220******5678");
  assert.equal(third.suspense_reason, "paid_already");
  const fresh = [second.transfer_id, third.transfer_id];
  assert.deepEqual(logged, [
    "transfer.add",
    "11 transfers",
    null,
    { told: 11, refused: 7, fresh, known: 2 },
  ]);
  assert.doesNotMatch(JSON.stringify(row), /2202|4111/);
});

it("200: what a list tells again takes nothing from what it tells for the first time", async () => {
  const order = await trade.order();
  const { wallet, amount } = order;
  const [phone, card] = [await openPhone(gateway), openCard(gateway, wallet)];
  const before = (await fates(gateway, order)).length;
  const item = (reference: string) => ({ wallet, amount, reference, made_at: inSeconds(0) });
  await phone.hears(card.income(amount));
  const first = item("statement-1");
  const { items: alone } = await own.post("transfers", { items: [first] });
  // The payer pays twice, and the phone tells of it first.
  await trade.pass(3 * MINUTE);
  await phone.hears(card.income(amount));
  const { items: both } = await own.post("transfers", { items: [first, item("statement-2")] });
  const seen = [...alone, ...both].map((one) => [one.fresh, one.joined, one.state]);
  assert.deepEqual(seen, [
    [false, true, "matched"],
    [false, false, "matched"],
    [false, true, "suspense"],
  ]);
  const told = await fates(gateway, order);
  assert.deepEqual(told.slice(0, told.length - before), ["paid_already", "matched"]);
});

it("200: 500 of the longest items fit", async () => {
  const { wallet } = await trade.order();
  const items = Array.from({ length: 500 }, (_, n) => ({
    wallet,
    requisite_id: undefined,
    amount: 7_000 + n,
    made_at: inSeconds(-HOUR),
    reference: `${n} ${"x".repeat(250)}`,
    payer: "Ё".repeat(255),
  }));
  const first = await own.post("transfers", { items });
  assert.equal(first.items.length, 500);
  assert.ok(first.items.every(({ fresh }: { fresh: boolean }) => fresh));
  const amounts = first.items.map(({ amount }: { amount: number }) => amount);
  assert.deepEqual(
    amounts,
    items.map(({ amount }) => amount),
  );
});

it("401 for a large body of whom nobody knows, before it is read; 413 for more than 768 KiB", async () => {
  const items = [{ wallet: "1", amount: 1, reference: "x".repeat(800_000) }];
  const nobody = manage(gateway, "nobody");
  assert.equal((await nobody.ask("transfers", { items })).status, 401);
  assert.equal((await nobody.ask("transfers", { items: "x".repeat(65_536) })).status, 401);
  assert.equal((await own.ask("transfers", { items })).status, 413);
});

it("422: what is no list, or one transfer and a list, or lies ahead, without a trace", async () => {
  const { wallet, amount } = await trade.order();
  const one = { wallet, amount, reference: "x" };
  await trade.refusedWithoutTrace(422, [
    ["transfers", {}],
    ["transfers", { items: [] }],
    ["transfers", { items: Array(501).fill(one) }],
    ["transfers", { items: one }],
    ["transfers", { items: [one, 7] }],
    ["transfers", { items: [{ ...one, amount: "1" }] }],
    ["transfers", { items: [{ ...one, color: "red" }] }],
    ["transfers", { ...one, items: [one] }],
    ["transfers", { ...one, made_at: inSeconds(6 * MINUTE) }],
    ["transfers", { ...one, made_at: "yesterday" }],
    ["transfers", { ...one, made_at: "2026-03-01 10:00:00" }],
    ["transfers", { ...one, made_at: "2026-03-01T10:00:00" }],
    ["transfers", { ...one, made_at: "2026-02-29" }],
    ["transfers", { ...one, made_at: "9999-12-31" }],
    ["transfers", { ...one, madeAt: today() }],
  ]);
  assert.deepEqual(await own.refused("transfers", { ...one, madeAt: today() }), [
    422,
    ["The made at field does not exist here."],
  ]);
  assert.deepEqual(await own.refused("transfers", { wallet }), [
    422,
    ["The amount field is required.", "The reference field is required."],
  ]);
});

it("422: a list of which every item is refused leaves no trace in the log", async () => {
  const { items } = await own.get("audit?limit=1");
  const answer = await own.post("transfers", { items: [{ amount: 1, reference: "nowhere" }] });
  assert.equal(answer.items[0].code, "wallet_unknown");
  assert.deepEqual((await own.get("audit?limit=1")).items, items);
});
