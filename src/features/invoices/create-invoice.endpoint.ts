// POST /invoice/create: takes an order. Guards that one (shop, order id) is one invoice, as long as it is
// kept: a retry with the same content gets the first answer again, other content is refused.

import type { Static } from "typebox";
import { methodsOf } from "../../domain/dialect.ts";
import { EXPIRE_MINUTES, INVOICE_TYPES } from "../../domain/invoice.ts";
import { momentFormat } from "../../domain/moment.ts";
import { minorFromNumber, toDecimalText } from "../../domain/money.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { Tariff } from "../../domain/tariff.ts";
import type { App } from "../../platform/app.ts";
import type { Queryable } from "../../platform/db.ts";
import { type Call, hotEndpoint } from "../../platform/endpoint.ts";
import {
  checked,
  currencyCode,
  httpUrl,
  integer,
  listOf,
  oneOf,
  payerEmail,
  Type,
  text,
  textOrNull,
  uuid,
} from "../../platform/field.ts";
import { type Shop, shopGate } from "../merchants/principal.ts";
import { termsOf } from "../tariffs/queries.ts";
import { countInvoices } from "./count.ts";
import { customFieldsFault, customFieldsText } from "./custom-fields.ts";
import {
  contentOf,
  draftInvoice,
  isOfSameContent,
  readStrictOrder,
  translateOrder,
} from "./draft.ts";
import { addInvoices, findOrders, type NewInvoice, type Order } from "./queries.ts";

/** No tariff takes more; a double so large is written with an exponent, whatever its decimals. */
const MOST = 1e12;

export const OrderInput = Type.Object({
  amount: checked(
    Type.Number({
      exclusiveMinimum: 0,
      description: "Payment amount, at most two decimals, within the tariff's bounds.",
      examples: [1000],
    }),
    (value: number) => (value > MOST ? "amount_bound" : "decimals"),
    (value: number) => minorFromNumber(value) !== undefined,
  ),
  order_id: text(
    { max: 255 },
    { description: "Identifier of the order on the merchant's side.", examples: ["order-1"] },
  ),
  shop_id: uuid({
    description: "The shop; also used for authorization.",
    examples: ["00000000-0000-4000-8000-000000000002"],
  }),
  include_service: listOf(
    text({ max: 64 }, { description: "Payment method code." }),
    { min: 1, max: 20 },
    { description: "Payment method codes; exactly one for direct.", examples: [["p2p_card"]] },
  ),
  type: oneOf(INVOICE_TYPES, {
    description: "direct for host-to-host, link for the payment page.",
    examples: ["direct"],
  }),
  success_url: Type.Optional(
    httpUrl({
      description:
        "Where the payer goes after paying; a visit there proves nothing. Required unless the shop has one.",
      examples: ["https://shop.example/ok"],
    }),
  ),
  fail_url: Type.Optional(
    httpUrl({ description: "Where the page's link back leads until the money came." }),
  ),
  hook_url: Type.Optional(httpUrl({ description: "Where notifications go." })),
  expire: Type.Optional(
    integer(EXPIRE_MINUTES, {
      description: `Lifetime in minutes, ${EXPIRE_MINUTES.default} when left out.`,
    }),
  ),
  email: Type.Optional(payerEmail({ description: "The payer's e-mail address." })),
  custom_fields: Type.Optional(
    checked(
      Type.Unsafe<string | object>({
        type: ["string", "object"],
        maxLength: 4096,
        description: "A JSON object, written as a string; a real object is taken too.",
      }),
      customFieldsFault,
      (value: string | object) => customFieldsText(value) !== undefined,
    ),
  ),
  comment: Type.Optional(
    text({ max: 255 }, { description: "What is bought; the payment page shows it." }),
  ),
  exclude_service: Type.Optional(
    listOf(
      text({ max: 64 }, { description: "Payment method code." }),
      { min: 0, max: 20 },
      { description: "Methods that are not offered, for a shop of the dialect family." },
    ),
  ),
  currency: Type.Optional(
    currencyCode({ description: "Currency code; the tariff's when left out." }),
  ),
});

