// From what a shop sent to the invoice it asks for: defaults, normal forms, and the rules that need
// the shop's settings and tariffs.

import { createHash } from "node:crypto";
import { EXPIRE_MINUTES, type InvoiceType } from "../../domain/invoice.ts";
import { addSeconds } from "../../domain/moment.ts";
import { minorFromNumber, toDecimalText } from "../../domain/money.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { Tariff } from "../../domain/tariff.ts";
import { isJsonObject, parseJsonText } from "../../platform/json.ts";
import type { Shop } from "../merchants/principal.ts";
import type { NewInvoice } from "./queries.ts";

export interface Wish {
  readonly amount: number;
  readonly order_id: string;
  readonly include_service: readonly string[];
  readonly type: InvoiceType;
  readonly success_url?: string;
  readonly fail_url?: string;
  readonly hook_url?: string;
  readonly expire?: number;
  readonly email?: string;
  readonly custom_fields?: string | object;
  readonly comment?: string;
  readonly currency?: string;
}

export interface Content {
  readonly digest: Buffer;
  readonly amountMinor: bigint;
  readonly successUrl: string | null;
  readonly failUrl: string | null;
  readonly hookUrl: string | null;
  readonly customFields: string | null;
}

/** What was asked for in its normal form; the digest tells whether a retry asks for the same. */
export function contentOf(wish: Wish): Content {
  const amountMinor = minorFromNumber(wish.amount) ?? 0n;
  const content = {
    amountMinor,
    successUrl: normalUrl(wish.success_url),
    failUrl: normalUrl(wish.fail_url),
    hookUrl: normalUrl(wish.hook_url),
    customFields: customFieldsText(wish.custom_fields) ?? null,
  };
  const parts = [
    String(amountMinor),
    wish.currency ?? null,
    wish.type,
    wish.include_service,
    content.successUrl,
    content.failUrl,
    content.hookUrl,
    wish.expire ?? null,
    wish.email ?? null,
    content.customFields,
    wish.comment ?? null,
  ];
  const digest = createHash("sha256").update(JSON.stringify(parts)).digest();
  return { ...content, digest };
}

export function draftInvoice(options: {
  id: string;
  shop: Shop;
  wish: Wish;
  content: Content;
  tariffs: readonly Tariff[];
  now: Date;
}): NewInvoice | Refusal {
  const { id, shop, wish, content, tariffs, now } = options;
  if (wish.type === "direct" && wish.include_service.length !== 1) {
    return new Refusal("one_service_for_direct");
  }
  const successUrl = content.successUrl ?? shop.successUrl;
  if (successUrl === null) return new Refusal("success_url_required");
  if (wish.type === "direct" && !shop.h2hEnabled) return new Refusal("h2h_unavailable");
  const currency = currencyOf(wish, tariffs);
  if (currency instanceof Refusal) return currency;
  const refusal = refuseAmount(content.amountMinor, wish.include_service, currency, tariffs);
  if (refusal !== undefined) return refusal;
  return {
    id,
    shopId: shop.id,
    orderId: wish.order_id,
    contentDigest: content.digest,
    type: wish.type,
    amountMinor: content.amountMinor,
    currency,
    services: wish.include_service,
    successUrl,
    failUrl: content.failUrl ?? shop.failUrl,
    hookUrl: content.hookUrl ?? shop.hookUrl,
    email: wish.email ?? null,
    comment: wish.comment ?? null,
    customFields: content.customFields,
    createdAt: now,
    expiresAt: addSeconds(now, (wish.expire ?? EXPIRE_MINUTES.default) * 60),
  };
}

/** The currency that every service of the invoice has a tariff in; roubles where there is a choice. */
function currencyOf(wish: Wish, tariffs: readonly Tariff[]): string | Refusal {
  const usable = tariffs.filter(({ enabled }) => enabled);
  const currencies = wish.include_service.map(
    (service) =>
      new Set(usable.filter((tariff) => tariff.service === service).map((one) => one.currency)),
  );
  const missing = currencies.findIndex((own) => own.size === 0);
  if (missing >= 0) {
    return new Refusal("service_unavailable", { service: wish.include_service[missing] ?? "" });
  }
  const shared = [...(currencies[0] ?? [])].filter((one) =>
    currencies.every((own) => own.has(one)),
  );
  const chosen = wish.currency ?? (shared.includes("RUB") ? "RUB" : shared[0]);
  if (chosen !== undefined && shared.includes(chosen)) return chosen;
  return new Refusal("currency_unavailable", { currency: chosen ?? "RUB" });
}

function refuseAmount(
  amountMinor: bigint,
  services: readonly string[],
  currency: string,
  tariffs: readonly Tariff[],
): Refusal | undefined {
  for (const service of services) {
    const tariff = tariffs.find((one) => one.service === service && one.currency === currency);
    if (tariff === undefined) return new Refusal("service_unavailable", { service });
    if (amountMinor < tariff.minMinor) {
      return new Refusal("amount_too_small", { service, limit: toDecimalText(tariff.minMinor) });
    }
    if (amountMinor > tariff.maxMinor) {
      return new Refusal("amount_too_large", { service, limit: toDecimalText(tariff.maxMinor) });
    }
  }
  return undefined;
}

const MAX_CUSTOM_FIELDS = 4_096;
/** A NUL or half a surrogate pair, as JSON writes them after an even number of backslashes. */
const UNCLEAN = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f]..)/;

/** The object as JSON text, or undefined where it is none: existing clients send both forms. */
export function customFieldsText(value: string | object | undefined): string | undefined {
  const given = typeof value === "string" ? parseJsonText(value)?.value : value;
  if (!isJsonObject(given)) return undefined;
  const text = JSON.stringify(given);
  const length = typeof value === "string" ? value.length : text.length;
  return length <= MAX_CUSTOM_FIELDS && !UNCLEAN.test(text) ? text : undefined;
}

function normalUrl(url: string | undefined): string | null {
  return url === undefined ? null : new URL(url).href;
}
