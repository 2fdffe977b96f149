// Asking for payouts: the door against plain Fastify with the same door, and one user who asks for all of them
// against a thousand. Nobody sends them meanwhile, as where an operator does it at the desk.

import { bareAt } from "./door-rows.ts";
import type { RequestLine } from "./load.ts";
import { PAYOUTS, PAYOUTS_OF_ONE } from "./requests.ts";
import { group, inTurns, least, type Row } from "./row.ts";
import { newDoor, openPlace, type Place, type Scene } from "./scene.ts";

/** This gateway has done nothing yet, and the way of a payout is long: some 8 s pass until all of it is compiled. */
const WARM_UPS = 3;

/** Everybody has money, and no limit ends a round. */
function openRich(scene: Scene): Promise<Place> {
  return openPlace(scene, async ({ db }) => {
    await db.query("update ledger_balances set available_minor = 1000000000000000", []);
    await db.query("update payout_tariffs set day_sum_minor = null, day_count = null", []);
    await db.query("update rails set paused = true", []);
  });
}

function payoutsAt(
  { load, sizes }: Scene,
  { server: { url } }: Place,
  lines: readonly RequestLine[],
) {
  const { connections } = sizes;
  return (seconds = sizes.seconds) => load.drive({ url, lines, connections, seconds });
}

const payouts: Row<Place> = {
  name: "payouts",
  what: "payouts asked for by 1,000 users",
  goals: { postgres: least(0.3), embedded: null },
  async measure(scene, place) {
    const at = payoutsAt(scene, place, PAYOUTS);
    const bareRound = bareAt(scene, PAYOUTS);
    await bareRound(newDoor(scene));
    await at(WARM_UPS * scene.sizes.warmUpSeconds);
    const { ours, bare } = await inTurns(scene, { bare: () => bareRound(), ours: () => at() });
    return { ours, rival: bare };
  },
};

const ofOneUser: Row<Place> = {
  name: "payouts-one",
  what: "the same, all of one user",
  rivalName: "of 1,000 users",
  goals: { postgres: least(0.9), embedded: null },
  async measure(scene, place) {
    const all = payoutsAt(scene, place, PAYOUTS);
    const one = payoutsAt(scene, place, PAYOUTS_OF_ONE);
    for (const round of [all, one]) await round(newDoor(scene));
    const sides = await inTurns(scene, { all: () => all(), one: () => one() });
    return { ours: sides.one, rival: sides.all };
  },
};

export const PAYOUT_ROWS = group(openRich, [payouts, ofOneUser]);
