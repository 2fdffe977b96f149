// What shops and users do: orders, details, questions.

import type { Random } from "../random.ts";
import { decimal } from "./model.ts";
import type { Answer, Request } from "./process.ts";
import { type Bank, type Invoice, isPayment, type Key, type Shop } from "./records.ts";
import { MAX_SUM, MIN_SUM, type SERVICES } from "./setting.ts";
import type { World } from "./world.ts";

export type Step = (world: World, random: Random) => Promise<string>;

/** Few, so that they meet. */
const AMOUNTS = [10_000, 10_000, 10_000, 10_001, 25_037, 99_999, 4_999];
const EXPIRE_MINUTES = [2, 60, 300, 7_200];
const BANKS: readonly Bank[] = ["sber", "tinkoff"];

export function shopRequest(
  shop: Shop,
  secret: string,
  method: Request["method"],
  path: string,
  body?: Record<string, unknown>,
): Request {
  const headers = { "x-api-key": secret };
  return body === undefined
    ? { method, path, headers }
    : { method, path, headers, body: { shop_id: shop.id, ...body } };
}

/** One that holds now; after a rotation there may be several. */
export function livingKey({ keys }: Shop, now: number): string {
  const living = keys.filter((key): key is Key & { secret: string } => key.secret !== undefined);
  return living.findLast(({ endsAt }) => endsAt > now)?.secret ?? "";
}

interface Draft {
  readonly shop: Shop;
  readonly orderId: string;
  readonly content: Record<string, unknown>;
  readonly amount: number;
  readonly service: (typeof SERVICES)[number];
  readonly type: Invoice["type"];
  readonly expireMinutes: number;
}

function freshDraft({ model }: World, random: Random): Draft {
  const amount = random.pick(AMOUNTS);
  const service = random.chance(0.7) ? "p2p_card" : "p2p_sbp";
  const expireMinutes = random.pick(EXPIRE_MINUTES);
  const orderId = `order ${model.invoices.length} ${random.below(1_000_000)}`;
  const type = random.chance(0.3) ? "link" : "direct";
  return draftOf({ shop: random.pick(model.shops), orderId, amount, service, type, expireMinutes });
}

function draftOf(wish: Omit<Draft, "content">): Draft {
  const { orderId, amount, service, type, expireMinutes } = wish;
  const content = {
    ...{ amount: amount / 100, order_id: orderId, include_service: [service], type },
    ...{ expire: expireMinutes, custom_fields: `{"cart":"${orderId}"}` },
  };
  return { ...wish, content };
}

/** The model's word on an answer to an order. */
function judgeOrder(world: World, draft: Draft, answer: Answer): string {
  const { model, now } = world;
  const { shop, orderId, amount, service, type } = draft;
  const content = JSON.stringify(draft.content);
  const first = model.orderOf(shop, orderId);
  if (first !== undefined && first.content === content) {
    world.expect(answer.text === first.answer, `a retry got ${answer.text}, not ${first.answer}`);
    world.count("retry got the first answer");
    return "the first answer again";
  }
  const isTaken = shop.tariffs[service].enabled && amount >= MIN_SUM && amount <= MAX_SUM;
  if (first !== undefined || !isTaken) {
    world.expect(answer.status === 422, `order ${orderId} got ${answer.text}`);
    if (first !== undefined) world.count("order with other content refused");
    return "refused";
  }
  world.expect(answer.status === 200, `order ${orderId} got ${answer.text}`);
  world.expect(answer.data.amount === decimal(amount), `order ${orderId} got ${answer.text}`);
  model.invoices.push({
    ...{ id: answer.data.id, shop, orderId, content, answer: answer.text, amount, service, type },
    ...{ expiresAt: now + draft.expireMinutes * 60_000, state: "created" },
    ...{ payments: [], events: [] },
  });
  return `invoice ${answer.data.id}`;
}

export const create: Step = async (world, random) => {
  const known = world.model.invoices;
  const kind = known.length === 0 ? "new" : random.weighted({ new: 70, same: 18, other: 12 });
  let draft = freshDraft(world, random);
  if (kind !== "new") {
    const old = random.pick(known);
    const { expire: expireMinutes } = JSON.parse(old.content);
    const amount = kind === "same" ? old.amount : old.amount + 100;
    draft = draftOf({ ...old, amount, expireMinutes });
  }
  const secret = livingKey(draft.shop, world.now);
  const request = shopRequest(draft.shop, secret, "POST", "/invoice/create", draft.content);
  const answer = await world.insist(world.process(random), request);
  return `create ${kind} ${draft.orderId} for ${draft.amount}: ${judgeOrder(world, draft, answer)}`;
};

