// Something of everything that operations can be about; of what they change or end, something of its own.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { createH2h, createInvoice, LINK_SHOP, SHOP, USER } from "../../test/cast.ts";
import { type Manage, manage, OPERATOR_TOKEN } from "../../test/manage.ts";
import { DAY } from "../../test/orders.ts";
import { pauseRail, payoutBody } from "../../test/payouts.ts";
import type { Receiver } from "../../test/receiver.ts";
import { accepted } from "../accepted.ts";
import { eventually } from "../eventually.ts";
import { OPERATIONS } from "./operations.ts";
import { type Known, STATEMENT } from "./right.ts";

export type Gateway = Parameters<typeof manage>[0];

const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
const advance = (gateway: Gateway, advance_seconds: number) =>
  gateway.call("/sandbox/clock", { body: { advance_seconds }, headers });

/** As many as are used up. */
const several = <One>(make: () => Promise<One>, count = 8): Promise<One[]> =>
  Promise.all(Array.from({ length: count }, make));
const numbered = (count: number, text: (n: number) => string): string[] =>
  Array.from({ length: count }, (_, n) => text(n));
const idsIn = (list: { readonly items: readonly Record<string, string>[] }, id: string): string[] =>
  list.items.map((one) => one[id] ?? "");

export async function paid(gateway: Gateway, hook_url: string): Promise<string> {
  const { id } = accepted(await createInvoice(gateway, { hook_url, amount: 500 }));
  const { wallet, amount } = accepted(await createH2h(gateway, id));
  const body = { wallet, amount: Number(amount) };
  const told = accepted(await gateway.call("/sandbox/transfers", { body, headers }));
  assert.equal(told.state, "matched");
  return id;
}

/** Payouts at every stage, by the doors that want them so. */
async function payoutsOf(gateway: Gateway, own: Manage): Promise<Record<string, string[]>> {
  await pauseRail(gateway);
  const signed = { "x-api-signature-sha256": USER.secret };
  const many = (...acts: readonly [act: string, body?: object][]): Promise<string[]> =>
    several(async () => {
      const options = { headers: signed, body: payoutBody({ amount: 10 }) };
      const { payoff_id: id } = accepted(await gateway.call("/payoff/create", options));
      for (const [act, said = {}] of acts) {
        await own.post(`payouts/${id}/${act}`, act === "sent" ? { bank_reference: id } : said);
      }
      return id;
    }, 6);
  const unknown = await many(["take"]);
  await advance(gateway, 3_600);
  // While one like it is unknown, each waits for a person: that is what approve is for.
  const held = await many();
  const approved = (...acts: readonly [act: string, body?: object][]) => many(["approve"], ...acts);
  const queued = await approved();
  const wanted = {
    approve: held,
    resolve: unknown,
    return: await approved(["take"], ["sent"]),
    recover: await approved(["take"], ["not-sent", { reason: "fuzz" }]),
    // What is refused is there for nobody else.
    refuse: await approved(),
    take: await approved(),
    "not-sent": await approved(["take"]),
    sent: await approved(["take"]),
  };
  const filed = await own.post("payout-batches", { format: "csv", payouts: await approved() });
  return {
    payout_id: queued,
    "GET /payoff/info id": queued,
    batch_id: [filed.batch_id],
    "POST /payoff/cancel id": await approved(),
    "POST /cabinet/payouts/{payout_id}/cancel payout_id": await approved(),
    ...Object.fromEntries(
      Object.entries(wanted).map(([act, ids]) => [
        `POST /manage/payouts/{payout_id}/${act} payout_id`,
        ids,
      ]),
    ),
  };
}

