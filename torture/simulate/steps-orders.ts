// What shops and payers do: orders, also odd ones, and details, also by strangers on the page.

import type { Random } from "../random.ts";
import {
  type Ask,
  CLOCKS_MS,
  DAY_MS,
  decimal,
  feeOf,
  type Invoice,
  keyOf,
  kopecks,
  type Service,
  type Shop,
  type Terms,
} from "./model.ts";
import type { Request } from "./process.ts";
import { LONGEST_HOST } from "./settings.ts";
import type { Done, World } from "./world.ts";

/** Few, so that they meet; and the ends of what a tariff takes. */
const AMOUNTS = [100, 100, 100, 100, 100.01, 100.3, 50, 49.99, 100_000_000];
const EXPIRE_MINUTES = [1, 15, 300, 300, 7_200, 7_200];
/** Strangers on the page, few enough to meet their share; the last has none of its own. */
const ADDRESSES = ["8.8.4.4", "8.8.4.5", "10.1.2.3"];

const longUrl = (length: number): string => `https://long.example/${"u".repeat(length - 21)}`;

/** At the edge of what a field may be, and past it. */
const TAKEN = [
  { hook_url: `https://${LONGEST_HOST}/` },
  { success_url: longUrl(2_048), fail_url: longUrl(2_048), hook_url: longUrl(2_048) },
  { comment: "ы".repeat(255), custom_fields: `{"a":"${"я".repeat(4_088)}"}` },
];
const REFUSED = [
  { order_id: "🙂".repeat(256) },
  { hook_url: `https://${"abcdefghi.".repeat(190)}example/` },
  { hook_url: longUrl(2_049) },
  { amount: 100.001 },
];

function shopRequest({ now }: World, shop: Shop, path: string, body: object): Request {
  const headers = { "x-api-key": keyOf(shop, now) };
  return { method: "POST", path, headers, body: { shop_id: shop.id, ...body } };
}

export async function order(world: World, random: Random): Promise<string> {
  const { invoices, shops } = world.model;
  const kind = random.weighted({ fresh: 70, again: 18, longest: 6, longer: 6 });
  if (kind === "again" && invoices.length > 0) return orderAgain(world, random);
  const odd =
    kind === "longest" ? random.pick(TAKEN) : kind === "longer" ? random.pick(REFUSED) : {};
  if (kind === "longest") world.count("longest input taken");
  if (kind === "longer") world.count("longer input refused");
  const shop = random.pick(shops);
  const [service, type] = [
    random.pick(["p2p_card", "p2p_card", "p2p_sbp"]),
    random.pick(["direct", "link"]),
  ];
  const number = String(random.below(2 ** 31));
  const content = {
    order_id: number.padEnd(random.pick([10, 255]), "ж"),
    include_service: [service],
    type,
    amount: random.pick(AMOUNTS),
    expire: random.pick(EXPIRE_MINUTES),
    ...(random.chance(0.2) ? { hook_url: `https://own${random.below(2)}.example/` } : {}),
    ...odd,
  };
  const request = shopRequest(world, shop, "/invoice/create", content);
  const { status, text, data } = await world.ask(random, request);
  const amount = kopecks(content.amount);
  const { enabled, min_sum, max_sum } = shop.tariffs[service] as Terms;
  const isWithin = content.amount >= min_sum && content.amount <= max_sum;
  const isRight = kind !== "longer" && enabled && isWithin && (type === "link" || shop.h2h_enabled);
  const said = `order ${JSON.stringify(content).slice(0, 120)}`;
  world.expect(status === (isRight ? 200 : 422), `${said} got ${text.slice(0, 300)}`);
  if (!isRight) return `${said}: refused`;
  world.expect(data.amount === decimal(amount), `${said} got ${text}`);
  // By which clock it was taken, where two were asked.
  const [row] = await world.stage.engine.query<{ at: Date }>(
    "select expires_at as at from invoices where id = $1",
    [data.id],
  );
  const expiresAt = row?.at.getTime() ?? 0;
  const off = expiresAt - world.now - content.expire * 60_000;
  world.expect(Math.abs(off) <= CLOCKS_MS, `${said} ends ${off} ms off`);
  invoices.push({
    id: data.id,
    shop,
    content,
    answer: text,
    amount,
    expiresAt,
    mustExpire: false,
    service: service as Service,
    type: type as "direct",
    payments: [],
    story: [],
    isCanceled: false,
  });
  return `${said}: ${data.id}`;
}

