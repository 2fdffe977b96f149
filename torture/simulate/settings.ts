// Who there is in one history, made through the operator's doors, and what an operator may change between
// any two steps: tables of values, many of them at the edge of what is allowed. Few cards, equal amounts.

import type { Random } from "../random.ts";
import { CLOCKS_MS, feeOf, kopecks, type Shop, type Terms } from "./model.ts";
import { operatorRequest, type World } from "./world.ts";

type Values = Readonly<Record<string, readonly unknown[]>>;

/** A name of 253 bytes, the longest that can be looked up. */
export const LONGEST_HOST = `${["a", "b", "c"].map((one) => one.repeat(62)).join(".")}.${"d".repeat(56)}.example`;

/** Mostly there is room. */
const WIDE = (value: number): number[] => Array.from({ length: 8 }, () => value);

const SHOP: Values = {
  h2h_enabled: [true, true, true, true, false],
  late_policy: ["credit", "credit", "hold"],
  nudge_max_kopecks: [0, 1, 5, 99, 99],
  hook_url: ["receiver1.example", "receiver2.example", LONGEST_HOST].flatMap((host) => [
    `https://${host}/`,
    `https://${host}/other`,
  ]),
};
const REQUISITE: Values = {
  max_sum: [...WIDE(300_000_000), 200],
  max_live_payments: [...WIDE(100), 1, 3],
  max_day_payments: [...WIDE(300), 2, 6],
  max_day_sum: [...WIDE(900_000_000), 300, 3_000],
};
/** The highest rate and fix leave a single kopeck of the smallest amount; one fix more does not. */
const TARIFF: Values = {
  shop_percent: [0, 1, 12.3457, 90],
  user_percent: [0, 0, 0, 2, 10],
  fix: [0, 0, 1, 4.99, 5],
  min_sum: [50, 50, 50, 10_000],
  max_sum: [100_000_000],
  enabled: [true, true, true, false],
};
const SERVICE: Values = { freeze_seconds: [0, 3_600, 86_400] };

function draw(random: Random, values: Values): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).map(([name, all]) => [name, random.pick(all)]));
}

/** As an operator's program does it: again, until it is answered. */
async function change(world: World, random: Random, path: string, body: object) {
  const answer = await world.ask(random, operatorRequest(path, body), false);
  world.expect(answer.status === 200, `${path} ${JSON.stringify(body)} got ${answer.text}`);
  return answer.data;
}

async function setTariff(world: World, random: Random, shop: Shop, terms: Terms): Promise<string> {
  const service = random.pick(["p2p_card", "p2p_sbp"]);
  const request = operatorRequest("tariffs", { shop_id: shop.id, service, ...terms });
  const { status, text } = await world.ask(random, request);
  const smallest = kopecks(terms.min_sum);
  const { total, payer } = feeOf(smallest, terms);
  const isRight = total - payer < smallest;
  if (!isRight) world.count("fee that reaches the amount refused");
  const said = `tariff ${service} of ${shop.id} ${JSON.stringify(terms)}`;
  world.expect(status === (isRight ? 200 : 422), `${said} got ${text}`);
  if (isRight) shop.tariffs[service] = terms;
  return said;
}

export async function furnish(world: World, random: Random): Promise<void> {
  const { model } = world;
  for (const [service, settings] of Object.entries(model.services)) {
    // What the history before has left is not known; both of these change something.
    for (const freeze_seconds of [60, 3_600]) {
      Object.assign(settings, { freeze_seconds });
      await change(world, random, `services/${service}`, settings);
    }
  }
  for (let n = random.pick([2, 2, 3, 6]); n > 0; n -= 1) {
    const { user, secret } = await change(world, random, "users", { name: `user ${n}` });
    model.users.push({ id: user.user_id, secret });
  }
  for (const user of [...model.users, ...model.users.slice(0, 1)]) {
    const settings = { ...draw(random, SHOP), h2h_enabled: true };
    const fixed = { user_id: user.id, name: "shop", success_url: "https://shop.example/" };
    const made = await change(world, random, "shops", { ...fixed, ...settings });
    const keys = [{ id: "", secret: made.api_key, endsAt: Number.POSITIVE_INFINITY }];
    const own = { id: made.shop.shop_id, user, tariffs: {}, keys, webhookKeys: made };
    const shop = { ...own, ...settings } as unknown as Shop;
    model.shops.push(shop);
    const terms = { ...draw(random, TARIFF), fix: 0, min_sum: 50, enabled: true } as Terms;
    while (Object.keys(shop.tariffs).length < 2) await setTariff(world, random, shop, terms);
  }
  for (let n = random.between(1, 4); n > 0; n -= 1) {
    const bank = n === 1 ? "sber" : random.pick(["sber", "tinkoff"]);
    const phone = random.chance(0.3) ? {} : { phone: `+7999000000${n}` };
    const own = { bank, card: withCheckDigit(`22022000000000${n}`), ...phone };
    const settings = { ...own, ...draw(random, REQUISITE), min_sum: 0.01 };
    const body = { receiver_name: "Receiver", ...settings };
    const { requisite_id: id } = await change(world, random, "requisites", body);
    model.requisites.push({ id, enabled: true, ...settings } as never);
  }
}

