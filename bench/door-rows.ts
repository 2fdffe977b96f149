// The doors that merchants and banks call, each against plain Fastify with the same door, and whole lives
// of payments; all on one gateway, whose books are looked at when it has stopped.

import { setTimeout as sleep } from "node:timers/promises";
import { findViolations } from "../src/features/ledger/queries.ts";
import { OPERATOR_TOKEN } from "../test/manage.ts";
import type { RequestLine } from "./load.ts";
import { SHOPS } from "./population.ts";
import {
  ANY_DETAILS,
  ANY_TRANSFER,
  BALANCE,
  BANKS,
  CREATE,
  detailsLine,
  infoLine,
  TARIFFS,
} from "./requests.ts";
import { residentMb } from "./resident.ts";
import { group, inTurns, least, most, type Row, rateOf, rehearse } from "./row.ts";
import {
  createAt,
  detailsAt,
  fullRate,
  newDoor,
  openPlace,
  type Place,
  type Scene,
  someInvoices,
  transfersAt,
  warmUp,
} from "./scene.ts";

type Lines = readonly RequestLine[];

/** Rounds at the bare route. */
export function bareAt({ load, sizes, bareUrl: url }: Scene, lines: Lines) {
  const { connections } = sizes;
  return (seconds = sizes.seconds) => load.drive({ url, lines, connections, seconds });
}

/** A door that the same requests may be sent to again and again. */
const same = (
  row: Omit<Row<Place>, "measure">,
  linesOf: (scene: Scene, place: Place) => Promise<Lines>,
): Row<Place> => ({
  ...row,
  async measure(scene, place) {
    const lines = await linesOf(scene, place);
    const { load, sizes } = scene;
    const { url } = place.server;
    const at = (seconds = sizes.seconds) =>
      load.drive({ url, lines, connections: sizes.connections, seconds });
    const bareRound = bareAt(scene, lines);
    for (const round of [bareRound, at]) await round(newDoor(scene));
    const { ours, bare } = await inTurns(scene, { bare: () => bareRound(), ours: () => at() });
    return { ours, rival: bare };
  },
});

async function issuedInvoices(scene: Scene, { server: { url } }: Place): Promise<Lines> {
  const invoices = await someInvoices(scene, url);
  const lines = invoices.map(detailsLine);
  const { connections } = scene.sizes;
  await scene.load.drive({ url, lines, each: "to the last answer", connections, seconds: 60 });
  return invoices.map(infoLine);
}

const details: Row<Place> = {
  name: "h2h",
  what: "details, 1,000 requisites",
  goals: { postgres: least(0.45), embedded: least(0.25) },
  async measure(scene, { server }) {
    const at = detailsAt(scene, [server]);
    const bareRound = bareAt(scene, ANY_DETAILS);
    await bareRound(newDoor(scene));
    await rehearse(scene, at);
    const { ours, bare } = await inTurns(scene, { bare: () => bareRound(), ours: at });
    return { ours, rival: bare };
  },
};

const transfers = (how: "in lists" | "singly", row: Omit<Row<Place>, "measure">): Row<Place> => ({
  ...row,
  async measure(scene, { server }) {
    const at = transfersAt(scene, server.url, how);
    const bareRound = bareAt(scene, ANY_TRANSFER);
    await bareRound(newDoor(scene));
    await rehearse(scene, at);
    const { ours, bare } = await inTurns(scene, { bare: () => bareRound(), ours: at });
    return { ours, rival: bare };
  },
});

const toOneUser: Row<Place> = {
  name: "transfers-one",
  what: "the same, all to one user",
  unit: "transfers/s",
  rivalName: "over 1,000 users",
  goals: { postgres: least(0.9), embedded: least(0.9) },
  async measure(scene, { server: { url } }) {
    const all = transfersAt(scene, url, "in lists");
    const one = transfersAt(scene, url, "in lists", true);
    await rehearse(scene, all, one);
    const sides = await inTurns(scene, { all, one });
    return { ours: sides.one, rival: sides.all };
  },
};

const HEARD_WITHIN_MS = 120_000;

