// The list of pages, of every room that has some.

import type { WebPage } from "../platform/web-page.ts";
import { paymentScript } from "./checkout/payment-script.page.ts";
import { showCode } from "./checkout/show-code.page.ts";
import { showHome } from "./checkout/show-home.page.ts";
import { showIcon } from "./checkout/show-icon.page.ts";
import {
  chooseDetails,
  leavePaid,
  sayHavingPaid,
  showPayment,
} from "./checkout/show-payment.page.ts";
import { askStanding, watchPayment } from "./checkout/watch-payment.page.ts";
import { sitePages } from "./desk/site-pages.ts";
import { jobs } from "./jobs.ts";
import { acceptInvitation, showInvitation } from "./merchants/join.page.ts";
import { enterByPasskey, enterByPassword, showWelcome } from "./merchants/welcome.page.ts";
import { comeIn, proveInSandbox } from "./sandbox/come-in.page.ts";
import { showDemo, startDemo } from "./sandbox/demo-shop.page.ts";
import { downloadStatement } from "./sandbox/download-statement.page.ts";
import { showSandbox } from "./sandbox/show-sandbox.page.ts";
import { simulateTransfer } from "./sandbox/simulate-transfer.page.ts";

const pages: readonly WebPage[] = [
  showPayment,
  chooseDetails,
  sayHavingPaid,
  leavePaid,
  watchPayment,
  askStanding,
  showCode,
  paymentScript,
  showIcon,
  showWelcome,
  enterByPasskey,
  enterByPassword,
  showInvitation,
  acceptInvitation,
  ...sitePages,
];

export function pagesOf(mode: "sandbox" | "live"): readonly WebPage[] {
  if (mode === "live") return [showHome, ...pages];
  const sandbox = [simulateTransfer(jobs), showDemo, startDemo, downloadStatement];
  return [showSandbox, ...pages, ...sandbox, comeIn, proveInSandbox];
}