/** Both processes are asked for the same order at once: one invoice, one answer. */
export const createTwice: Step = async (world, random) => {
  const draft = freshDraft(world, random);
  const secret = livingKey(draft.shop, world.now);
  const request = shopRequest(draft.shop, secret, "POST", "/invoice/create", draft.content);
  const answers = await Promise.all(world.stage.processes.map((one) => one.ask(request)));
  world.count("same request twice at once");
  const told = answers.map((answer) => judgeOrder(world, draft, answer));
  return `create twice at once ${draft.orderId} for ${draft.amount}: ${told.join(", ")}`;
};

function pickOpen({ model, now }: World, random: Random): Invoice | undefined {
  const open = model.invoices.filter(
    ({ state, expiresAt }) => (state === "created" || state === "pending") && expiresAt > now,
  );
  if (open.length > 0 && random.chance(0.9)) return random.pick(open);
  return model.invoices.length === 0 || random.chance(0.7)
    ? undefined
    : random.pick(model.invoices);
}

function judgeDetails(world: World, invoice: Invoice, bank: Bank, answer: Answer): string {
  const { model, now } = world;
  const wanted = model.detailsFor(invoice, bank, now);
  const isPage = invoice.type === "link";
  const granted = isPage ? 303 : 200;
  if (wanted === "refused") {
    const isOpen = invoice.state === "created" || invoice.state === "pending";
    // What has happened in the meantime is no error to a payer: the page shows it.
    const isNews = isPage && (!isOpen || invoice.expiresAt <= now);
    const isSaid = isNews
      ? answer.status === 200 && !copiedOn(answer.text).length
      : answer.status === 422;
    world.expect(isSaid, `details for ${invoice.id} got ${tellable(answer)}`);
    const isOffered = invoice.shop.tariffs[invoice.service].enabled && invoice.expiresAt > now;
    if (isOpen && isOffered) world.count("no free slot");
    if (/holds too many payment details/.test(answer.text)) world.count("share used up");
    return "refused";
  }
  world.expect(answer.status === granted, `details for ${invoice.id} got ${tellable(answer)}`);
  if (isPayment(wanted)) {
    world.expect(answer.text === wanted.answer, `details changed: ${answer.text}`);
    world.count("details repeated");
    return "the same again";
  }
  const { requisite, toPay, nudge } = wanted;
  const wallet = invoice.service === "p2p_card" ? requisite.card : requisite.phone;
  const right = `${wallet} ${decimal(toPay)}`;
  const told = `${answer.data?.wallet} ${answer.data?.amount}`;
  // The page says it after the redirect.
  world.expect(isPage || told === right, `details for ${invoice.id} are ${told}, not ${right}`);
  if (nudge > 0) world.count("nudge used");
  if (invoice.payments.some(({ state }) => state === "live")) world.count("bank changed");
  model.issue(invoice, wanted, answer.text, now);
  return `${right}, nudged by ${nudge}`;
}

export const details: Step = async (world, random) => {
  const invoice = pickOpen(world, random);
  if (invoice === undefined) return create(world, random);
  const bank = random.pick(BANKS);
  const request = detailsRequest(world, invoice, bank);
  const answer = await world.insist(world.process(random), request);
  const judged = judgeDetails(world, invoice, bank, answer);
  if (answer.status === 303) await readPage(world, invoice);
  return `details ${invoice.id} ${bank}: ${judged}`;
};

const copiedOn = (page: string): (string | undefined)[] =>
  [...page.matchAll(/data-copy="([^"]+)"/g)].map(([, one]) => one);

const tellable = ({ status, text }: Answer): string => `${status} ${text.slice(0, 300)}`;

/** Where to pay and how much are the first things on the page that can be copied. */
async function readPage(world: World, { id, service, payments }: Invoice): Promise<void> {
  const [process] = world.stage.processes;
  const { text } = await process.ask({ method: "GET", path: `/pay/${id}`, headers: {} });
  const live = payments.find(({ state }) => state === "live");
  const wallet = live?.requisite[service === "p2p_card" ? "card" : "phone"];
  const copied = copiedOn(text).slice(0, 2);
  const right = [decimal(live?.toPay ?? 0), wallet];
  world.expect(String(copied) === String(right), `the page of ${id} says ${copied}, not ${right}`);
  world.count("details chosen on the page");
}