async function orderAgain(world: World, random: Random): Promise<string> {
  const { content, shop, answer, id } = random.pick(world.model.invoices);
  const isSame = random.chance(0.7);
  const body = isSame ? content : { ...content, comment: "other" };
  const { text, status } = await world.ask(
    random,
    shopRequest(world, shop, "/invoice/create", body),
  );
  const isRight = isSame ? text === answer : status === 422;
  world.expect(isRight, `order of ${id} once more got ${text}, first ${answer}`);
  world.count(isSame ? "retry got the first answer" : "other content refused");
  return `order of ${id} again`;
}

/** By its id or its order, also once more, by a stranger, or when it is over. */
export async function cancel(world: World, random: Random): Promise<string> {
  const { invoices, shops } = world.model;
  const open = invoices.filter((one) => isOpen(one, world.now));
  const all = open.length > 0 && random.chance(0.7) ? open : invoices;
  if (all.length === 0) return order(world, random);
  const invoice = random.pick(all);
  const { id, shop, content, paid, expiresAt } = invoice;
  const asker = random.chance(0.9) ? shop : random.pick(shops);
  const name = random.pick([{ invoice_id: id }, { order_id: content["order_id"] }]);
  const request = shopRequest(world, asker, "/invoice/cancel", name);
  const { status, text, at } = await world.ask(random, request, false);
  const said = `cancel ${id}`;
  if (asker !== shop) {
    world.expect(status === 404, `${said} by another shop got ${text}`);
    return `${said} by a stranger`;
  }
  const isEnding = Math.abs(expiresAt - at) <= CLOCKS_MS;
  const isRight = invoice.isCanceled || (!paid && expiresAt > at);
  const isTold = status === 200 && text.includes(id) && text.includes('"fail"');
  const isExpected = isTold === isRight || (isEnding && !paid);
  world.expect(isExpected && (isTold || status === 422), `${said} got ${text}`);
  world.count(isTold ? "invoice canceled" : "cancel refused");
  if (isTold && !invoice.isCanceled) world.model.cancel(invoice, at);
  return isTold ? said : `${said}: refused`;
}

function isOpen({ paid, isCanceled, expiresAt }: Invoice, now: number): boolean {
  return !paid && !isCanceled && expiresAt > now;
}

export async function details(world: World, random: Random): Promise<string> {
  const { invoices, requisites, shops } = world.model;
  const waits = (one: Invoice | undefined): boolean =>
    !!one && isOpen(one, world.now) && !one.payments.length;
  if (!waits(invoices.at(-1)) && random.chance(0.7)) await order(world, random.branch(1));
  const open = invoices.filter((one) => isOpen(one, world.now));
  const all = open.length > 0 && random.chance(0.95) ? open : invoices;
  const invoice = random.chance(0.6) ? all.at(-1) : all[random.below(all.length)];
  if (invoice === undefined) return order(world, random);
  const { id, shop, type, service } = invoice;
  const bank = random.chance(0.95) ? random.pick(requisites).bank : "tinkoff";
  const address = random.pick(ADDRESSES);
  const body = { invoice_id: id, payment_data: { bank } };
  const stranger = random.pick(shops);
  if (stranger !== shop && random.chance(0.05)) {
    const foreign = shopRequest(world, stranger, "/invoice/h2h", body);
    const { status, text } = await world.ask(random, foreign);
    world.expect(status === 404, `another shop's invoice got ${text}`);
    return `details ${id} for a stranger`;
  }
  const onPage: Request = { method: "POST", path: `/pay/${id}`, form: { service, bank }, address };
  const request = type === "link" ? onPage : shopRequest(world, shop, "/invoice/h2h", body);
  const answer = await world.ask(random, request);
  const payer = type === "link" && !address.startsWith("10.") ? address : undefined;
  const told = await judgeDetails(world, { invoice, bank, payer, now: answer.at }, answer);
  return `details ${id} ${bank} ${payer ?? ""}: ${told}`;
}

