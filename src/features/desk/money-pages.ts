// The pages of the desk that are about money.

import type { WebPage } from "../../platform/web-page.ts";
import { suspensePages } from "./suspense.page.ts";
import { transferPages } from "./transfers.page.ts";

export const moneyPages: readonly WebPage[] = [...suspensePages, ...transferPages];
