// Every screen of the desk and the cabinet, by the paths that the pages themselves have; what they name is looked up
// in the gateway that shows them. Guards that no page is forgotten by whoever looks at all of them.

import assert from "node:assert/strict";
import { pagesOf } from "../src/features/pages.ts";
import { SHOP, USER } from "./cast.ts";
import type { TestGateway } from "./gateway.ts";
import { type Manage, manage } from "./manage.ts";

const OWNER_TOKEN = "sandbox_owner_token";

/** What is no screen: files of rows, streams, and what only leads elsewhere. */
const NO_SCREEN = /\.csv$|\/changes$|\/go\/:|^\/start$|^\/screens-|^\/(?:welcome|join)\//;

/** Where a list holds what a path names, and as which field. */
const LISTS: Readonly<Record<string, readonly [list: string, field?: string]>> = {
  invoice_id: ["invoices?state=paid"],
  event_id: ["events"],
  payout_id: ["payouts"],
  shop_id: ["shops"],
  key_id: [`keys?user_id=${USER.id}`],
  token_id: ["tokens"],
  user_id: ["users"],
  requisite_id: ["requisites"],
  transfer_id: ["transfers"],
  import_id: ["imports"],
  line_id: ["lines"],
  account_id: ["accounts"],
  operator_id: ["operators"],
  person_id: [`users/${USER.id}/people`],
  source_id: ["sources"],
  batch_id: ["payout-batches"],
  code: ["rails"],
  service: ["services"],
};

async function firstOf(own: Manage, name: string): Promise<string | undefined> {
  const [list = "", field = name] = LISTS[name] ?? [];
  const { status, body, text } = await own.ask(list);
  assert.ok(status === 200 || status === 404, `${list}: ${text}`);
  const items: Record<string, string | null>[] = body.data?.items ?? [];
  return items.find(({ ended_at }) => !ended_at)?.[field] ?? undefined;
}

/** What a page is about, where its path does not say so. */
const QUERIES: Readonly<Record<string, string>> = { "/my/keys/new": `?shop_id=${SHOP.id}` };

export interface SiteScreen {
  readonly path: string;
  readonly address: string;
}

/** Those of which this gateway has something to show; `missing` are the paths whose lists are empty. */
export async function siteScreens(gateway: Pick<TestGateway, "call">) {
  const desk = manage(gateway);
  const cabinet = manage(gateway, OWNER_TOKEN, "cabinet");
  const known = new Map<string, string | undefined>();
  const idOf = async (site: string, name: string): Promise<string | undefined> => {
    // Who works for a merchant is known to the desk.
    const own = site === "cabinet" && name !== "person_id" && name !== "key_id" ? cabinet : desk;
    const key = `${own === desk} ${name}`;
    if (!known.has(key)) known.set(key, await firstOf(own, name));
    return known.get(key);
  };
  const screens: SiteScreen[] = [];
  const missing: string[] = [];
  for (const { method, path, site } of pagesOf("sandbox")) {
    if (method !== "GET" || site === undefined || NO_SCREEN.test(path)) continue;
    let address: string | undefined = path;
    for (const [part, name = ""] of path.matchAll(/:(\w+)/g)) {
      // Who works for a merchant is a page of that one alone.
      const isTheirs = name === "user_id" && path.includes(":person_id");
      const id = isTheirs ? USER.id : await idOf(site, name);
      address = id && address?.replace(part, id);
    }
    if (address) screens.push({ path, address: address + (QUERIES[path] ?? "") });
    else missing.push(path);
  }
  return { screens, missing };
}
