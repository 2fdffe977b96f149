// What strangers without a key must not be able to slow down: those who read a payment page without a
// pause, and somebody who sends the worst bodies there are.

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { LINK_SHOP } from "../test/cast.ts";
import { createInvoice } from "./callers.ts";
import type { Onslaught } from "./hostile.ts";
import { ask, startPart } from "./part.ts";
import type { Read, ReadersWish } from "./readers.ts";
import { rowOf } from "./row.ts";
import type { RowMaker } from "./row-maker.ts";
import { createAt, fullRate, inTurns, warmUpBriefly } from "./scene.ts";
import { startServer } from "./stage.ts";
import { median } from "./statistics.ts";
import { type During, detailsAt } from "./trouble-rows.ts";

const READERS = 64;

const readers: RowMaker = {
  names: ["readers"],
  quickOn: ["postgres"],
  async measure(scene) {
    const database = await scene.engine.database();
    const env = { ...database.env, KOPECK_TRUSTED_PROXIES: "127.0.0.1" };
    const server = await startServer({ ...database, env });
    const part = startPart(join(import.meta.dirname, "readers.ts"));
    const askReaders = (wish: ReadersWish) => ask<Read>(part, wish);
    const url = await detailsPage(server.url);
    const details = detailsAt(scene);
    const seen: Read[] = [];
    const read: During = async (drive) => {
      await askReaders({ url, readers: READERS });
      const loaded = await drive();
      seen.push(await askReaders({ stop: true }));
      return loaded;
    };
    await warmUpBriefly(scene, server);
    for (const during of [undefined, read]) await details(server, during);
    const { ours, quiet } = await inTurns(scene, {
      quiet: () => details(server),
      ours: () => details(server, read),
    });
    part.kill();
    await server.kill();
    await database.drop();
    const [shown, refused] = [
      median(seen.map((one) => one.shown)),
      median(seen.map((one) => one.refused)),
    ];
    return [
      rowOf({
        ...{ name: "readers", engine: scene.engine.name, ours, rival: quiet, rivalName: "nobody" },
        what: `h2h while ${READERS} strangers read one payment page without a pause`,
        note: `a round shows it ${shown} times and refuses ${refused}`,
      }),
    ];
  },
};

/** The address of a page that shows where to pay. */
async function detailsPage(url: string): Promise<string> {
  const link = { include_service: ["p2p_card"], type: "link" };
  const page = `${url}/pay/${await createInvoice(url, LINK_SHOP, link)}`;
  const body = new URLSearchParams({ service: "p2p_card", bank: "sber" });
  const { status } = await fetch(page, { method: "POST", redirect: "manual", body });
  if (status !== 303) throw new Error(`no details: ${status}`);
  return page;
}

/** What one client of many has of a gateway's rate. */
const ONE_CLIENT = 1 / 20;

const hostile: RowMaker = {
  names: ["hostile"],
  quickOn: ["postgres"],
  async measure(scene) {
    const { sizes, engine, gateway } = scene;
    const { connections, pacedSeconds: seconds } = sizes;
    const ratePerSecond = (await fullRate(scene, gateway.url)) * ONE_CLIENT;
    const paced = () => createAt(scene, gateway.url, { seconds, ratePerSecond });
    const part = startPart(join(import.meta.dirname, "hostile.ts"));
    let shots = 0;
    try {
      const storm: Onslaught = { url: gateway.url, connections, seconds: seconds + 0.5 };
      const { ours, without } = await inTurns(
        scene,
        {
          without: paced,
          async ours() {
            const raging = ask<number>(part, storm);
            // The load comes into the midst of it.
            await sleep(250);
            const loaded = await paced();
            shots += await raging;
            return loaded;
          },
        },
        ({ p99Ms }) => p99Ms,
      );
      const rate = shots / sizes.rounds / storm.seconds;
      return [
        rowOf({
          ...{ name: "hostile", engine: engine.name, unit: "p99 ms" },
          what: `p99 of one client's create while ${connections} connections without a key send up to 64 KiB each`,
          ...{ ours, rival: without, rivalName: "nobody else" },
          note: `${rate.toFixed(0)} hostile requests answered a second`,
        }),
      ];
    } finally {
      part.kill();
    }
  },
};

export const STRANGER_ROWS: readonly RowMaker[] = [readers, hostile];
