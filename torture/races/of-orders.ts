// Races of merchants and payers for what only one can have, and for what is changed meanwhile.

import assert from "node:assert/strict";
import { retentionJobs } from "../../src/features/overview/forget-old.job.ts";
import { lapsePaymentsJob } from "../../src/features/payments/lapse-payments.job.ts";
import { cancelInvoice, createH2h, createInvoice, LINK_SHOP } from "../../test/cast.ts";
import type { Answer } from "../../test/gateway.ts";
import { manage } from "../../test/manage.ts";
import { DAY, MINUTE } from "../../test/orders.ts";
import { accepted } from "../accepted.ts";
import { type Act, type Given, judgedBy, mirrored, no, type Race, run } from "./race.ts";
import { NARROW, ONLY_CARD, RATES, RETAIN_DAYS, type Scene } from "./scene.ts";

const PAYMENTS = `select id, state from payments where invoice_id = any($1::uuid[])
                  order by state, number`;

/** Invoices of one amount, or each of its own. */
const invoices =
  (count: number, shop?: "exactShop" | "kopeckShop", isOneAmount = false) =>
  async (scene: Scene): Promise<Given> => {
    const amount = scene.amount();
    const at = shop && scene[shop];
    const ids: string[] = [];
    while (ids.length < count) ids.push(await scene.invoice(at, isOneAmount ? amount : undefined));
    return { ids, ...(at && { shop: at }) };
  };
const newMerchants = async (scene: Scene): Promise<Given> => {
  const shop = await scene.newShop();
  accepted(await createInvoice(scene.right, {}, shop));
  return {
    ids: [await scene.invoice(shop), await scene.invoice(shop), await scene.invoice(shop)],
    shop,
  };
};

/** An order whose id is that of the prepared invoice, so that the books can find it. */
const create =
  (changes = {}): Act =>
  (at, { ids, shop }) =>
    createInvoice(at, { order_id: `after ${ids[0]}`, ...changes }, shop);
const CREATED = "select id, comment from invoices where order_id = 'after ' || ($1::uuid[])[1]";

const h2h =
  (index = 0, changes = {}): Act =>
  (at, { ids, shop }) =>
    createH2h(at, ids[index], changes, shop);

const cancel: Act = (at, { ids, shop }) => cancelInvoice(at, ids[0], shop);

/** Of the page, where "too many" is no surprise. */
const choose =
  (turn: number): Act =>
  async ({ url }, { ids }) => {
    const bank = turn % 2 === 0 ? "sber" : "tinkoff";
    const body = new URLSearchParams({ service: "p2p_card", bank });
    const asked = { method: "POST", redirect: "manual", body } as const;
    const { status } = await fetch(`${url}/pay/${ids[0]}`, asked);
    return status === 422 ? 303 : status;
  };

/** Whoever asks with the old key after the change is known to no gateway, whatever it remembers. */
const rotation = (ask: Act, traces: string): Race => ({
  given: newMerchants,
  acts: [
    ask,
    (at, { shop }) => manage(at).ask("keys/rotate", { shop_id: shop?.id, overlap_hours: 0 }),
  ],
  async after(scene, given, answers) {
    const { secret: key } = accepted(answers[1] as Answer);
    for (const at of [scene.left, scene.right]) {
      assert.equal(((await ask(at, given, scene)) as Answer).status, 401, "the old key");
      accepted(await createInvoice(at, {}, { id: given.shop?.id ?? "", key }));
    }
  },
  books: traces,
  outcomes: {
    "request first": [["ok", "ok"], "1"],
    "rotation first": [[no("unauthorized"), "ok"], "0"],
  },
});

const allow = ({ db }: Scene, more: number) =>
  db.query(
    "update requisite_usage set max_live_payments = live_payments + $2 where requisite_id = $1",
    [ONLY_CARD, more],
  );

