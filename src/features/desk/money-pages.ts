// The pages of the desk that are about money.

import type { WebPage } from "../../platform/web-page.ts";
import { eventPages } from "./events.page.ts";
import { homePages } from "./home.page.ts";
import { importPages } from "./imports.page.ts";
import { invoicePages } from "./invoices.page.ts";
import { payoutFilePages } from "./payout-files.page.ts";
import { payoutPages } from "./payouts.page.ts";
import { refundPages } from "./refunds.page.ts";
import { suspensePages } from "./suspense.page.ts";
import { transferPages } from "./transfers.page.ts";

export const moneyPages: readonly WebPage[] = [
  ...homePages,
  ...importPages,
  ...payoutPages,
  ...payoutFilePages,
  ...suspensePages,
  ...transferPages,
  ...invoicePages,
  ...refundPages,
  ...eventPages,
];
