// Figures of a period as doors tell them, an operator's and a merchant's alike. Guards that what had nothing shows
// zeros: every day, hour or hour of the week of the period is there.

import type { Static } from "typebox";
import { momentFormat } from "../../domain/moment.ts";
import { toDecimalNumber } from "../../domain/money.ts";
import { Refusal } from "../../domain/refusal.ts";
import { secondsWithin } from "../../domain/tally.ts";
import { type App, perApp } from "../../platform/app.ts";
import { currencyCode, moment, numberOrNull, oneOf } from "../../platform/field.ts";
import { Type } from "../../platform/schema.ts";
import { isoMoment } from "../operators/noun.ts";
import {
  countedUpTo,
  currenciesTaken,
  type Period,
  sumBanks,
  sumSpeeds,
  sumTallies,
  type TallyKey,
  type TallyRow,
} from "./queries.ts";

const MAX_DAYS = 92;
const DEFAULT_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;
const HOUR_MS = 60 * 60 * 1000;
/** Of shops, those with most money; everything else is less. */
const MAX_ITEMS = 200;
const USUAL = "RUB";
const EVERY_ITEM = MAX_DAYS * 25;

export const periodInput = {
  from: Type.Optional(
    moment({
      description:
        "From this moment on, or from a day of the service's time zone; 30 days before `to` when left out. What it falls into counts whole: the day, or the hour.",
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
};

export const byInput = Type.Optional(
  oneOf(
    ["day", "hour", "weekday_hour", "service", "shop", "bank"] satisfies (TallyKey | "bank")[],
    {
      description:
        "What the figures are told for: each day (the default), each hour, each hour of the week, each payment method, each shop (of those the 200 with most money), or each bank that money came to (of which only `paid` and `received` are told).",
      examples: ["day"],
    },
  ),
);

export const count = (description: string, example: number) =>
  Type.Integer({ description, examples: [example] });
export const amount = (description: string, example: number) =>
  Type.Number({ description, examples: [example] });

export const TalliesData = Type.Object({
  items: Type.Array(
    Type.Object({
      key: Type.String({
        description:
          "The day (2026-03-01), the hour's first moment in UTC, the weekday from Monday and the hour (1-00 to 7-23), the method (empty for invoices whose payer chooses it), the shop's id, or the bank.",
        examples: ["2026-03-01"],
      }),
      created: count("Invoices that were created.", 120),
      issued: count("Details that were given.", 110),
      paid: count("Payments that were paid.", 80),
      cohort_paid: count("Of the invoices that were created then, those that were ever paid.", 82),
      late: count("Of the payments that were paid, those that were late.", 3),
      received: amount("Money that came for them.", 120450.5),
      credited: amount("What of it shops were credited with.", 113223.47),
      fee: amount("What of it the gateway has kept.", 7227.03),
      refunds: count("Refunds.", 1),
      refunded: amount("Money that was given back.", 500),
    }),
  ),
  as_of: isoMoment("Everything before this moment is counted; usually a minute ago."),
  currency: Type.String({ description: "What the money is in.", examples: ["RUB"] }),
  currencies: Type.Array(Type.String({ examples: ["RUB"] }), {
    description: "What there may be figures of: in which requisites take money.",
  }),
});

export const PaySpeedsData = Type.Object({
  items: Type.Array(
    Type.Object({
      day: Type.String({ description: "The day.", examples: ["2026-03-01"] }),
      paid: count("Payments that were paid.", 80),
      p50_seconds: numberOrNull({
        description: "From details to money: half of them took no longer. Within 12 %.",
        examples: [95.6],
      }),
      p90_seconds: numberOrNull({
        description: "Nine of ten took no longer; null on a day without payments.",
        examples: [364.3],
      }),
    }),
  ),
  as_of: isoMoment("Everything before this moment is counted; usually a minute ago."),
});

export interface TallyWish {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly currency?: string | undefined;
  readonly by?: TallyKey | "bank" | undefined;
  /** Of these shops together; undefined for all that there are. */
  readonly shopIds: readonly string[] | undefined;
}

type Tallies = Omit<Static<typeof TalliesData>, "currency" | "currencies">;

/** A period's hours of every shop are tens of thousands of rows: whoever asks again soon is told the same. */
const RANKING_MS = 60_000;
/** Each holds as many shops as are told: more than anybody looks at within that time would only fill the memory. */
const MAX_RANKINGS = 100;
const rankings = perApp(() => new Map<string, { readonly atMs: number; readonly told: Tallies }>());

/** Figures of shops, of whoever may see them: that is the caller's to know. */
export async function readTallies(app: App, wish: TallyWish): Promise<Static<typeof TalliesData>> {
  const currencies = await currenciesTaken(app.db);
  const currency = wish.currency ?? currencies[0] ?? USUAL;
  return { ...(await ranked(app, { ...wish, currency })), currency, currencies };
}

/** The same, in the currency that figures are of where none is named. */
export async function inCurrency({ db }: App, wish: TallyWish): Promise<TallyWish> {
  const [usual = USUAL] = await currenciesTaken(db);
  return { ...wish, currency: wish.currency ?? usual };
}

async function ranked(app: App, wish: TallyWish): Promise<Tallies> {
  if (wish.by !== "shop" || wish.shopIds !== undefined) return sumUp(app, wish);
  const [kept, atMs] = [rankings(app), app.clock.now().getTime()];
  const key = [wish.from, wish.to, wish.currency].join();
  const known = kept.get(key);
  if (known !== undefined && Math.abs(atMs - known.atMs) < RANKING_MS) return known.told;
  for (const [old, { atMs: then }] of kept)
    if (Math.abs(atMs - then) >= RANKING_MS) kept.delete(old);
  const told = await sumUp(app, wish);
  kept.set(key, { atMs, told });
  // The one that has stood there longest.
  const [oldest = key] = kept.keys();
  if (kept.size > MAX_RANKINGS) kept.delete(oldest);
  return told;
}

async function sumUp(app: App, wish: TallyWish): Promise<Tallies> {
  const { by = "day" } = wish;
  const period = periodOf(app, wish, by === "hour" ? "hour" : "day");
  // First: what is counted meanwhile may be in the sums, and the moment is then too early rather than too late.
  const as_of = await asOf(app, "money");
  if (by === "bank") {
    const banks = await sumBanks(app.db, period);
    return { items: banks.map((row) => toItem({ ...NOTHING, ...row })), as_of };
  }
  const limit = by === "shop" ? MAX_ITEMS : EVERY_ITEM;
  const found = await sumTallies(app.db, by, period, limit);
  const keys = keysOf(by, period);
  if (keys === undefined) return { items: found.map(toItem), as_of };
  const rows = new Map(found.map((row) => [row.key, row]));
  return { items: keys.map((key) => toItem(rows.get(key) ?? { ...NOTHING, key })), as_of };
}

export async function readPaySpeeds(
  app: App,
  wish: Omit<TallyWish, "by">,
): Promise<Static<typeof PaySpeedsData>> {
  const period = periodOf(app, await inCurrency(app, wish), "day");
  const as_of = await asOf(app, "money");
  const rows = await sumSpeeds(app.db, period);
  const days = Map.groupBy(rows, ({ day }) => day);
  const items = daysOf(period).map((day) => {
    const counts = (days.get(day) ?? []).map(({ speed, paid }) => ({ speed, paid: Number(paid) }));
    return {
      day,
      paid: counts.reduce((sum, { paid }) => sum + paid, 0),
      p50_seconds: secondsWithin(0.5, counts),
      p90_seconds: secondsWithin(0.9, counts),
    };
  });
  return { items, as_of };
}

export async function asOf({ db, clock }: App, of: "money" | "hooks"): Promise<string> {
  const counted = await countedUpTo(db, of);
  return new Date(Math.min(counted.getTime(), clock.now().getTime())).toISOString();
}

/** Whole days, or whole hours; a period that is asked for in days is of the service's own. */
export function periodOf({ clock, config }: App, wish: TallyWish, unit: "day" | "hour"): Period {
  const { timeZone } = config;
  const zone = momentFormat(timeZone);
  const isDay = (text: string | undefined): boolean => text?.length === "2026-03-01".length;
  const momentFrom = (text: string): Date => (isDay(text) ? zone.startOf(text) : new Date(text));
  const to = wish.to === undefined ? clock.now() : momentFrom(wish.to);
  const asked =
    wish.from === undefined
      ? new Date(to.getTime() - DEFAULT_DAYS * DAY_MS)
      : momentFrom(wish.from);
  const lengthMs = to.getTime() - asked.getTime();
  // A day may have an hour more than others.
  if (lengthMs <= 0 || lengthMs > MAX_DAYS * DAY_MS + HOUR_MS) {
    throw new Refusal("period_too_long", { days: String(MAX_DAYS) });
  }
  const day = zone.startOf(zone.day(asked));
  // Where a day begins within an hour, that hour is the day before's: by hours as by days, however its beginning is said.
  const whole = day.getTime() === asked.getTime() ? Math.ceil : Math.floor;
  const hour = new Date(whole(asked.getTime() / HOUR_MS) * HOUR_MS);
  const from = unit === "hour" ? hour : day;
  return { from, to, timeZone, currency: wish.currency ?? USUAL, shopIds: wish.shopIds };
}

/** What a period consists of; undefined where only what was found does. */
export function keysOf(by: TallyKey, period: Period): string[] | undefined {
  if (by === "day") return daysOf(period);
  if (by === "weekday_hour") return WEEK;
  if (by !== "hour") return undefined;
  const hours = Math.ceil((period.to.getTime() - period.from.getTime()) / HOUR_MS);
  return Array.from({ length: hours }, (_, nth) =>
    new Date(period.from.getTime() + nth * HOUR_MS).toISOString(),
  );
}

export function daysOf({ from, to, timeZone }: Period): string[] {
  const zone = momentFormat(timeZone);
  const first = Date.parse(zone.day(from));
  const last = Date.parse(zone.day(new Date(to.getTime() - 1)));
  // Counted, for as a text the first day of the year 10000 is before all others: nobody would get past it.
  return Array.from({ length: (last - first) / DAY_MS + 1 }, (_, nth) =>
    new Date(first + nth * DAY_MS).toISOString().slice(0, 10),
  );
}

const WEEK = Array.from(
  { length: 7 * 24 },
  (_, nth) => `${Math.floor(nth / 24) + 1}-${String(nth % 24).padStart(2, "0")}`,
);

const NOTHING: Omit<TallyRow, "key"> = {
  ...{ created: 0n, issued: 0n, paid: 0n, cohort_paid: 0n, late: 0n, received_minor: 0n },
  ...{ credited_minor: 0n, fee_minor: 0n, refunds: 0n, refunded_minor: 0n },
};

function toItem(row: TallyRow): Static<typeof TalliesData>["items"][number] {
  return {
    ...{ key: row.key, created: Number(row.created), issued: Number(row.issued) },
    ...{ paid: Number(row.paid), cohort_paid: Number(row.cohort_paid), late: Number(row.late) },
    received: toDecimalNumber(row.received_minor),
    credited: toDecimalNumber(row.credited_minor),
    fee: toDecimalNumber(row.fee_minor),
    refunds: Number(row.refunds),
    refunded: toDecimalNumber(row.refunded_minor),
  };
}
