// Every page of the cabinet.

import type { WebPage } from "../../platform/web-page.ts";
import { balancePages } from "./balance.page.ts";
import { eventPages } from "./events.page.ts";
import { findPages } from "./find.page.ts";
import { homePages } from "./home.page.ts";
import { invoicePages, refundPages } from "./invoices.page.ts";
import { keyPages } from "./keys.page.ts";
import { logPages } from "./log.page.ts";
import { payoutPages } from "./payouts.page.ts";
import { peoplePages } from "./people.page.ts";
import { reportPages } from "./reports.page.ts";
import { shopPages } from "./shops.page.ts";
import { myStatisticsPages } from "./statistics.page.ts";

export const cabinetPages: readonly WebPage[] = [
  ...homePages,
  ...invoicePages,
  ...refundPages,
  ...balancePages,
  ...payoutPages,
  ...eventPages,
  ...shopPages,
  ...keyPages,
  ...peoplePages,
  ...logPages,
  ...reportPages,
  ...myStatisticsPages,
  ...findPages,
];
