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
import { livePages } from "./live.page.ts";
import { moneyPages } from "./money-pages.ts";
import { settingsPages } from "./settings-pages.ts";
import { statisticsPages } from "./statistics.page.ts";

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
