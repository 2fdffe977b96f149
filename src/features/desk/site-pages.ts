// Every page for people who sign in: their own, the cabinet's, the desk's.

import type { WebPage } from "../../platform/web-page.ts";
import { cabinetPages } from "../cabinet/cabinet-pages.ts";
import { switchMerchant } from "../cabinet/site.ts";
import { showScript, showStyle } from "../people/assets.page.ts";
import { changeSecurity, showSecurity } from "../people/security.page.ts";
import {
  leave,
  proveByPasskey,
  proveByPassword,
  showProve,
  showSignIn,
  signInByPasskey,
  signInByPassword,
  start,
} from "../people/sign-in.page.ts";
import { auditPages } from "./audit.page.ts";
import { bookPages } from "./books.page.ts";
import { eventPages } from "./events.page.ts";
import { findPages } from "./find.page.ts";
import { healthPages } from "./health.page.ts";
import { homePages } from "./home.page.ts";
import { importPages } from "./imports.page.ts";
import { invoicePages, refundPages } from "./invoices.page.ts";
import { livePages } from "./live.page.ts";
import { merchantPages } from "./merchants.page.ts";
import { operatorPages } from "./operators.page.ts";
import { payoutFilePages } from "./payout-files.page.ts";
import { payoutPages } from "./payouts.page.ts";
import { peoplePages } from "./people.page.ts";
import { railPages } from "./rails.page.ts";
import { requisitePages } from "./requisites.page.ts";
import { setupPages } from "./setup.page.ts";
import { shopPages } from "./shops.page.ts";
import { sourcePages } from "./sources.page.ts";
import { statisticsPages } from "./statistics.page.ts";
import { suspensePages } from "./suspense.page.ts";
import { tariffPages } from "./tariffs.page.ts";
import { transferPages } from "./transfers.page.ts";

const moneyPages: readonly WebPage[] = [
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

const settingsPages: readonly WebPage[] = [
  ...requisitePages,
  ...merchantPages,
  ...shopPages,
  ...tariffPages,
  ...railPages,
  ...sourcePages,
  ...bookPages,
  ...auditPages,
  ...peoplePages,
  ...operatorPages,
  ...healthPages,
  ...setupPages,
  ...findPages,
];

export const sitePages: readonly WebPage[] = [
  showStyle,
  showScript,
  showSignIn,
  signInByPassword,
  signInByPasskey,
  showProve,
  proveByPassword,
  proveByPasskey,
  leave,
  start,
  showSecurity,
  ...changeSecurity,
  switchMerchant,
  ...livePages,
  ...cabinetPages,
  ...moneyPages,
  ...settingsPages,
  ...statisticsPages,
];
