// Load by autocannon, for machines without wrk. It runs in the benchmark's own process, which does
// nothing else meanwhile.

import { createRequire } from "node:module";
import {
  type Lived,
  type Lives,
  type Load,
  type LoadDriver,
  type Loaded,
  runPrefix,
} from "./load-driver.ts";

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

type Context = Record<string, string>;

interface Step {
  setupRequest(request: object, context: Context): object;
  onResponse?(status: number, body: string, context: Context): void;
}

interface Client {
  setRequests(steps: readonly Step[]): void;
}

interface Result {
  readonly duration: number;
  readonly non2xx: number;
  readonly errors: number;
  readonly "2xx": number;
  readonly latency: { readonly p50: number; readonly p99: number };
}

interface Instance extends PromiseLike<Result> {
  stop(): void;
}

/** It has no types of its own; this is what is used of it. */
type Autocannon = (options: {
  readonly url: string;
  readonly connections: number;
  readonly duration: number;
  readonly overallRate?: number;
  readonly timeout: number;
  /** How often it looks whether it is to stop. */
  readonly sampleInt: number;
  readonly setupClient: (client: Client) => void;
}) => Instance;

const AT_MOST_SECONDS = 600;
const FILLER: Sent = { method: "GET", path: "/healthz" };

export function openAutocannon(): LoadDriver {
  const require = createRequire(import.meta.url);
  const autocannon = require("autocannon") as Autocannon;
  const { version } = require("autocannon/package.json") as { version: string };

  const drive = async (load: Load): Promise<Loaded> => {
    const { url, lines, connections, seconds, ratePerSecond } = load;
    const prefix = runPrefix();
    let sent = 0;
    let failure: string | undefined;
    let startedAt = 0;
    let endedAt: number | undefined;
    // It cannot send nothing, so what it sends after the last line must not count.
    const times: number[] = [];
    const step = (): Step => ({
      setupRequest(request, context) {
        if (startedAt === 0) startedAt = performance.now();
        if (load.once && sent >= lines.length) {
          endedAt ??= performance.now();
          instance?.stop();
          return { ...request, ...FILLER };
        }
        const line = lines[sent % lines.length];
        sent += 1;
        context["sentAt"] = String(performance.now());
        if (line === undefined) return { ...request, ...FILLER };
        const { method, path, header, value, body } = line;
        const headers = { [header]: value, "content-type": "application/json" };
        const own = body.replace("{n}", prefix + sent);
        const bare = { ...request, method, path, headers: { [header]: value } };
        return body === "" ? bare : { ...bare, headers, body: own };
      },
      onResponse(status, body, context) {
        if (status > 299) failure ??= `${status} ${body}`;
        else if (context["sentAt"]) times.push(performance.now() - Number(context["sentAt"]));
      },
    });
    const instance: Instance | undefined = autocannon({
      ...{ url, connections, duration: seconds, timeout: 20, sampleInt: 50 },
      ...(ratePerSecond === undefined ? {} : { overallRate: Math.round(ratePerSecond) }),
      setupClient: (client) => client.setRequests([step()]),
    });
    const result = await instance;
    const sorted = times.toSorted((left, right) => left - right);
    const at = (part: number): number => sorted[Math.ceil(sorted.length * part) - 1] ?? 0;
    const figures =
      endedAt === undefined
        ? { answered: result["2xx"], p50Ms: result.latency.p50, p99Ms: result.latency.p99 }
        : { answered: times.length, p50Ms: at(0.5), p99Ms: at(0.99) };
    return {
      ...figures,
      seconds: endedAt === undefined ? result.duration : (endedAt - startedAt) / 1000,
      failures: result.non2xx + result.errors,
      ...(failure === undefined ? {} : { firstFailure: failure }),
    };
  };

  const live = async (lives: Lives): Promise<Lived> => {
    const { url, connections, until } = lives;
    const prefix = runPrefix();
    const collected: [string, string][] = [];
    const startedAtMs = Date.now();
    let [begun, open, finished, failures, references] = [0, 0, 0, 0, 0];
    let failure: string | undefined;
    const mayBegin = (): boolean =>
      "count" in until ? begun < until.count : Date.now() < startedAtMs + until.seconds * 1000;
    const shopOf = (index: string | undefined) =>
      lives.shops[lives.toFirstShopOnly ? 0 : Number(index) % lives.shops.length];
    const post = (path: string, header: string, value: string, body: object): Sent => {
      const headers = { [header]: value, "content-type": "application/json" };
      return { method: "POST", path, headers, body: JSON.stringify(body) };
    };
    const end = (): void => {
      open -= 1;
      if (open === 0 && !mayBegin()) instance?.stop();
    };
    const create = (context: Context): Sent => {
      if (!mayBegin()) {
        if (open === 0) instance?.stop();
        return FILLER;
      }
      begun += 1;
      open += 1;
      context["index"] = String(begun % lives.shops.length);
      const shop = shopOf(context["index"]);
      const hook = lives.hooks?.[begun % lives.hooks.length];
      return post("/invoice/create", "x-api-key", shop?.key ?? "", {
        amount: 1000 + (begun % 1000) + (Math.floor(begun / 1000) % 100) / 100,
        ...{ order_id: prefix + begun, shop_id: shop?.id, include_service: ["p2p_card"] },
        ...{ type: "direct", success_url: "https://shop.example/ok", hook_url: hook },
      });
    };
    const details = ({ index, id }: Context): Sent => {
      const shop = shopOf(index);
      const bank = Number(index) % 2 === 0 ? "sber" : "tinkoff";
      const body = { invoice_id: id, shop_id: shop?.id, payment_data: { bank } };
      return post("/invoice/h2h", "x-api-key", shop?.key ?? "", body);
    };
    const transfer = ({ wallet, amount }: Context): Sent => {
      references += 1;
      const body = { wallet, amount: Number(amount), reference: prefix + references };
      return post("/sandbox/transfers", "authorization", `Bearer ${lives.operatorToken}`, body);
    };
    /** Keeps what the next step needs; the last one's is collected. */
    const heard = (names: readonly [string, string], isLast: boolean): Step["onResponse"] => {
      return (status, text, context) => {
        if (text.includes('"alive"')) return;
        const { data } = JSON.parse(text) as { data: Record<string, string> | null };
        if (status !== 200 || data === null || data["state"] === "suspense") {
          failures += 1;
          failure ??= `${status} ${text}`;
          context["failed"] = "yes";
          return end();
        }
        Object.assign(context, data);
        if (!isLast) return;
        finished += 1;
        collected.push([context[names[0]] ?? "", context[names[1]] ?? ""]);
        end();
      };
    };
    const steps = (): Step[] => {
      const makers = [create, details, transfer].slice(0, lives.steps);
      return makers.map((make, at) => ({
        setupRequest(request, context) {
          const idle = at > 0 && (context["failed"] !== undefined || context["id"] === undefined);
          return { ...request, ...(idle ? FILLER : make(context)) };
        },
        onResponse: heard(
          at === 0 ? ["index", "id"] : ["wallet", "amount"],
          at === makers.length - 1,
        ),
      })) as Step[];
    };
    const instance: Instance | undefined = autocannon({
      ...{ url, connections, duration: AT_MOST_SECONDS, timeout: 20, sampleInt: 50 },
      setupClient: (client) => client.setRequests(steps()),
    });
    const result = await instance;
    return {
      ...{ finished, startedAtMs, collected, seconds: (Date.now() - startedAtMs) / 1000 },
      failures: failures + result.errors,
      ...(failure === undefined ? {} : { firstFailure: failure }),
    };
  };

  return { name: `autocannon ${version}`, drive, live };
}
