// /manage/services: payment methods, and how long the money of each stays frozen.

import { integer, Type, text } from "../../platform/field.ts";
import { change, view } from "../operators/doors.ts";
import { Services } from "./nouns.ts";
import { updateService } from "./queries.ts";

/** A year. */
export const LONGEST_FREEZE_SECONDS = 366 * 24 * 60 * 60;

export const readServices = view({
  path: "/manage/services",
  summary: "List payment methods",
  description: "With how long the money of each stays frozen.",
  input: Type.Object({}),
  data: Type.Object({ items: Type.Array(Services.wire) }),
  async read({ db }) {
    return { items: (await Services.all(db)).map(Services.toWire) };
  },
});

export const changeService = change({
  path: "/manage/services/:service",
  summary: "Change a payment method",
  description: "A new freeze holds for money that arrives from now on.",
  act: "service.update",
  input: Type.Object({
    service: text({ max: 64 }, { description: "Payment method code.", examples: ["p2p_card"] }),
    label: Type.Optional(text({ max: 100 }, { description: "Payment method name." })),
    freeze_seconds: Type.Optional(
      integer(
        { min: 0, max: LONGEST_FREEZE_SECONDS },
        { description: "How long a credit stays frozen.", examples: [86400] },
      ),
    ),
  }),
  data: Services.wire,
  notFound: "There is no such payment method.",
  async make(tx, _app, { service, ...given }) {
    const row = await Services.lock(tx, service);
    await updateService(tx, { ...row, ...given });
    const after = Services.toWire({ ...row, ...given });
    return { data: after, subject: row.code, before: Services.toWire(row), after };
  },
});
