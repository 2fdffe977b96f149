// GET /manage/statistics, GET /cabinet/statistics: invoices and money of a period, by day, hour, method or shop.

import type { Static } from "typebox";
import { momentFormat } from "../../domain/moment.ts";
import { toDecimalNumber } from "../../domain/money.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import { currencyCode, moment, oneOf, Type, uuid } from "../../platform/field.ts";
import { ownShopIds, ownView } from "../merchants/member.ts";
import { view } from "../operators/doors.ts";
import { isoMoment } from "../operators/noun.ts";
import {
  countedTo,
  currenciesTaken,
  type Period,
  type StatisticsKey,
  type Sums,
  sumStatistics,
} from "./queries.ts";

const MAX_DAYS = 92;
const DEFAULT_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;
const HOUR_MS = 60 * 60 * 1000;
/** Of shops, those with most money. */
const MAX_ITEMS = 200;
const USUAL = "RUB";

const StatisticsInput = Type.Object({
  from: Type.Optional(
    moment({
      description:
        "From this moment on, or from a day of the service's time zone; 30 days before `to` when left out. The day or hour that it falls into counts whole.",
    }),
  ),
  to: Type.Optional(
    moment({
      description: `Before this moment or day; now when left out. At most ${MAX_DAYS} days.`,
    }),
  ),
  currency: Type.Optional(
    currencyCode({
      description: "Currency code; RUB, or the first that requisites take where none takes that.",
      examples: ["RUB"],
    }),
  ),
  by: Type.Optional(
    oneOf(["day", "hour", "method", "shop"] satisfies StatisticsKey[], {
      description: `One item for each day (the default), hour, payment method, or shop (the ${MAX_ITEMS} with most money).`,
      examples: ["day"],
    }),
  ),
  shop_id: Type.Optional(uuid({ description: "Only of this shop." })),
});

const count = (description: string, example: number) =>
  Type.Integer({ description, examples: [example] });
const amount = (description: string, example: number) =>
  Type.Number({ description, examples: [example] });

const SUMS = {
  created: count("Invoices created.", 120),
  converted: count("Of the invoices created then, those paid since.", 82),
  expired: count("Of the invoices created then, those that ended without payment.", 30),
  paid: count("Payments that were paid.", 80),
  paid_in_time: count("Of these, the ones paid before the details ended.", 77),
  received: amount("Money that came for them.", 120450.5),
  credited: amount("The part of it that shops were credited with.", 113223.47),
  fee: amount("The part of it that the gateway has kept.", 7227.03),
  refunds: count("Refunds.", 1),
  refunded: amount("Money that was given back.", 500),
};

const StatisticsData = Type.Object({
  items: Type.Array(
    Type.Object({
      key: Type.String({
        description:
          "The day (2026-03-01), the hour's first moment in UTC, the method (empty for invoices whose payer chooses it), or the shop's id.",
        examples: ["2026-03-01"],
      }),
      ...SUMS,
    }),
  ),
  total: Type.Object(SUMS, { description: "The whole period." }),
  as_of: isoMoment("Everything before this moment is counted; at most a minute ago as a rule."),
  currency: Type.String({ description: "Currency of the money.", examples: ["RUB"] }),
  currencies: Type.Array(Type.String({ examples: ["RUB"] }), {
    description: "Currencies in which requisites take money.",
  }),
});

type Answer = Static<typeof StatisticsData>;

interface Wish extends Omit<Static<typeof StatisticsInput>, "shop_id"> {
  /** Of these shops together; undefined for all. */
  readonly shopIds: readonly string[] | undefined;
}

/** The caller has checked that these shops may be seen. */
async function readStatistics(app: App, wish: Wish): Promise<Answer> {
  const currencies = await currenciesTaken(app.db);
  const { by = "day", currency = currencies[0] ?? USUAL } = wish;
  const period = periodOf(app, { ...wish, currency }, by === "hour" ? "hour" : "day");
  // Read before the sums: they may then include more than the moment says, and never less.
  const counted = await countedTo(app.db);
  const found = await sumStatistics(app.db, by, period);
  const rows = new Map(found.map((row) => [row.key, row]));
  const keys = keysOf(by, period) ?? [...rows.keys()].slice(0, MAX_ITEMS);
  return {
    items: keys.map((key) => ({ key, ...sumsOf(rows.get(key) ?? NOTHING) })),
    total: sumsOf(found.reduce(added, NOTHING)),
    as_of: new Date(Math.min(counted.getTime(), app.clock.now().getTime())).toISOString(),
    currency,
    currencies,
  };
}

