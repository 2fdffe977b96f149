// kopeck listen: brings events from the feed to a receiver on this machine, signed as webhooks are.

import { setTimeout as sleep } from "node:timers/promises";
import { type FeedEvent, KopeckError, merchantClient, signWebhook } from "../../sdk/src/index.ts";
import { type LocalCall, type LocalWork, UsageFailure } from "./command.ts";
import { findConnection, toFailure } from "./door.ts";
import { oneLine } from "./print.ts";

/** Public keys of the sandbox's shops and users, as its page shows them. */
const SANDBOX_KEYS: Readonly<Record<string, string>> = {
  "00000000-0000-4000-8000-000000000001": "0123456789abcdef0123456789abcdef01234567",
  "00000000-0000-4000-8000-000000000002": "sandbox_shop_key",
  "00000000-0000-4000-8000-000000000003": "sandbox_shop_key_link",
  "00000000-0000-4000-8000-000000000004": "sandbox_shop_key_urls",
  "00000000-0000-4000-8000-000000000005": "sandbox_shop_key_empty",
  "00000000-0000-4000-8000-000000000006": "76543210fedcba9876543210fedcba9876543210",
  "00000000-0000-4000-8000-000000000007": "sandbox_shop_key_other",
  "00000000-0000-4000-8000-000000000008": "sandbox_shop_key_family",
};

/** What everybody knows, and only a sandbox takes. */
const SANDBOX = {
  shop: "00000000-0000-4000-8000-000000000002",
  KOPECK_SHOP_KEY: "sandbox_shop_key",
  KOPECK_USER_SECRET: "0123456789abcdef0123456789abcdef01234567",
  KOPECK_WEBHOOK_KEY: "sandbox_webhook_key",
  KOPECK_WEBHOOK_SECRET: "whsec_c2FuZGJveF93ZWJob29rX2tleV8wMDAwMDA=",
} as const;

/** As long as the gateway itself waits for a receiver. */
const ANSWER_WITHIN_MS = 15_000;
const FIRST_REST_MS = 500;
const LONGEST_REST_MS = 15_000;

export const listen: LocalWork = {
  description: `Sends a shop's events to a receiver on this machine as they happen, signed exactly as webhooks are,
one after another, in order; a receiver that is away, or answers 500 or more, is tried again.
--since sends past ones, too. It ends with Ctrl-C, and says how to go on from there.

It reads with the shop's API key and signs with its webhook keys: KOPECK_SHOP_KEY,
KOPECK_WEBHOOK_KEY and KOPECK_WEBHOOK_SECRET, as they were shown when the shop was made. The
keys of the sandbox's shops and users are known. With --user it sends what a user is told of payouts, reads with
KOPECK_USER_SECRET and signs with the user's webhook keys. The gateway is that of KOPECK_URL, or the
one on this machine.`,
  options: [
    {
      name: "to",
      kind: "string",
      required: true,
      description: "Where to send them, such as http://localhost:3000/hook.",
    },
    {
      name: "shop",
      kind: "string",
      description: "The shop's id; the sandbox's shop when left out.",
    },
    {
      name: "user",
      kind: "string",
      description: "Or the id of a user, for the events of payouts.",
    },
    {
      name: "since",
      kind: "string",
      description:
        'Also what happened since then: a moment such as 2026-03-01T09:00:00Z, a day (from midnight UTC on), or "beginning".',
    },
    {
      name: "after",
      kind: "string",
      description: "Go on after this cursor, which one that was ended has named.",
    },
  ],
  example: "kopeck listen --to http://localhost:3000/hook --since beginning",
  async run(call) {
    const { to, since, after, user } = call.input as Record<string, string | undefined>;
    if (!/^https?:$/.test(URL.parse(to ?? "")?.protocol ?? "")) {
      throw new UsageFailure(`--to must be an http or https address, not "${to}".`);
    }
    const { url, ...keys } = keysOf(call);
    const client = merchantClient({
      baseUrl: url,
      shopId: keys.shop,
      shopKey: keys.KOPECK_SHOP_KEY,
      userId: user,
      userSecret: keys.KOPECK_USER_SECRET,
    });
    const allShops = user !== undefined;
    const ended = new AbortController();
    for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => ended.abort());
    const begin = { allShops, since: since === "beginning" ? undefined : since };
    try {
      let place = after;
      // Where it begins is known before anything is said: what happens from now on is not missed.
      if (since === undefined) place ??= (await client.eventPage({ allShops, after: "end" })).next;
      else await client.eventPage({ ...begin, after, limit: 1 });
      const whose = allShops ? `payouts of user ${user}` : `shop ${keys.shop}`;
      call.print(`Events of ${whose} go to ${to}. Ctrl-C ends it.\n`);
      for (let restMs = FIRST_REST_MS; !ended.signal.aborted; restMs = longer(restMs)) {
        try {
          for await (const event of client.events({ ...begin, after: place }, ended)) {
            // What the user's shops are told is theirs, and signed with their keys.
            const isOwn = !allShops || event.payout_id !== null;
            if (isOwn) await bring(event, to ?? "", keys, call.print, ended.signal);
            place = event.cursor;
            restMs = FIRST_REST_MS;
          }
        } catch (error) {
          if (ended.signal.aborted) break;
          if (!isAwayGateway(error)) throw error;
          const why = error.status === undefined ? "is away" : `answers ${error.status}`;
          call.print(`The gateway at ${url} ${why}; trying again in ${restMs / 1000} s\n`);
          await sleep(restMs, undefined, ended).catch(() => {});
        }
      }
      if (place !== undefined) call.print(`\nGo on with --after ${place}\n`);
      return 0;
    } catch (error) {
      throw toFailure(error, url, keys.from);
    }
  },
};