/** Payments a second, from the first request to the arrival of the last webhook. */
async function wholeLives(scene: Scene, url: string, seconds: number): Promise<number> {
  const { load, receivers, sizes, askReceivers } = scene;
  await askReceivers("forget");
  const lived = await load.live({
    url,
    shops: SHOPS,
    steps: 3,
    hooks: receivers.hooks,
    connections: sizes.connections,
    until: { seconds },
    operatorToken: OPERATOR_TOKEN,
  });
  const endAt = performance.now() + HEARD_WITHIN_MS;
  let heard = await askReceivers("count");
  while (heard.distinct < lived.finished) {
    if (performance.now() > endAt) {
      throw new Error(`${heard.distinct} of ${lived.finished} webhooks arrived in two minutes`);
    }
    await sleep(20);
    heard = await askReceivers("count");
  }
  return (lived.finished * 1000) / (heard.lastAtMs - lived.startedAtMs);
}

const life: Row<Place> = {
  name: "life",
  what: "whole payments: create, details, transfer, webhook received",
  unit: "payments/s",
  rivalName: "bare create",
  goals: { postgres: least(800, "figure"), embedded: least(300, "figure") },
  async measure(scene, { server: { url } }) {
    const { sizes, bareUrl, receivers } = scene;
    await wholeLives(scene, url, sizes.warmUpSeconds / 2);
    const [ours, bare]: [number[], number[]] = [[], []];
    for (let round = 0; round < sizes.rounds; round += 1) {
      bare.push(rateOf(await createAt(scene, bareUrl)));
      ours.push(await wholeLives(scene, url, sizes.seconds * 2));
    }
    const note = `${receivers.hooks.length} receivers`;
    return { ours: { rounds: ours }, rival: { rounds: bare }, note };
  },
};

const halfLoad: Row<Place> = {
  name: "half-load",
  what: "p99 of create at half of the gateway's rate",
  unit: "p99 ms",
  rivalName: "bare Fastify at that rate",
  goals: { postgres: most(3), embedded: null },
  async measure(scene, { server: { url } }) {
    const ratePerSecond = (await fullRate(scene, url)) / 2;
    const paced = (at: string) => () =>
      createAt(scene, at, { seconds: scene.sizes.pacedSeconds, ratePerSecond });
    const { ours, bare } = await inTurns(
      scene,
      { bare: paced(scene.bareUrl), ours: paced(url) },
      ({ p99Ms }) => p99Ms,
    );
    return { ours, rival: bare, note: `${ratePerSecond.toFixed(0)} requests/s` };
  },
};

const memory: Row<Place> = {
  name: "memory",
  what: "resident memory of the gateway after all of the above",
  unit: "MB",
  goals: { postgres: most(250, "figure"), embedded: most(600, "figure") },
  measure: async (_, { server }) => ({ ours: { rounds: [residentMb(server.pid)] } }),
};

const READ = { postgres: least(0.8), embedded: least(0.8) };
const CREDIT = { postgres: least(0.4), embedded: least(0.2) };

async function openMain(scene: Scene): Promise<Place> {
  const place = await openPlace(scene);
  // A gateway gets faster for about ten seconds.
  await warmUp(scene, place.server.url);
  const close = async (): Promise<void> => {
    await place.server.stop();
    const wrong = await place.database.open(({ db, clock }) => findViolations(db, clock.now()));
    if (wrong.length > 0) throw new Error(`the books are wrong: ${JSON.stringify(wrong)}`);
    await place.database.drop();
  };
  return { ...place, close };
}

export const DOORS = group(openMain, [
  same(
    { name: "create", what: "create", goals: { postgres: least(0.75), embedded: least(0.65) } },
    async () => CREATE,
  ),
  details,
  same({ name: "tariffs", what: "tariffs of 1,000 shops", goals: READ }, async () => TARIFFS),
  same({ name: "banks", what: "the list of banks", goals: READ }, async () => BANKS),
  same({ name: "balance", what: "balances of 1,000 users", goals: READ }, async () => BALANCE),
  same({ name: "info", what: "info of 1,000 invoices", goals: READ }, issuedInvoices),
  transfers("in lists", {
    name: "transfers",
    what: "transfers that pay, in lists of 100",
    unit: "transfers/s",
    rivalName: "bare Fastify, one a request",
    goals: CREDIT,
  }),
  transfers("singly", {
    name: "transfers-single",
    what: "transfers that pay, one a request",
    unit: "transfers/s",
    goals: CREDIT,
  }),
  toOneUser,
  life,
  halfLoad,
  memory,
]);