/** Whole days or whole hours; a period that is given in days is of the service's time zone. */
function periodOf(
  { clock, config: { timeZone } }: App,
  { from: since, to: until, currency, shopIds }: Wish & { readonly currency: string },
  unit: "day" | "hour",
): Period {
  const zone = momentFormat(timeZone);
  const isDay = (text: string): boolean => text.length === "2026-03-01".length;
  const momentFrom = (text: string): Date => (isDay(text) ? zone.startOf(text) : new Date(text));
  const to = until === undefined ? clock.now() : momentFrom(until);
  const asked =
    since === undefined ? new Date(to.getTime() - DEFAULT_DAYS * DAY_MS) : momentFrom(since);
  const lengthMs = to.getTime() - asked.getTime();
  // A day may have an hour more than others.
  if (lengthMs <= 0 || lengthMs > MAX_DAYS * DAY_MS + HOUR_MS) {
    throw new Refusal("period_too_long", { days: String(MAX_DAYS) });
  }
  const day = zone.startOf(zone.day(asked));
  // A day that begins within an hour begins with its first whole hour, by days and by hours.
  const whole = day.getTime() === asked.getTime() ? Math.ceil : Math.floor;
  const hour = new Date(whole(asked.getTime() / HOUR_MS) * HOUR_MS);
  return { from: unit === "hour" ? hour : day, to, timeZone, currency, shopIds };
}

/** Every day or hour of a period; undefined where only what was found is told. */
function keysOf(by: StatisticsKey, { from, to, timeZone }: Period): string[] | undefined {
  if (by === "hour") {
    const hours = Math.ceil((to.getTime() - from.getTime()) / HOUR_MS);
    return Array.from({ length: hours }, (_, nth) =>
      new Date(from.getTime() + nth * HOUR_MS).toISOString(),
    );
  }
  if (by !== "day") return undefined;
  const zone = momentFormat(timeZone);
  const first = Date.parse(zone.day(from));
  const last = Date.parse(zone.day(new Date(to.getTime() - 1)));
  // Counted, because as a text the first day of the year 10000 comes before all others.
  return Array.from({ length: (last - first) / DAY_MS + 1 }, (_, nth) =>
    new Date(first + nth * DAY_MS).toISOString().slice(0, 10),
  );
}

const NOTHING: Sums = {
  created: 0n,
  converted: 0n,
  expired: 0n,
  paid: 0n,
  paid_in_time: 0n,
  received_minor: 0n,
  credited_minor: 0n,
  fee_minor: 0n,
  refunds: 0n,
  refunded_minor: 0n,
};

function added(left: Sums, right: Sums): Sums {
  const names = Object.keys(NOTHING) as (keyof Sums)[];
  const sums = names.map((name) => [name, left[name] + right[name]]);
  return Object.fromEntries(sums) as Sums;
}

function sumsOf(row: Sums): Answer["total"] {
  return {
    created: Number(row.created),
    converted: Number(row.converted),
    expired: Number(row.expired),
    paid: Number(row.paid),
    paid_in_time: Number(row.paid_in_time),
    received: toDecimalNumber(row.received_minor),
    credited: toDecimalNumber(row.credited_minor),
    fee: toDecimalNumber(row.fee_minor),
    refunds: Number(row.refunds),
    refunded: toDecimalNumber(row.refunded_minor),
  };
}

export const readAllStatistics = view({
  path: "/manage/statistics",
  summary: "Read statistics of a period",
  description:
    "Invoices, payments and money of a period, counted hour by hour about once a minute. A day or an hour without anything has zeros.",
  input: StatisticsInput,
  data: StatisticsData,
  read: (app, { shop_id, ...wish }) =>
    readStatistics(app, { ...wish, shopIds: shop_id === undefined ? undefined : [shop_id] }),
});

export const readOwnStatistics = ownView({
  path: "/cabinet/statistics",
  summary: "Read statistics of a period",
  description:
    "Invoices, payments and money of the merchant's shops together or of one, counted hour by hour about once a minute. A day or an hour without anything has zeros.",
  right: "balance",
  input: StatisticsInput,
  data: StatisticsData,
  notFound: "The merchant has no such shop.",
  async read(app, { shop_id: asked, ...wish }, member) {
    return readStatistics(app, { ...wish, shopIds: await ownShopIds(app.db, member, asked) });
  },
});
