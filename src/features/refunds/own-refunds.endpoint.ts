// /cabinet/refunds: a merchant's refunds, and giving money of a paid invoice back.

import { Refusal } from "../../domain/refusal.ts";
import { periodFields, Type, uuid } from "../../platform/field.ts";
import { merchantOfInvoice } from "../invoices/queries.ts";
import { ownChange, ownList, ownShopIds } from "../merchants/member.ts";
import { Refunds } from "./nouns.ts";
import { makeRefund, RefundData, RefundInput } from "./wish.ts";

export const readOwnRefunds = ownList({
  path: "/cabinet/refunds",
  summary: "List the merchant's refunds",
  description: "The newest first.",
  right: "look",
  noun: Refunds,
  filters: {
    ...periodFields,
    shop_id: Type.Optional(uuid({ description: "Refunds of this shop." })),
  },
  notFound: "The merchant has no such shop.",
  async ways({ db }, { shop_id }, member) {
    return { each: { column: "shop_id", ids: await ownShopIds(db, member, shop_id) } };
  },
});

export const createOwnRefund = ownChange({
  path: "/cabinet/refunds",
  summary: "Refund an invoice of the merchant's, whole or in part",
  description:
    "From the available balance. This cannot be undone. The same reference on the same invoice counts once; without a reference each call is a refund of its own.",
  right: "refund",
  act: "refund.create",
  input: RefundInput,
  data: RefundData,
  notFound: "The merchant has no such invoice.",
  async make(tx, app, input, { name, userId }) {
    const owner = await merchantOfInvoice(tx, input.invoice_id);
    if (owner !== userId) throw new Refusal("invoice_not_found");
    return makeRefund(tx, app, input, name);
  },
});
