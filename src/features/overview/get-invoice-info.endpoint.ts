// GET /invoice/info: how an invoice stands. Every client of this family of API asks for it.

import { toldCommission, toldPayer } from "../../domain/dialect.ts";
import { momentFormat } from "../../domain/moment.ts";
import { Refusal } from "../../domain/refusal.ts";
import { hotEndpoint } from "../../platform/endpoint.ts";
import { Type, text, uuid } from "../../platform/field.ts";
import { shopGate } from "../merchants/principal.ts";
import { InvoiceInfo } from "./nouns.ts";
import { invoiceInfo } from "./queries.ts";

const COMMISSIONS = [
  ...(["commission_amount", "commission_percent", "shop_commission_amount"] as const),
  ...(["user_commission_amount", "user_commission_percent"] as const),
];

export const getInvoiceInfo = hotEndpoint({
  method: "GET",
  path: "/invoice/info",
  summary: "How an invoice stands",
  description: "Ask by invoice_id, or by order_id.",
  gate: shopGate,
  identifier: "shop_id",
  input: Type.Object({
    shop_id: uuid({
      description: "The shop; also used for authorization.",
      examples: ["00000000-0000-4000-8000-000000000002"],
    }),
    invoice_id: Type.Optional(uuid({ description: "The invoice." })),
    order_id: Type.Optional(
      text({ max: 255 }, { description: "The order.", examples: ["order-1"] }),
    ),
  }),
  data: InvoiceInfo.wire,
  notFound: "The shop has no such invoice.",
  problems: "first",
  async handleSet({ db, config }, calls) {
    const moments = momentFormat(config.timeZone);
    const rows = await invoiceInfo(
      db,
      calls.map(({ input, principal }, call) => ({
        call,
        shopId: principal.id,
        invoiceId: input.invoice_id ?? null,
        orderId: input.order_id ?? null,
      })),
    );
    const byCall = new Map(rows.map((row) => [row.call, row]));
    return calls.map(({ input, principal: { dialect } }, call) => {
      if (input.invoice_id === undefined && input.order_id === undefined) {
        return new Refusal("invoice_id_required");
      }
      const row = byCall.get(call);
      if (row === undefined) return new Refusal("invoice_not_found");
      const info = InvoiceInfo.toWire({
        ...row,
        payer: toldPayer(dialect, row.payer),
        created_at: moments.text(row.created_at),
        expired_at: moments.text(row.expires_at),
        paid_at: row.paid_at && moments.text(row.paid_at),
      });
      for (const name of COMMISSIONS) info[name] = toldCommission(dialect, info[name]);
      return info;
    });
  },
});