export async function prepare(gateway: Gateway, receiver: Receiver): Promise<Known> {
  const own = manage(gateway);
  const cabinet = manage(gateway, "sandbox_owner_token", "cabinet");
  const refundable = await several(() => paid(gateway, receiver.url));
  await eventually("the webhooks", () => receiver.received.length >= refundable.length);
  await advance(gateway, 2 * DAY);
  const payouts = await payoutsOf(gateway, own);
  // A harmed request may lack its user, and change what holds for everybody without a tariff of their own.
  const terms = { percent: 2, fix: 0, min_sum: 10, max_sum: 5_000, hold_first: false };
  await own.post("payout-tariffs", { user_id: USER.id, service: "card", ...terms });

  /** The ids of several that are made by this door, which tells each by itself or in what it has made. */
  const made = (id: string, by: Manage, path: string, body: object): Promise<string[]> =>
    several(async () => {
      const email = path.endsWith("people") ? { email: `${randomUUID()}@example.org` } : {};
      const told = await by.post(path, { ...body, ...email });
      return told[id] ?? Object.values<Record<string, string>>(told).find((one) => one?.[id])?.[id];
    });
  const listed = async (id: string, path: string): Promise<string[]> =>
    idsIn(await own.get(path), id);
  const invoices = (changes = {}, shop = SHOP): Promise<string[]> =>
    several(async () => accepted(await createInvoice(gateway, changes, shop)).id, 12);

  const name = "fuzz";
  const { user } = await own.post("users", { name });
  const shops = await made("shop_id", own, "shops", { user_id: user.user_id, name });
  const rates = { service: "p2p_card", shop_percent: 4, user_percent: 2, min_sum: 1, max_sum: 9 };
  for (const shop_id of shops) await own.post("tariffs", { shop_id, currency: "RUB", ...rates });
  const direct = await invoices();
  for (const id of direct) accepted(await createH2h(gateway, id));
  const doomed = await invoices();
  const stray = { wallet: "2202200000000007", amount: 77.7 };
  const items = numbered(24, (n) => `stray ${n}`).map((reference) => ({ ...stray, reference }));
  const strays = idsIn(await own.post("transfers", { items }), "transfer_id");
  const program = { url: "http://127.0.0.1:9", services: ["card"], paused: true };
  await own.post("rails", { ...program, code: name });
  const { import_id } = await own.post("imports", { filename: "fuzz.txt", content: STATEMENT });
  const lines = () => listed("line_id", "lines?waiting=true&limit=200");
  await eventually("the lines", async () => (await lines()).length > 0);
  const phone = { bank: "sber", receiver_name: name, phone: "+79160000001", max_sum: 50 };
  const { requisite_id } = await own.post("requisites", phone);
  const teller = { name, adapter: "kopeck", banks: ["sber"], senders: ["900"] };
  const support = { name, role: "support" };
  const colleagues = await made("person_id", own, `users/${USER.id}/people`, support);
  const ownKeys = await made("key_id", cabinet, "keys", { shop_id: SHOP.id });
  const emails = numbered(500, (n) => `fuzz-${n}@example.org`);
  const members = await made("person_id", own, `users/${user.user_id}/people`, support);

  const changing = OPERATIONS.filter((one) => /^POST \/manage/.test(one.name)).flatMap((one) => [
    [`${one.name} shop_id`, shops] as const,
    [`${one.name} user_id`, [user.user_id]] as const,
  ]);
  const known: Record<string, string[]> = {
    ...Object.fromEntries(changing.filter(([one]) => !/(?:keys.*|payouts) user_id/.test(one))),
    ...payouts,
    invoice: await invoices({ type: "link", include_service: ["p2p_card"] }, LINK_SHOP),
    invoice_id: direct,
    "GET /invoice/info invoice_id": direct,
    "POST /invoice/cancel invoice_id": doomed,
    "POST /manage/invoices/{invoice_id}/cancel invoice_id": doomed,
    "POST /cabinet/invoices/{invoice_id}/cancel invoice_id": doomed,
    "POST /manage/refunds invoice_id": refundable,
    "POST /cabinet/refunds invoice_id": refundable,
    payment_id: await listed("payment_id", "payments?state=live"),
    transfer_id: strays,
    "POST /manage/transfers reference": numbered(500, (n) => `told ${n}`),
    event_id: await listed("event_id", "events"),
    import_id: [import_id],
    line_id: await lines(),
    requisite_id: [requisite_id],
    phone: numbered(90, (n) => `+791600000${10 + n}`),
    source_id: await made("source_id", own, "sources", teller),
    key_id: await made("key_id", own, "keys", { shop_id: shops[0] }),
    "POST /cabinet/keys/{key_id}/revoke key_id": ownKeys,
    operator_id: await made("operator_id", own, "operators", { name, role: "viewer" }),
    token_id: await made("token_id", cabinet, "tokens", { name }),
    person_id: await made("person_id", own, "people", { name, desk_role: "viewer" }),
    "POST /manage/users/{user_id}/people/{person_id} person_id": members,
    "POST /cabinet/people/{person_id} person_id": colleagues,
    "POST /cabinet/people/{person_id}/link person_id": colleagues,
    "POST /manage/people email": emails,
    "POST /cabinet/people email": emails,
    "POST /manage/users/{user_id}/people email": emails,
  };
  return new Map(Object.entries(known));
}
