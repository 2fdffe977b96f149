// What deploy/ gives Prometheus and Grafana: every figure and every label that an alert or a panel asks for is
// one that a gateway tells after a little life.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, it } from "node:test";
import { watchSourcesJob } from "../src/features/intake/watch-sources.job.ts";
import { watchWaitingJob } from "../src/features/overview/watch-waiting.job.ts";
import { watchPayoutsJob } from "../src/features/payouts/watch-payouts.job.ts";
import { createH2h, createInvoice } from "./cast.ts";
import { onPostgres } from "./gateway.ts";
import { openOneGateway } from "./one-gateway.ts";
import { DAY } from "./orders.ts";
import { openPhone } from "./phone.ts";
import { openReceiver } from "./receiver.ts";

const read = (name: string): string => readFileSync(join(import.meta.dirname, "..", name), "utf8");
const dashboard = JSON.parse(read("deploy/grafana.json"));
const ALERTS = read("deploy/alerts.yaml");

const asked: readonly string[] = [
  ...[...ALERTS.matchAll(/^ +expr: (.+)$/gm)].map(([, expr = ""]) => expr),
  ...dashboard.panels.flatMap((panel: { targets?: { expr: string }[] }) =>
    (panel.targets ?? []).map(({ expr }) => expr),
  ),
];

/** By the name of a figure, the values of its labels; what Prometheus adds by itself has any value. */
type Told = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;
const OF_PROMETHEUS = ["instance", "job"];
/** A label that Prometheus has itself it keeps under another name. */
const seenAs = (label: string): string => (label === "job" ? "exported_job" : label);
/** What a status is, is not for this test: most of them never come. */
const ANY = ["status"];

function toldBy(text: string): Told {
  const told = new Map<string, Map<string, Set<string>>>();
  for (const [, name = "", labels = ""] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const known = told.get(name) ?? new Map<string, Set<string>>();
    told.set(name, known);
    for (const [, label = "", value = ""] of labels.matchAll(/(\w+)="([^"]*)"/g)) {
      const seen = seenAs(label);
      known.set(seen, (known.get(seen) ?? new Set()).add(value));
    }
  }
  return told;
}

/** What an expression asks for and nobody tells, in words. */
function wrongIn(expr: string, told: Told, any: readonly string[] = ANY): string[] {
  const wrong: string[] = [];
  const labels = new Set(OF_PROMETHEUS);
  const figures = [...expr.matchAll(/\b((?:kopeck|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)];
  if (figures.length === 0) wrong.push(`${expr} asks for nothing`);
  for (const [, name = "", matchers = ""] of figures) {
    const known = told.get(name);
    if (known === undefined) wrong.push(`nobody tells ${name}`);
    for (const label of known?.keys() ?? []) labels.add(label);
    for (const [, label = "", sign = "", text = ""] of matchers.matchAll(
      /(\w+)(!?=~?)"([^"]*)"/g,
    )) {
      const values = known?.get(label);
      if (OF_PROMETHEUS.includes(label)) continue;
      if (values === undefined) wrong.push(`${name} has no ${label}`);
      else if (!any.includes(label)) {
        const wanted = sign.endsWith("~")
          ? text.split("|").map((one) => new RegExp(`^${one}$`))
          : [];
        const isThere = wanted.every((one) => values.values().some((value) => one.test(value)));
        if (!(wanted.length > 0 ? isThere : values.has(text))) {
          wrong.push(`${name} has no ${label} ${text}, only ${[...values]}`);
        }
      }
    }
  }
  for (const [, grouped = ""] of expr.matchAll(/\bby \(([^)]*)\)/g)) {
    for (const label of grouped.split(", ")) {
      if (!labels.has(label)) wrong.push(`${expr} is by ${label}, which nothing in it has`);
    }
  }
  if (expr.split("(").length !== expr.split(")").length) wrong.push(`${expr} is not closed`);
  return wrong;
}

onPostgres("alerts and the dashboard", () => {
  it("a gateway tells what happens for the first time as a step from 0", async () => {
    const { gateway } = await openOneGateway();
    await watchSourcesJob.run(gateway.app);
    await watchWaitingJob.run(gateway.app);
    await watchPayoutsJob.run(gateway.app);
    const told = toldBy((await gateway.call("/metrics")).text);
    // Also that the one payment of an hour, the first one of this gateway, is no hour in which nobody pays.
    const firsts = asked.flatMap((expr) => expr.match(/sum\(increase\([^)]+\)\) > 0/g) ?? []);
    assert.equal(firsts.length, 6);
    assert.deepEqual(
      firsts.flatMap((expr) => wrongIn(expr, told, [])),
      [],
    );
  });

  it("ask for what a gateway tells after a little life", async () => {
    const { gateway, own, trade } = await openOneGateway();
    const receiver = await openReceiver();
    after(() => receiver.close());
    for (const hook_url of [receiver.url, "http://127.0.0.1:1"]) {
      const order = await trade.order({ hook_url });
      await trade.pay(order);
      await trade.pay(order, { amount: 1.23 });
      await trade.pass(DAY);
      // Before there is something to refuse: a job may send it at any moment.
      receiver.answer(500);
      await own.post("refunds", { invoice_id: order.id, amount: 960, reason: "all of it" });
    }
    await createInvoice(gateway);
    await trade.pass(DAY);
    // A shop may have 80 percent of a card's places, which is one of two; then there are none at all.
    const { items } = await own.get("requisites?bank=sber");
    for (const limits of [{ max_live_payments: 2 }, { max_live_payments: 0 }]) {
      for (const { requisite_id } of items) await own.post(`requisites/${requisite_id}`, limits);
      for (let n = 0; n < 4; n += 1) {
        const { body } = await createInvoice(gateway);
        await createH2h(gateway, body.data.id);
      }
    }
    const phone = await openPhone(gateway);
    await phone.hears(["VISA9999 12:00 Перевод 5р от Иван П. Баланс: 5р", "Хорошего дня!"]);
    await watchSourcesJob.run(gateway.app);
    await watchWaitingJob.run(gateway.app);
    await watchPayoutsJob.run(gateway.app);
    const told = toldBy((await gateway.call("/metrics")).text);
    assert.deepEqual(
      asked.flatMap((expr) => wrongIn(expr, told)),
      [],
    );
    const values = (name: string, label: string) => [...(told.get(name)?.get(label) ?? [])].sort();
    assert.deepEqual(values("kopeck_invoices_total", "state"), [
      "created",
      "expired",
      "failed",
      "paid",
      "pending",
      "refunded",
    ]);
    assert.deepEqual(values("kopeck_money_total", "movement"), [
      "credited",
      "refunded",
      "suspense",
    ]);
    assert.deepEqual(values("kopeck_deliveries_total", "outcome"), [
      "delivered",
      "refused",
      "unanswered",
    ]);
  });
});
