// From what a shop sent to the invoice it asks for: defaults, normal forms, and the rules that need
// the shop's settings and tariffs.

import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { needsSuccessUrl, readFamilyOrder } from "../../domain/dialect.ts";
import { EXPIRE_MINUTES, type InvoiceType } from "../../domain/invoice.ts";
import { addSeconds } from "../../domain/moment.ts";
import { minorFromNumber, toDecimalText } from "../../domain/money.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { Tariff } from "../../domain/tariff.ts";
import {
  exactNumbers,
  integersAsTexts,
  type JsonObject,
  lossesAsTexts,
  parseJsonText,
  printedDoubles,
  withLongNumbers,
} from "../../platform/body.ts";
import type { Shop } from "../merchants/principal.ts";
import { customFieldsText, isLonger, MAX_CUSTOM_FIELDS } from "./custom-fields.ts";
import type { NewInvoice, Order } from "./queries.ts";

export interface OrderWish {
  readonly amount: number;
  readonly order_id: string;
  readonly include_service: readonly string[];
  readonly exclude_service?: readonly string[];
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

/** What a strict shop has sent, in the form that is checked: the body was read for numbers that are exact. */
export function readStrictOrder(input: JsonObject, source: string | undefined): void {
  delete input["exclude_service"];
  trimEmail(input);
  if (typeof input["custom_fields"] !== "object") return;
  exactNumbers(input, ["custom_fields"], source, printedDoubles);
}

/** What a shop of the family's dialect has sent, in the form that is checked. */
export function translateOrder(input: JsonObject, source: string | undefined): void {
  // Each time the body is read again: only for what may have long numbers.
  exactNumbers(input, ["order_id", "custom_fields"], source);
  exactNumbers(input, ["amount"], source, lossesAsTexts);
  const { custom_fields: fields } = input;
  if (typeof fields === "string" && !isLonger(fields, MAX_CUSTOM_FIELDS)) {
    const isLong = parseJsonText(fields)?.hasLongNumbers;
    if (isLong) input["custom_fields"] = withLongNumbers(fields, integersAsTexts);
  }
  trimEmail(input);
  readFamilyOrder(input);
}

/** Payers type spaces around it, and no line ends. */
function trimEmail(input: JsonObject): void {
  const { email } = input;
  if (typeof email !== "string" || /\p{Cc}/u.test(email)) return;
  const trimmed = email.trim();
  if (trimmed === "") delete input["email"];
  else input["email"] = trimmed;
}

export interface Content {
  readonly digest: string;
  readonly amountMinor: bigint;
  readonly successUrl: string | null;
  readonly failUrl: string | null;
  readonly hookUrl: string | null;
  readonly customFields: string | null;
}

/** What was asked for in its normal form; the digest tells whether a retry asks for the same. */
export function contentOf(wish: OrderWish): Content {
  const amountMinor = minorFromNumber(wish.amount) ?? 0n;
  const content = {
    amountMinor,
    successUrl: normalUrl(wish.success_url),
    failUrl: normalUrl(wish.fail_url),
    hookUrl: normalUrl(wish.hook_url),
    customFields: customFieldsText(wish.custom_fields) ?? null,
  };
  return { ...content, digest: digestOf(wish, content) };
}

function digestOf(wish: OrderWish, content: Omit<Content, "digest">): string {
  const parts = [
    String(content.amountMinor),
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
    ...(wish.exclude_service ?? []),
  ];
  return hash("sha256", JSON.stringify(parts), "hex");
}

/** The digest is of custom fields as they were written; the order of an object's keys makes no other content. */
export function isOfSameContent(first: Order, wish: OrderWish, content: Content): boolean {
  if (first.contentDigest === content.digest) return true;
  const { customFields } = first;
  if (customFields === null || content.customFields === null) return false;
  // In another order it is as long, and all else is the same: to compare two objects takes longest.
  return (
    customFields.length === content.customFields.length &&
    first.contentDigest === digestOf(wish, { ...content, customFields }) &&
    isDeepStrictEqual(JSON.parse(customFields), JSON.parse(content.customFields))
  );
}

export function draftInvoice(options: {
  id: string;
  shop: Shop;
  wish: OrderWish;
  content: Content;
  tariffs: readonly Tariff[];
  now: Date;
}): NewInvoice | Refusal {
  const { id, shop, wish, content, tariffs, now } = options;
  const usable = tariffs.filter(({ enabled }) => enabled);
  const currency = currencyOf(wish, usable);
  const successUrl = content.successUrl ?? shop.successUrl;
  // In the order of the fields: the first problem is the one that is told.
  const refusal =
    refuseAmount(content.amountMinor, wish.include_service, currency, usable) ??
    refuseServices(wish, usable) ??
    (wish.type === "direct" && !shop.h2hEnabled ? new Refusal("h2h_unavailable") : undefined);
  if (refusal !== undefined) return refusal;
  if (successUrl === null && needsSuccessUrl(shop.dialect, wish.type)) {
    return new Refusal("success_url_required");
  }
  if (currency === undefined) {
    return new Refusal("currency_unavailable", { currency: wish.currency ?? "RUB" });
  }
  return {
    id,
    shopId: shop.id,
    userId: shop.userId,
    orderId: wish.order_id,
    contentDigest: content.digest,
    type: wish.type,
    amountMinor: content.amountMinor,
    currency,
    services: wish.include_service,
    successUrl,
    failUrl: content.failUrl ?? shop.failUrl,
    hookUrl: content.hookUrl,
    email: wish.email ?? null,
    comment: wish.comment ?? null,
    customFields: content.customFields,
    expiresAt: addSeconds(now, (wish.expire ?? EXPIRE_MINUTES.default) * 60),
  };
}

/** A currency that every service of the invoice has a tariff in; roubles where there is a choice. */
function currencyOf(wish: OrderWish, usable: readonly Tariff[]): string | undefined {
  const shared = new Set(usable.map(({ currency }) => currency))
    .values()
    .filter((currency) =>
      wish.include_service.every((service) => tariffFor(usable, service, currency) !== undefined),
    );
  const choice = [...shared];
  if (wish.currency !== undefined) return choice.find((currency) => currency === wish.currency);
  return choice.includes("RUB") ? "RUB" : choice[0];
}

function tariffFor(usable: readonly Tariff[], service: string, currency: string | undefined) {
  return usable.find((tariff) => tariff.service === service && tariff.currency === currency);
}

const CODE = /^[a-z][a-z0-9_]{0,23}$/;

function refuseServices(wish: OrderWish, usable: readonly Tariff[]): Refusal | undefined {
  const missing = wish.include_service.find(
    (service) => !usable.some((tariff) => tariff.service === service),
  );
  if (missing !== undefined) {
    // Only what looks like a code is repeated: anything else may be a secret in the wrong field.
    const service = CODE.test(missing) ? missing : "a service";
    return new Refusal("service_unavailable", { service });
  }
  const tooMany = wish.type === "direct" && wish.include_service.length !== 1;
  return tooMany ? new Refusal("one_service_for_direct") : undefined;
}

function refuseAmount(
  amountMinor: bigint,
  services: readonly string[],
  currency: string | undefined,
  usable: readonly Tariff[],
): Refusal | undefined {
  for (const service of services) {
    const tariff = tariffFor(usable, service, currency);
    if (tariff === undefined) continue;
    if (amountMinor < tariff.minMinor) {
      return new Refusal("amount_too_small", { service, limit: toDecimalText(tariff.minMinor) });
    }
    if (amountMinor > tariff.maxMinor) {
      return new Refusal("amount_too_large", { service, limit: toDecimalText(tariff.maxMinor) });
    }
  }
  return undefined;
}

function normalUrl(url: string | undefined): string | null {
  return url === undefined ? null : new URL(url).href;
}
