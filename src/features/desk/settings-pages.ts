// The desk's pages about settings and oversight, gathered.

import type { WebPage } from "../../platform/web-page.ts";
import { auditPages } from "./audit.page.ts";
import { bookPages } from "./books.page.ts";
import { findPages } from "./find.page.ts";
import { healthPages } from "./health.page.ts";
import { merchantPages } from "./merchants.page.ts";
import { operatorPages } from "./operators.page.ts";
import { peoplePages } from "./people.page.ts";
import { railPages } from "./rails.page.ts";
import { requisitePages } from "./requisites.page.ts";
import { setupPages } from "./setup.page.ts";
import { shopPages } from "./shops.page.ts";
import { sourcePages } from "./sources.page.ts";
import { tariffPages } from "./tariffs.page.ts";

export const settingsPages: readonly WebPage[] = [
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
