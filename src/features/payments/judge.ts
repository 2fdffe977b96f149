// Whether an invoice may be given transfer details now: refused, still valid ones, or a plan for new
// ones. Each refusal has words of its own.

import { isOver } from "../../domain/invoice.ts";
import { Refusal } from "../../domain/refusal.ts";
import {
  type BankCode,
  isTransferService,
  type TransferService,
  WALLET_OF_SERVICE,
  type WalletKind,
} from "../../domain/requisite.ts";
import type { Holder } from "../../domain/share.ts";
import { type Fee, feeOf, leavesCredit, type Rates, type Tariff } from "../../domain/tariff.ts";
import type { LockedInvoice } from "../invoices/queries.ts";
import type { Shop } from "../merchants/principal.ts";
import type { LivePayment } from "./queries.ts";

/** Each takes a slot through its quarantine: one invoice must not use an amount up for all others. */
const MAX_DETAILS = 20;
/** On the page anybody may ask, not only a shop with its key. */
const MAX_DETAILS_ON_PAGE = 6;

export interface Wish {
  readonly shop: Shop;
  readonly invoiceId: string;
  /** What the payer chose on the payment page; host-to-host the invoice has one service. */
  readonly service?: TransferService;
  readonly bank: BankCode;
  readonly payerIp: string | null;
  /** Whose share on the payment page this counts for; nobody's where the shop asks. */
  readonly payer?: string | null;
  readonly payerUserAgent: string | null;
}

/** What is to be issued: it is a need of a requisite and a wish for a slot at once. */
export interface Plan {
  readonly kind: "plan";
  readonly wish: Wish;
  readonly invoice: LockedInvoice;
  readonly service: TransferService;
  readonly bank: BankCode;
  readonly currency: string;
  readonly wallet: WalletKind;
  readonly rates: Rates;
  readonly fee: Fee;
  readonly toPayMinor: bigint;
  readonly nudgeMaxMinor: bigint;
  readonly holder: Holder;
  readonly replaces: LivePayment | undefined;
}

export type Verdict =
  | Plan
  | { readonly kind: "refused"; readonly refusal: Refusal }
  | { readonly kind: "valid"; readonly payment: LivePayment & { readonly wallet: WalletKind } };

/** How the invoice stands, as of its lock. */
export interface Standing {
  readonly invoice: LockedInvoice | undefined;
  readonly live: LivePayment | undefined;
  /** Where the live details are. */
  readonly bank: BankCode | undefined;
}

export function judgeWish(
  wish: Wish,
  { invoice, live, bank }: Standing,
  tariffs: readonly Tariff[],
  now: Date,
): Verdict {
  if (invoice === undefined) return refused(new Refusal("invoice_not_found"));
  const refusal = refuseType(invoice, wish) ?? refuseState(invoice, now);
  if (refusal !== undefined) return refused(refusal);
  const { service = invoice.services[0] ?? "" } = wish;
  if (!isTransferService(service) || !invoice.services.includes(service)) {
    return refused(new Refusal("method_unavailable", { service }));
  }
  const wallet = WALLET_OF_SERVICE[service];
  const isSame = bank === wish.bank && live?.service === service;
  if (live !== undefined && isSame && !isOver(live.ends_at, now)) {
    return { kind: "valid", payment: { ...live, wallet } };
  }
  // The switch may have been turned after the order was made; details that were issued stay valid.
  if (wish.service === undefined && !wish.shop.h2hEnabled)
    return refused(new Refusal("h2h_unavailable"));
  const most = wish.service === undefined ? MAX_DETAILS : MAX_DETAILS_ON_PAGE;
  if (invoice.details >= most) return refused(new Refusal("too_many_details"));
  const { currency } = invoice;
  const tariff = tariffs.find((one) => one.service === service && one.currency === currency);
  if (!tariff?.enabled) return refused(new Refusal("method_unavailable", { service }));
  const fee = feeOf(invoice.amount_minor, tariff);
  // The tariff may have changed since the order was made.
  if (!leavesCredit(invoice.amount_minor, fee)) {
    return refused(new Refusal("fee_reaches_amount", { service }));
  }
  return {
    kind: "plan",
    wish,
    invoice,
    service,
    bank: wish.bank,
    currency,
    wallet,
    rates: tariff,
    fee,
    toPayMinor: invoice.amount_minor + fee.payerMinor,
    nudgeMaxMinor: wish.shop.nudgeMaxMinor,
    holder: { shopId: wish.shop.id, userId: wish.shop.userId, payer: wish.payer ?? null },
    replaces: live,
  };
}

function refused(refusal: Refusal): Verdict {
  return { kind: "refused", refusal };
}

/** An invoice is paid host-to-host or on the payment page, as its shop said. */
function refuseType({ type }: LockedInvoice, { service }: Wish): Refusal | undefined {
  const wanted = service === undefined ? "direct" : "link";
  return type === wanted ? undefined : new Refusal("invoice_not_direct");
}

function refuseState(invoice: LockedInvoice, now: Date): Refusal | undefined {
  switch (invoice.state) {
    case "paid":
    case "refunded":
      return new Refusal("invoice_paid");
    case "failed":
      return new Refusal("invoice_closed");
    case "expired":
      return new Refusal("invoice_expired");
    case "created":
    case "pending":
      return isOver(invoice.expires_at, now) ? new Refusal("invoice_expired") : undefined;
  }
}
