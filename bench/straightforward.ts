// POST /invoice/create as most people would write it, and written fairly: Fastify, a pool, prepared
// statements, one query per step. It checks, stores and answers what the gateway does, as durably.

import Fastify from "fastify";
import pg from "pg";
import { momentFormat } from "../src/domain/moment.ts";
import { toDecimalText } from "../src/domain/money.ts";
import { Refusal } from "../src/domain/refusal.ts";
import { createInvoice } from "../src/features/invoices/create-invoice.endpoint.ts";
import { contentOf, draftInvoice, type Wish } from "../src/features/invoices/draft.ts";
import { keyDigest } from "../src/features/merchants/principal.ts";
import { systemClock } from "../src/platform/clock.ts";
import { readConfig } from "../src/platform/config.ts";
import { envelope } from "../src/platform/envelope.ts";
import { idMaker } from "../src/platform/id.ts";
import { openSecrets } from "../src/platform/secret.ts";
import { answerParent } from "./part.ts";
import { AJV_OPTIONS, plain } from "./plain-schema.ts";

const CONNECTIONS = 16;

/** Fastify makes an answer with this status of it. */
class Refused extends Error {
  readonly statusCode: number;

  constructor(statusCode: number) {
    super("refused");
    this.statusCode = statusCode;
  }
}

const SHOP = `
  select shop.id, shop.user_id as "userId", shop.h2h_enabled as "h2hEnabled",
         shop.success_url as "successUrl", shop.fail_url as "failUrl", shop.hook_url as "hookUrl",
         shop.nudge_max_minor as "nudgeMaxMinor"
  from api_keys key join shops shop on shop.id = key.shop_id
  where key.digest = $1 and (key.ends_at is null or key.ends_at > $2)`;
const TARIFFS = `
  select service, currency, percent_ppm as "percentPpm", shop_percent_ppm as "shopPercentPpm",
         user_percent_ppm as "userPercentPpm", fix_minor as "fixMinor", min_minor as "minMinor",
         max_minor as "maxMinor", enabled
  from tariffs where shop_id = $1`;
const INSERT = `
  with added as (insert into invoices (id, shop_id, user_id, order_id, content_digest, type, state, amount_minor, currency,
    services, success_url, fail_url, hook_url, email, comment, custom_fields, created_at, expires_at)
  values ($1, $2, (select user_id from shops where id = $2), $3, $4, $5, 'created', $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
  on conflict (shop_id, order_id) do nothing returning id, expires_at)
  insert into dues (kind, due_at, id) select 'expire-invoices', expires_at, id from added
  returning id`;

answerParent(async ({ databaseUrl }: { databaseUrl: string }) => {
  const config = readConfig({ DATABASE_URL: databaseUrl });
  const secrets = openSecrets(config.secretKey);
  const newId = idMaker(systemClock);
  const moments = momentFormat(config.timeZone);
  pg.types.setTypeParser(pg.types.builtins.INT8, BigInt);
  const pool = new pg.Pool({ connectionString: databaseUrl, max: CONNECTIONS });
  const server = Fastify(AJV_OPTIONS);
  server.route({
    ...{ method: "POST", url: createInvoice.path },
    schema: {
      body: plain(createInvoice.input),
      response: { 200: plain(envelope(createInvoice.data)) },
    },
    handler: async (request) => {
      const wish = request.body as Wish & { shop_id: string };
      const now = systemClock.now();
      const digest = keyDigest(secrets, wish.shop_id, String(request.headers["x-api-key"]));
      const shops = await pool.query({ name: "shop", text: SHOP, values: [digest, now] });
      const shop = shops.rows[0];
      if (shop === undefined) throw new Refused(401);
      const tariffs = await pool.query({ name: "tariffs", text: TARIFFS, values: [shop.id] });
      const content = contentOf(wish);
      const wanted = { id: newId(), shop, wish, content, tariffs: tariffs.rows, now };
      const draft = draftInvoice(wanted);
      if (draft instanceof Refusal) throw new Refused(422);
      const values = [
        ...[
          draft.id,
          draft.shopId,
          draft.orderId,
          Buffer.from(draft.contentDigest, "hex"),
          draft.type,
        ],
        ...[draft.amountMinor, draft.currency, draft.services, draft.successUrl, draft.failUrl],
        ...[draft.hookUrl, draft.email, draft.comment, draft.customFields],
        ...[now, draft.expiresAt],
      ];
      const added = await pool.query({ name: "insert", text: INSERT, values });
      if (added.rowCount !== 1) throw new Refused(409);
      const { id, amountMinor, currency, expiresAt } = draft;
      const amount = toDecimalText(amountMinor);
      const data = { id, amount, currency, url: null, expired: moments.text(expiresAt) };
      return { data, status: 200, status_check: true };
    },
  });
  return server.listen({ host: "127.0.0.1", port: 0 });
});
