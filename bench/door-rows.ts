// The doors that merchants call, each against plain Fastify with the same door.

import type { RequestLine } from "./load-driver.ts";
import { BALANCE, BANKS, CREATE, detailsLine, infoLine, TARIFFS } from "./requests.ts";
import { type RowName, rowOf } from "./row.ts";
import type { RowMaker } from "./row-maker.ts";
import { fullRate, inTurns, newDoor, prepare, rateOf, type Scene, shortly } from "./scene.ts";
import { median } from "./statistics.ts";

const RIVAL = "bare Fastify";
/** More than can be sent in a round, so that it ends by time. */
const SPARE = 1.5;

function readRow(name: RowName, what: string, linesOf: (scene: Scene) => Promise<Lines>): RowMaker {
  return {
    names: [name],
    async measure(scene) {
      const lines = await linesOf(scene);
      const { gateway, bareUrl, load, sizes, engine } = scene;
      const at = (url: string, seconds = sizes.seconds) =>
        load.drive({ url, lines, connections: sizes.connections, seconds });
      const known = name === "create";
      for (const url of [bareUrl, gateway.url]) {
        await at(url, known ? shortly(scene) : newDoor(scene));
      }
      const { ours, bare } = await inTurns(scene, {
        bare: () => at(bareUrl),
        ours: () => at(gateway.url),
      });
      if (name === "create") {
        scene.rates.set(gateway.url, median(ours.rounds)).set(bareUrl, median(bare.rounds));
      }
      return [rowOf({ name, engine: engine.name, what, ours, rival: bare, rivalName: RIVAL })];
    },
  };
}

type Lines = readonly RequestLine[];

async function issuedInvoices(scene: Scene): Promise<Lines> {
  const { load, gateway } = scene;
  const invoices = await prepare(scene, gateway.url, { steps: 1, count: scene.sizes.prepared });
  const lines = invoices.map(detailsLine);
  const url = gateway.url;
  await load.drive({ url, lines, once: true, connections: scene.sizes.connections, seconds: 60 });
  return invoices.map(infoLine);
}

const h2h: RowMaker = {
  names: ["h2h"],
  async measure(scene) {
    const { gateway, bareUrl, load, sizes, engine } = scene;
    const { url } = gateway;
    const { connections } = sizes;
    let most = 0;
    const ours = async (count: number, seconds = sizes.seconds) => {
      const lines = (await prepare(scene, url, { steps: 1, count })).map(detailsLine);
      const loaded = await load.drive({ url, lines, once: true, connections, seconds });
      most = Math.max(most, rateOf(loaded));
      return loaded;
    };
    const some = (await prepare(scene, url, { steps: 1, count: scene.sizes.prepared })).map(
      detailsLine,
    );
    const bare = (seconds = sizes.seconds) =>
      load.drive({ url: bareUrl, lines: some, connections, seconds });
    await bare(shortly(scene));
    await ours((await fullRate(scene, url)) * shortly(scene) * 4, shortly(scene) * 4);
    const sides = await inTurns(scene, {
      bare,
      ours: () => ours(most * sizes.seconds * SPARE),
    });
    const what = "POST /invoice/h2h, 1,000 requisites";
    const engineName = engine.name;
    return [
      rowOf({
        ...{ name: "h2h", engine: engineName, what, rivalName: RIVAL },
        ...{ ours: sides.ours, rival: sides.bare },
      }),
    ];
  },
};

export const DOOR_ROWS: readonly RowMaker[] = [
  readRow("create", "POST /invoice/create, every order its own", async () => CREATE),
  h2h,
  readRow("tariffs", "GET tariffs of 1,000 shops", async () => TARIFFS),
  readRow("banks", "GET banks of SBP", async () => BANKS),
  readRow("balance", "GET balance of 1,000 users", async () => BALANCE),
  readRow("info", "GET /invoice/info of 1,000 invoices", issuedInvoices),
];