export const OrderData = Type.Object({
  id: Type.String({ format: "uuid", description: "The invoice; used later as invoice_id." }),
  amount: Type.String({
    description: "Decimal amount with two decimals.",
    examples: ["1000.00"],
  }),
  currency: Type.String({ description: "Currency code.", examples: ["RUB"] }),
  url: textOrNull({ description: "The payment page; null for direct." }, "uri"),
  expired: Type.String({
    description: "Expiry moment, YYYY-MM-DD HH:MM:SS.",
    examples: ["2026-03-01 17:00:00"],
  }),
});

export const createInvoice = hotEndpoint({
  method: "POST",
  path: "/invoice/create",
  summary: "Create an invoice",
  description: "The same order id with the same content gives the first answer again.",
  gate: shopGate,
  identifier: "shop_id",
  input: OrderInput,
  translate(input, { dialect }, source) {
    if (dialect === "strict") readStrictOrder(input, source);
    else translateOrder(input, source);
  },
  data: OrderData,
  problems: "first",
  async handleSet(app, calls) {
    const shops = calls.map(({ principal }) => principal);
    return takeOrders(app, app.db, calls, await termsOf(app, shops));
  },
});

/** The one way in for orders, on whatever connection: each with its invoice, or why there is none. */
export async function takeOrders(
  app: App,
  db: Queryable,
  calls: readonly Call<Static<typeof OrderInput>, Shop>[],
  tariffs: ReadonlyMap<string, readonly Tariff[]>,
): Promise<(Static<typeof OrderData> | Refusal)[]> {
  const { clock, config, newId } = app;
  const now = clock.now();
  const drafts = calls.map(({ input: wish, principal: shop }) => {
    const content = contentOf(wish);
    const own = tariffs.get(shop.id) ?? [];
    const id = newId();
    const include_service = methodsOf(shop.dialect, wish, content.amountMinor, own);
    const order = { ...wish, include_service };
    const draft = draftInvoice({ id, shop, wish: order, content, tariffs: own, now });
    return { draft, key: { shopId: shop.id, orderId: wish.order_id }, wish, content };
  });

  const ready = drafts
    .map(({ draft }) => draft)
    .filter((draft): draft is NewInvoice => !(draft instanceof Refusal));
  const added = await addInvoices(db, ready, now);
  countInvoices(app, "created", added);

  const moments = momentFormat(config.timeZone);
  const answer = (one: Order) => ({
    id: one.id,
    amount: toDecimalText(one.amountMinor),
    currency: one.currency,
    url: one.type === "link" ? `${config.baseUrl}/pay/${one.id}` : null,
    expired: moments.text(one.expiresAt),
  });
  if (added === calls.length) return ready.map(answer);
  // What was not added may be a retry, also one that today's tariffs would refuse: the orders'
  // invoices tell.
  const orders = await findOrders(
    db,
    drafts.map(({ key }) => key),
  );
  const known = new Map(orders.map((order) => [orderKey(order), order]));
  // An invoice that nobody used may have been removed since it was in the way: then its order is new.
  const free = ready.filter((draft) => !known.has(orderKey(draft)));
  if (free.length > 0) {
    countInvoices(app, "created", await addInvoices(db, free, now));
    for (const order of await findOrders(db, free)) known.set(orderKey(order), order);
  }
  return drafts.map(({ draft, key, wish, content }) => {
    const first = known.get(orderKey(key));
    if (first !== undefined && isOfSameContent(first, wish, content)) return answer(first);
    return draft instanceof Refusal ? draft : new Refusal("order_taken");
  });
}

function orderKey({ shopId, orderId }: Pick<Order, "shopId" | "orderId">): string {
  return `${shopId} ${orderId}`;
}
