// The desk's pages about settings and oversight, gathered.

import type { WebPage } from "../../platform/web-page.ts";
import { merchantPages } from "./merchants.page.ts";
import { requisitePages } from "./requisites.page.ts";
import { shopPages } from "./shops.page.ts";

export const settingsPages: readonly WebPage[] = [
  ...[...requisitePages, ...merchantPages, ...shopPages],
];