function detailsRequest(world: World, invoice: Invoice, bank: Bank): Request {
  if (invoice.type === "link") {
    const form = { service: invoice.service, bank };
    return { method: "POST", path: `/pay/${invoice.id}`, headers: {}, form };
  }
  const secret = livingKey(invoice.shop, world.now);
  const body = { invoice_id: invoice.id, payment_data: { bank } };
  return shopRequest(invoice.shop, secret, "POST", "/invoice/h2h", body);
}

export const detailsTwice: Step = async (world, random) => {
  const invoice = pickOpen(world, random);
  if (invoice === undefined) return createTwice(world, random);
  const bank = random.pick(BANKS);
  const request = detailsRequest(world, invoice, bank);
  const answers = await Promise.all(world.stage.processes.map((one) => one.ask(request)));
  world.count("same request twice at once");
  const told = answers.map((answer) => judgeDetails(world, invoice, bank, answer));
  if (answers.some(({ status }) => status === 303)) await readPage(world, invoice);
  return `details twice at once ${invoice.id} ${bank}: ${told.join("; ")}`;
};

const STATUS = {
  ...{ created: "created", pending: "created", paid: "success", expired: "expired" },
  refunded: "refund",
} as const;

export const info: Step = async (world, random) => {
  const { model, now } = world;
  if (model.invoices.length === 0) return "info: no invoice";
  const invoice = random.pick(model.invoices);
  const path = `/invoice/info?shop_id=${invoice.shop.id}&invoice_id=${invoice.id}`;
  const request = shopRequest(invoice.shop, livingKey(invoice.shop, now), "GET", path);
  const answer = await world.insist(world.process(random), request);
  const paid = invoice.payments.find(({ state }) => state === "paid");
  const { status, credited, order_id } = answer.data ?? {};
  const told = JSON.stringify([answer.status, status, credited, order_id]);
  const right = [200, STATUS[invoice.state], paid ? (paid.credited ?? 0) / 100 : null];
  const wanted = JSON.stringify([...right, invoice.orderId]);
  world.expect(told === wanted, `info on ${invoice.id} says ${told} instead of ${wanted}`);
  return `info ${invoice.id}: ${status}`;
};

export const balance: Step = async (world, random) => {
  const user = random.pick(world.model.users);
  const path = `/account/users/${user.id}/balance`;
  const headers = { "x-api-signature-sha256": user.secret };
  const answer = await world.insist(world.process(random), { method: "GET", path, headers });
  const { balance: sum, active_balance, freeze_balance } = answer.data ?? {};
  const told = JSON.stringify([sum, active_balance, freeze_balance]);
  const { available, frozen } = user;
  const wanted = JSON.stringify([(available + frozen) / 100, available / 100, frozen / 100]);
  world.expect(told === wanted, `the balance of ${user.id} is ${told} instead of ${wanted}`);
  return `balance ${user.id}: ${told}`;
};

/** Whoever is not the owner learns nothing and changes nothing. */
export const foreign: Step = async (world, random) => {
  const { model, now } = world;
  const [first, second] = random.shuffle(model.shops);
  const invoice = model.invoices.find((one) => one.shop === first);
  if (first === undefined || second === undefined || invoice === undefined)
    return "foreign: nobody";
  world.count("foreign caller");
  const key = livingKey(second, now);
  const body = { invoice_id: invoice.id, payment_data: { bank: "sber" } };
  const process = world.process(random);
  const infoPath = (shop: Shop) => `/invoice/info?shop_id=${shop.id}&invoice_id=${invoice.id}`;
  for (const [wanted, request] of [
    [404, shopRequest(second, key, "POST", "/invoice/h2h", body)],
    [404, shopRequest(second, key, "GET", infoPath(second))],
    [401, shopRequest(first, key, "GET", infoPath(first))],
    [401, shopRequest(first, key, "POST", "/invoice/h2h", body)],
  ] as const) {
    const answer = await process.ask(request);
    world.note(process, process.db.disarm());
    const isRight = answer.status === wanted || answer.status >= 500;
    world.expect(isRight, `a stranger got ${answer.text} of ${request.path}`);
    world.expect(!answer.text.includes(invoice.orderId), `a stranger read ${answer.text}`);
  }
  return `foreign: ${second.id} asks for ${invoice.id}`;
};
