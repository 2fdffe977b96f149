// What strangers without a key must not be able to slow down: payers who wait at open pages, readers of a
// payment page without a pause, and somebody who sends the worst bodies there are. On one gateway behind
// a proxy, so that each stranger has an address of her own.

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { App } from "../src/platform/app.ts";
import { invoiceBody, LINK_SHOP } from "../test/cast.ts";
import { ask, startPart } from "./part.ts";
import { answerTo } from "./requests.ts";
import { residentMb } from "./resident.ts";
import { group, inTurns, least, most, type Row, rehearse } from "./row.ts";
import { createAt, detailsAt, fullRate, openPlace, type Place, type Scene } from "./scene.ts";
import { median } from "./statistics.ts";
import type { OpenPage, Read, Wish } from "./strangers.ts";

export interface Strangers extends Place {
  ask<Answer>(wish: Wish): Promise<Answer>;
}

export async function openStrangers(
  scene: Scene,
  fill?: (app: App) => Promise<void>,
): Promise<Strangers> {
  const place = await openPlace(scene, fill, { KOPECK_TRUSTED_PROXIES: "127.0.0.1" });
  const strangers = startPart(join(import.meta.dirname, "strangers.ts"));
  const close = async (): Promise<void> => {
    strangers.kill();
    await place.close();
  };
  return { ...place, ask: (wish) => ask(strangers, wish), close };
}

/** The address of a page that shows where to pay; amounts differ, so that a few cards are enough. */
async function detailsPage(url: string, number: number): Promise<OpenPage> {
  const order = { shop_id: LINK_SHOP.id, include_service: ["p2p_card"], type: "link" };
  const line = { method: "POST", path: "/invoice/create", header: "x-api-key" } as const;
  const text = JSON.stringify(invoiceBody({ ...order, amount: 1000 + number }));
  const created = await answerTo(url, { ...line, value: LINK_SHOP.key, body: text });
  const address = `${url}/pay/${(created as { data: { id: string } }).data.id}`;
  const bank = number % 2 === 0 ? "sber" : "tinkoff";
  const body = new URLSearchParams({ service: "p2p_card", bank });
  const payer = `198.18.${number >> 8}.${number & 255}`;
  const headers = { "x-forwarded-for": payer };
  const { status } = await fetch(address, { method: "POST", redirect: "manual", body, headers });
  if (status !== 303) throw new Error(`no details: ${status}`);
  return { address, payer };
}

const MOST_PAGES_MB = 60;

const pages: Row<Strangers> = {
  name: "pages",
  what: "create while 1,000 payment pages are open",
  rivalName: "none open",
  goals: { postgres: least(0.9) },
  async measure(scene, { server: { url, pid }, ask }) {
    const all: OpenPage[] = [];
    while (all.length < scene.sizes.openPages) all.push(await detailsPage(url, all.length));
    const grown: number[] = [];
    const at = (open: readonly OpenPage[]) => async () => {
      await ask({ wait: open });
      const loaded = await createAt(scene, url);
      grown.push(residentMb(pid));
      return loaded;
    };
    const { ours, none } = await inTurns(scene, { none: at([]), ours: at(all) });
    await ask({ wait: [] });
    const mb = median(grown.flatMap((now, turn) => (turn % 2 ? now - (grown[turn - 1] ?? 0) : [])));
    const note = `${mb.toFixed(0)} MB more memory (at most ${MOST_PAGES_MB})`;
    return { ours, rival: none, note };
  },
};

const READERS = 64;

const readers: Row<Strangers> = {
  name: "readers",
  what: "details while 64 strangers read one payment page without a pause",
  rivalName: "nobody",
  goals: { postgres: least(0.5), embedded: least(0.5) },
  async measure(scene, { server, ask }) {
    const { address } = await detailsPage(server.url, 5_000);
    const seen: Read[] = [];
    const ours = detailsAt(scene, [server], async (drive) => {
      await ask({ read: address, readers: READERS });
      const loaded = await drive();
      seen.push(await ask<Read>({ stopReading: true }));
      return loaded;
    });
    const quiet = detailsAt(scene, [server]);
    await rehearse(scene, quiet, ours);
    const sides = await inTurns(scene, { quiet, ours });
    const [shown, refused] = (["shown", "refused"] as const).map((what) =>
      median(seen.map((one) => one[what])),
    );
    const note = `a round shows it ${shown} times and refuses ${refused}`;
    return { ours: sides.ours, rival: sides.quiet, note };
  },
};

/** What one client of many has of a gateway's rate. */
export const ONE_CLIENT = 1 / 20;

const hostile: Row<Strangers> = {
  name: "hostile",
  what: "p99 of one client's create while all connections send the worst bodies of 64 KiB",
  unit: "p99 ms",
  rivalName: "nobody",
  goals: { postgres: most(10), embedded: most(10) },
  async measure(scene, { server: { url }, ask }) {
    const { connections, rounds, pacedSeconds: seconds } = scene.sizes;
    const ratePerSecond = (await fullRate(scene, url)) * ONE_CLIENT;
    const paced = () => createAt(scene, url, { seconds, ratePerSecond });
    const storm = { storm: url, connections, seconds: seconds + 0.5 };
    let shots = 0;
    const ours = async () => {
      const raging = ask<number>(storm);
      // The load comes into the midst of it.
      await sleep(250);
      const loaded = await paced();
      shots += await raging;
      return loaded;
    };
    const sides = await inTurns(scene, { without: paced, ours }, ({ p99Ms }) => p99Ms);
    const note = `${(shots / rounds / storm.seconds).toFixed(0)} hostile requests answered a second`;
    return { ours: sides.ours, rival: sides.without, note };
  },
};

export const STRANGERS = group((scene: Scene) => openStrangers(scene), [pages, readers, hostile]);
