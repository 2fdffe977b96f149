// What operators change while money is under way, and processes that come and go.

import { decimal } from "./model.ts";
import { MAX_SUM, MIN_SUM, SERVICES } from "./setting.ts";
import { operatorRequest } from "./steps-money.ts";
import { livingKey, type Step, shopRequest } from "./steps-shop.ts";

export const rotateKeys: Step = async (world, random) => {
  const shop = random.pick(world.model.shops);
  const hours = random.pick([0, 1]);
  const body = { shop_id: shop.id, overlap_hours: hours };
  const request = operatorRequest("/manage/keys/rotate", body);
  const old = livingKey(shop, world.now);
  const end = world.now + hours * 3_600_000;
  const process = world.process(random);
  let answer = await world.attempt(process, request);
  const endOld = (): void => {
    for (const key of shop.keys) key.endsAt = Math.min(key.endsAt, end);
  };
  endOld();
  if (answer === "done") {
    // The new key is known to nobody: the operator makes another one.
    shop.keys.push({ secret: undefined, endsAt: Number.POSITIVE_INFINITY });
    answer = await world.attempt(process, request);
    endOld();
  }
  if (answer === "done") return world.break("a rotation failed without a fault");
  world.expect(answer.status === 200, `a rotation got ${answer.text}`);
  shop.keys.push({ secret: answer.data.secret, endsAt: Number.POSITIVE_INFINITY });
  world.count("key rotated");
  // Both processes know the old key; neither may take it a moment longer than it holds.
  const path = `/invoice/info?shop_id=${shop.id}&order_id=none`;
  for (const one of world.stage.processes) {
    const { status } = await one.ask(shopRequest(shop, old, "GET", path));
    world.expect(status === (hours === 0 ? 401 : 404), `an old key got ${status}`);
    if (hours === 0) world.count("old key refused");
  }
  return `rotate the keys of ${shop.id}, ${hours} h overlap`;
};

/** From the next attempt on; a key that got lost on its way is no use to anybody, so there is another. */
export const rotateWebhookKeys: Step = async (world, random) => {
  const shop = random.pick(world.model.shops);
  const request = operatorRequest(`/manage/shops/${shop.id}/rotate-webhook-keys`, {});
  const process = world.process(random);
  const first = await world.attempt(process, request);
  const answer = first === "done" ? await world.attempt(process, request) : first;
  if (answer === "done") return world.break("a rotation failed without a fault");
  world.expect(answer.status === 200, `a rotation of webhook keys got ${answer.text}`);
  shop.webhookKey = answer.data.webhook_key;
  shop.webhookSecret = answer.data.webhook_secret;
  world.count("webhook keys rotated");
  return `rotate the webhook keys of ${shop.id}`;
};

export const switchRequisite: Step = async (world, random) => {
  const requisite = random.pick(world.model.requisites);
  const enabled = !requisite.enabled || random.chance(0.2);
  const request = operatorRequest(`/manage/requisites/${requisite.id}`, { enabled });
  const answer = await world.insist(world.process(random), request);
  world.expect(answer.status === 200, `switching a requisite got ${answer.text}`);
  requisite.enabled = enabled;
  if (!enabled) world.count("requisite disabled");
  return `requisite ${requisite.id} is ${enabled ? "on" : "off"}`;
};

export const changeTariff: Step = async (world, random) => {
  const shop = random.pick(world.model.shops);
  const service = random.pick(SERVICES);
  const terms = shop.tariffs[service];
  const enabled = !terms.enabled || random.chance(0.6);
  const fix = random.pick([terms.fix, 0, 250]);
  const { percentPpm, userPercentPpm } = terms;
  const request = operatorRequest("/manage/tariffs", {
    ...{ shop_id: shop.id, service, enabled, fix: Number(decimal(fix)) },
    shop_percent: (percentPpm - userPercentPpm) / 10_000,
    user_percent: userPercentPpm / 10_000,
    ...{ min_sum: MIN_SUM / 100, max_sum: MAX_SUM / 100 },
  });
  const answer = await world.insist(world.process(random), request);
  world.expect(answer.status === 200, `a tariff got ${answer.text}`);
  Object.assign(terms, { enabled, fix });
  if (!enabled) world.count("tariff disabled");
  return `tariff ${service} of ${shop.id} is ${enabled ? "on" : "off"}, fix ${fix}`;
};

export const changePolicy: Step = async (world, random) => {
  const shop = random.pick(world.model.shops);
  const late_policy = shop.latePolicy === "hold" ? "credit" : "hold";
  const request = operatorRequest(`/manage/shops/${shop.id}`, { late_policy });
  const answer = await world.insist(world.process(random), request);
  world.expect(answer.status === 200, `a shop's policy got ${answer.text}`);
  shop.latePolicy = late_policy;
  return `late money of ${shop.id}: ${late_policy}`;
};

export const restart: Step = async (world, random) => {
  world.process(random).restart();
  world.count("process restarted");
  return "a process is restarted";
};