export function withCheckDigit(digits: string): string {
  const sum = [...digits].reduceRight((total, digit, index) => {
    const value = Number(digit) * ((digits.length - index) % 2 === 1 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

export async function changeSetting(world: World, random: Random): Promise<string> {
  const { model } = world;
  const shop = random.pick(model.shops);
  // What is off is soon on again.
  const off = model.requisites.filter(({ enabled }) => !enabled);
  const requisite = random.pick(off.length > 0 ? off : model.requisites);
  world.count("setting changed");
  const set = async (owner: object, path: string, values: object): Promise<string> => {
    await change(world, random, path, values);
    Object.assign(owner, values);
    return `${path} ${JSON.stringify(values).slice(0, 120)}`;
  };
  const one = (values: Values): object =>
    Object.fromEntries([random.pick(Object.entries(draw(random, values)))]);
  switch (
    random.weighted({ shop: 30, tariff: 16, card: 22, limits: 8, keys: 14, hooks: 5, service: 5 })
  ) {
    case "shop":
      return set(shop, `shops/${shop.id}`, one(SHOP));
    case "tariff":
      return setTariff(world, random, shop, draw(random, TARIFF) as unknown as Terms);
    case "limits":
      return set(requisite, `requisites/${requisite.id}`, one(REQUISITE));
    case "card":
      if (requisite.enabled) world.count("requisite switched off");
      return set(requisite, `requisites/${requisite.id}`, { enabled: !requisite.enabled });
    case "keys":
      return endKeys(world, random, shop);
    case "hooks":
      shop.webhookKeys = await change(world, random, `shops/${shop.id}/rotate-webhook-keys`, {
        overlap_hours: 0,
      });
      return `webhook keys of ${shop.id}`;
    case "service":
      return set(model.services.p2p_card, "services/p2p_card", draw(random, SERVICE));
  }
}

/** An old key is dead everywhere, also where somebody was let in by it a moment ago. */
async function endKeys(world: World, random: Random, shop: Shop): Promise<string> {
  const hours = random.pick([0, 0, 1]);
  const old = shop.keys.filter(({ endsAt }) => endsAt > world.now + CLOCKS_MS);
  const [first] = old;
  const askAll = async (): Promise<string> => {
    const path = `/invoice/info?shop_id=${shop.id}&order_id=none`;
    const headers = { "x-api-key": old.at(-1)?.secret ?? "" };
    const well = world.stage.processes.filter((one) => one !== world.armed);
    const asked = well.map((one) => one.ask({ method: "GET", path, headers }));
    return [...new Set((await Promise.all(asked)).map(({ status }) => status))].join();
  };
  world.expect((await askAll()) === "404", "a key that holds is refused");
  const isRevoked = hours === 0 && old.length === 1 && first?.id !== "";
  const made = isRevoked
    ? await change(world, random, "keys", { shop_id: shop.id })
    : await change(world, random, "keys/rotate", { shop_id: shop.id, overlap_hours: hours });
  if (isRevoked) await change(world, random, `keys/${first?.id}/revoke`, {});
  const end = world.now + hours * 3_600_000;
  for (const key of shop.keys) key.endsAt = Math.min(key.endsAt, end);
  shop.keys.push({ id: made.key.key_id, secret: made.secret, endsAt: Number.POSITIVE_INFINITY });
  const statuses = await askAll();
  world.expect(statuses === (hours === 0 ? "401" : "404"), `an ended key got ${statuses}`);
  if (hours === 0) world.count("old key refused everywhere");
  return `keys of ${shop.id} ${isRevoked ? "revoked" : "rotated"}, ${hours} h overlap`;
}
