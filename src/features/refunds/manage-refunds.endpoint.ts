// /manage/refunds: giving money of a paid invoice back.

import { periodFields, Type, uuid } from "../../platform/field.ts";
import { change, list } from "../operators/doors.ts";
import { Refunds } from "./nouns.ts";
import { makeRefund, RefundData, RefundInput } from "./wish.ts";

export const readRefunds = list({
  path: "/manage/refunds",
  summary: "List refunds",
  description: "The newest first.",
  noun: Refunds,
  filters: {
    ...periodFields,
    shop_id: Type.Optional(uuid({ description: "Refunds of this shop." })),
  },
  ways: (_app, { shop_id }) => ({ leads: { shop_id } }),
});

export const createRefund = change({
  path: "/manage/refunds",
  summary: "Refund an invoice, whole or in part",
  description:
    "From the user's available balance. This cannot be undone. The same reference on the same " +
    "invoice counts once: a repeated call changes nothing, and one with another amount or reason " +
    "is refused. Without a reference each call is a refund of its own.",
  act: "refund.create",
  by: "cashier",
  input: RefundInput,
  data: RefundData,
  notFound: "There is no such invoice.",
  async make(tx, app, input, { name: author }) {
    return makeRefund(tx, app, input, author);
  },
});