interface PaymentRow {
  readonly id: string;
  readonly requisite: string;
  readonly amount: number;
  readonly issued: Date;
  readonly ends: Date;
}

async function judgeDetails(world: World, ask: Ask, done: Done): Promise<string> {
  const { model } = world;
  const { status, text, data, wasDone } = done;
  const { invoice, now } = ask;
  const { id, amount, service, expiresAt, payments, shop, type } = invoice;
  const isPage = type === "link";
  const said = `details for ${id} got ${status} ${text.slice(0, 200)}`;
  const isGiven = status === (isPage ? 303 : 200);
  const rows = await world.stage.engine.query<PaymentRow>(
    `select id, requisite_id as requisite, to_pay_minor::float8 as amount, created_at as issued,
            ends_at as ends from payments where invoice_id = $1 order by number`,
    [id],
  );
  const [fresh, ...more] = rows.slice(payments.length);
  world.expect(more.length === 0 && (isGiven || fresh === undefined), `${said}: ${rows.length}`);
  const standing = model.standing(ask);
  const holds = typeof standing === "object" ? standing : undefined;
  if (isGiven && fresh === undefined) {
    // Where the first answer was lost, and there was nothing new to be had, the second is by another clock.
    const held = wasDone ? model.standing({ ...ask, now: now - CLOCKS_MS }) : standing;
    world.expect(typeof held === "object" && (isPage || text === held.answer), said);
    world.count("details repeated");
    return "the same again";
  }
  // Within seconds of an end it may have come, by another clock.
  const isEnding = holds !== undefined && holds.endsAt - CLOCKS_MS <= now;
  const isDue = standing === undefined || isEnding;
  const fee = feeOf(amount, shop.tariffs[service] as Terms);
  const base = amount + fee.payer;
  const most = fresh === undefined ? shop.nudge_max_kopecks + 1 : fresh.amount - base;
  if (isDue && expiresAt - CLOCKS_MS > now) {
    for (let nudge = 0; nudge < most; nudge += 1) {
      const free = model.requisites.find((one) => model.canTake(one, base + nudge, ask, true));
      world.expect(free === undefined, `${said}, though ${free?.card} has ${base + nudge} free`);
    }
  }
  if (fresh === undefined) {
    // A page shows what has happened meanwhile as what it is.
    const isSaid = status === 422 || (isPage && status === 200);
    world.expect(isSaid && (holds === undefined || isEnding), said);
    if (standing === "refused") return "refused";
    world.count(/too many payment/i.test(text) ? "share used up" : "no free slot");
    return "nothing is free";
  }
  world.expect(isDue, `${said}: new ones, and none were due`);
  const requisite = model.requisites.find((one) => one.id === fresh.requisite);
  if (requisite === undefined) return world.break(said);
  const told = `${requisite.card} for ${fresh.amount}`;
  const wallet = requisite[service === "p2p_card" ? "card" : "phone"];
  const isSaid = data?.wallet === wallet && data?.amount === decimal(fresh.amount);
  world.expect(isPage || isSaid, `${said} instead of ${told}`);
  const isNear = most >= 0 && most <= shop.nudge_max_kopecks;
  const mayBeHad = isNear && model.canTake(requisite, fresh.amount, ask, false);
  world.expect(mayBeHad, `${said}: not to be had: ${told}`);
  const [issuedAt, endsAt] = [fresh.issued.getTime(), fresh.ends.getTime()];
  const isInTime = endsAt === Math.min(issuedAt + 20 * 60_000, expiresAt);
  world.expect(isInTime && Math.abs(issuedAt - world.now) <= CLOCKS_MS, `${said}: wrong moments`);
  if (most > 0) world.count("nudge used");
  if (isPage) world.count("details chosen on the page");
  model.issue({
    id: fresh.id,
    invoice,
    requisite,
    toPay: fresh.amount,
    fee: fee.total,
    payer: ask.payer,
    answer: text,
    issuedAt,
    endsAt,
    slotUntil: endsAt + DAY_MS,
    isReplaced: false,
    hasLapsed: false,
    refunded: 0,
  });
  return `${told}, nudged by ${most}`;
}