export const ORDER_RACES: Readonly<Record<string, Race>> = {
  ...judgedBy(PAYMENTS, {
    "h2h ‖ h2h at another bank": {
      given: invoices(1),
      acts: [h2h(), h2h(0, NARROW)],
      outcomes: mirrored(["ok", "ok"], "left lapsed, right live"),
    },
    "cancel ‖ h2h": {
      given: invoices(1),
      acts: [cancel, h2h()],
      outcomes: {
        "cancel first": [["ok", no("invoice_closed")], ""],
        "details first": [["ok", "ok"], "right lapsed"],
      },
    },
    "h2h ‖ h2h of another invoice for the last slot": {
      given: invoices(2, "exactShop", true),
      acts: [h2h(0, NARROW), h2h(1, NARROW)],
      outcomes: mirrored(["ok", no("no_requisite")], "left live"),
    },
    "h2h ‖ h2h of another invoice for the last place": {
      given: invoices(2),
      ready: (scene) => allow(scene, 1),
      acts: [h2h(0, NARROW), h2h(1, NARROW)],
      after: (scene) => allow(scene, 1e6),
      outcomes: mirrored(["ok", no("no_requisite")], "left live"),
    },
    "h2h ‖ its only card is switched off": {
      given: invoices(2),
      acts: [h2h(0, NARROW), (at) => manage(at).ask(`requisites/${ONLY_CARD}`, { enabled: false })],
      async after(scene, given) {
        for (const at of [scene.left, scene.right]) await h2h(1, NARROW)(at, given, scene);
        await scene.own.post(`requisites/${ONLY_CARD}`, { enabled: true });
      },
      outcomes: {
        "details first": [["ok", "ok"], "left live"],
        "switch first": [[no("no_requisite"), "ok"], ""],
      },
    },
    "the same h2h, clock a second behind ‖ its details lapse": {
      given: async ({ trade, amount }) => ({ ids: [(await trade.order({ amount: amount() })).id] }),
      ready({ clock, left }) {
        clock.advance(20 * MINUTE);
        left.app.clock.setOffset(-1);
      },
      acts: [h2h(), run(lapsePaymentsJob)],
      after({ left, right }) {
        left.app.clock.setOffset(0);
        return lapsePaymentsJob.run(right.app);
      },
      outcomes: {
        "details first": [["ok"], "left lapsed"],
        "lapse first": [["ok"], "left lapsed, left live"],
      },
    },
  }),
  "cancel ‖ h2h of another invoice for its place": {
    // Both want the usage of one card, and its slots.
    async given(scene) {
      const given = await invoices(2)(scene);
      accepted(await createH2h(scene.left, given.ids[0], NARROW));
      return given;
    },
    ready: (scene) => allow(scene, 0),
    acts: [cancel, h2h(1, NARROW)],
    after: (scene) => allow(scene, 1e6),
    books: "select state from payments where invoice_id = any($1::uuid[]) order by state",
    outcomes: {
      "cancel first": [["ok", "ok"], "lapsed, live"],
      "details first": [["ok", no("no_requisite")], "lapsed"],
    },
  },
  "h2h ‖ h2h of another invoice for one amount": {
    given: invoices(2, "kopeckShop", true),
    acts: [h2h(0, NARROW), h2h(1, NARROW)],
    books: `select id, to_pay_minor - amount_minor * 102 / 100 as nudge from payments
            where invoice_id = any($1::uuid[]) order by nudge`,
    outcomes: mirrored(["ok", "ok"], "left 0, right 1"),
  },
  "details on the page ‖ many more, at other banks": {
    // The sixth is the last.
    async given(scene) {
      const changes = { type: "link", amount: scene.amount() };
      const given = { ids: [accepted(await createInvoice(scene.left, changes, LINK_SHOP)).id] };
      for (let turn = 0; turn < 5; turn += 1) await choose(turn)(scene.left, given, scene);
      return given;
    },
    acts: [0, 0, 1, 1, 0, 0, 1, 1].map(choose),
    books: `select (array_agg(id order by number desc))[1] as last, count(*) from payments
            where invoice_id = any($1::uuid[])`,
    outcomes: mirrored(Array(8).fill("303"), "left 6"),
  },
  "create ‖ key rotation": rotation(create(), `select count(*) from (${CREATED}) made`),
  "h2h ‖ key rotation": rotation(h2h(), `select count(*) from (${PAYMENTS}) made`),
  "h2h ‖ another tariff": {
    given: newMerchants,
    acts: [
      h2h(),
      (at, { shop }) =>
        manage(at).ask("tariffs", { ...RATES, min_sum: 1, shop_id: shop?.id, user_percent: 3 }),
    ],
    async after(scene, given) {
      await h2h(1)(scene.left, given, scene);
      await h2h(2)(scene.right, given, scene);
    },
    books: `select (payer_fee_minor * 100.0 / amount_minor)::integer as percent from payments
            where invoice_id = any($1::uuid[])
            order by array_position($1::uuid[], invoice_id)`,
    outcomes: {
      "details first": [["ok", "ok"], "2, 3, 3"],
      "tariff first": [["ok", "ok"], "3, 3, 3"],
    },
  },
  "the same create long afterwards ‖ its invoice is forgotten": {
    isAlone: true,
    async given(scene) {
      const given = { ids: [await scene.invoice()] };
      const { id: more } = accepted((await create()(scene.left, given, scene)) as Answer);
      await scene.pass((RETAIN_DAYS + 2) * DAY);
      return { ...given, more };
    },
    acts: [
      create(),
      async ({ app }) => {
        for (const job of retentionJobs) while ((await job.run(app)) > 0);
      },
    ],
    books: `select id = $2 as is_old, state from (select * from invoices) made
            where order_id = 'after ' || ($1::uuid[])[1]`,
    outcomes: {
      "retry first": [["ok"], ""],
      "removal first": [["ok"], "false created"],
    },
  },
};