function longer(restMs: number): number {
  return Math.min(2 * restMs, LONGEST_REST_MS);
}

function isAwayGateway(error: unknown): error is KopeckError {
  return error instanceof KopeckError && (error.kind !== "refusal" || (error.status ?? 0) >= 500);
}

/** And where they are from, for whoever has to mend them. */
type Keys = Readonly<Record<keyof typeof SANDBOX | "from", string>>;

/** All of them from the environment, or those that everybody knows. */
function keysOf({ input, env }: LocalCall): Keys & { readonly url: string } {
  if (input["shop"] !== undefined && input["user"] !== undefined) {
    throw new UsageFailure("Give either --shop or --user.");
  }
  const own = input["user"] === undefined ? "KOPECK_SHOP_KEY" : "KOPECK_USER_SECRET";
  const names = [own, "KOPECK_WEBHOOK_KEY", "KOPECK_WEBHOOK_SECRET"] as const;
  const missing = names.filter((name) => !env[name]);
  const shop = String(input["shop"] ?? SANDBOX.shop);
  const { url } = findConnection({ KOPECK_TOKEN: "none", ...env });
  if (missing.length === names.length) {
    const from = `the sandbox, as ${own} is not set`;
    const known = SANDBOX_KEYS[String(input["user"] ?? shop)];
    if (known !== undefined) return { ...SANDBOX, [own]: known, shop, url, from };
    if (input["user"] !== undefined) return { ...SANDBOX, shop, url, from };
    const all = "KOPECK_SHOP_KEY, KOPECK_WEBHOOK_KEY and KOPECK_WEBHOOK_SECRET";
    throw new UsageFailure(`A shop's events need its keys: set ${all}.`);
  }
  if (missing.length > 0) throw new UsageFailure(`${missing.join(" and ")} must be set, too.`);
  if (!/^[!-~]+$/.test(env[own] ?? "")) {
    throw new UsageFailure(`${own} holds characters that no key has.`);
  }
  const given = Object.fromEntries(names.map((name) => [name, env[name] ?? ""]));
  return { ...SANDBOX, ...given, shop, url, from: own };
}

/** Until it is there: a receiver that is away comes back, and the next event waits for this one. */
async function bring(
  { event_id: id, body, event, sequence }: FeedEvent,
  to: string,
  keys: Keys,
  print: LocalCall["print"],
  signal: AbortSignal,
): Promise<void> {
  const name = oneLine(`${event?.status ?? "event"} ${event?.order_id ?? ""} (${sequence}) ${id}`);
  if (body === null) return print(`${name}: its body was removed, nothing is sent\n`);
  for (let restMs = FIRST_REST_MS; ; restMs = longer(restMs)) {
    const startedAt = performance.now();
    const answer = await send(to, id, body, keys, signal);
    signal.throwIfAborted();
    const ms = Math.round(performance.now() - startedAt);
    const isAway = typeof answer === "string" || answer >= 500;
    if (!isAway) return print(`${name}: ${answer} (${ms} ms)\n`);
    print(`${name}: ${answer}; trying again in ${restMs / 1000} s\n`);
    await sleep(restMs, undefined, { signal });
  }
}

async function send(
  to: string,
  id: string,
  body: string,
  { KOPECK_WEBHOOK_KEY: key, KOPECK_WEBHOOK_SECRET: secret }: Keys,
  ended: AbortSignal,
): Promise<number | string> {
  const signatures = await signWebhook({ id, body, key, secret });
  const headers = { "content-type": "application/json", "user-agent": "Kopeck", ...signatures };
  const signal = AbortSignal.any([ended, AbortSignal.timeout(ANSWER_WITHIN_MS)]);
  try {
    const answer = await fetch(to, { method: "POST", headers, body, redirect: "manual", signal });
    await answer.body?.cancel();
    return answer.status;
  } catch (error) {
    const { cause } = error as Error;
    return cause instanceof Error && "code" in cause ? String(cause.code) : "no answer";
  }
}
