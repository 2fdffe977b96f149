// /manage/services: payment methods, and how long the money of each stays frozen.

import Type from "typebox";
import { Refusal } from "../../domain/refusal.ts";
import { integer, text } from "../../platform/field.ts";
import { change, view } from "../operators/doors.ts";
import { listServices, lockService, type ServiceRow, updateService } from "./queries.ts";

const Service = Type.Object({
  service: Type.String({ description: "Payment method code." }),
  label: Type.String({ description: "Payment method name." }),
  freeze_seconds: Type.Integer({ description: "How long a credit stays frozen." }),
});

const YEAR_SECONDS = 366 * 24 * 60 * 60;

export const readServices = view({
  path: "/manage/services",
  summary: "List payment methods",
  input: Type.Object({}),
  data: Type.Object({ items: Type.Array(Service) }),
  async read({ db }) {
    return { items: (await listServices(db)).map(toWire) };
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
      integer({ min: 0, max: YEAR_SECONDS }, { description: "How long a credit stays frozen." }),
    ),
  }),
  data: Service,
  notFound: "There is no such payment method.",
  async make(tx, _app, { service, label, freeze_seconds }) {
    const row = await lockService(tx, service);
    if (row === undefined) throw new Refusal("service_not_found");
    const changed = {
      ...row,
      label: label ?? row.label,
      freeze_seconds: freeze_seconds ?? row.freeze_seconds,
    };
    await updateService(tx, changed);
    const after = toWire(changed);
    return { data: after, subject: row.code, before: toWire(row), after };
  },
});

function toWire({ code, label, freeze_seconds }: ServiceRow): Type.Static<typeof Service> {
  return { service: code, label, freeze_seconds };
}
