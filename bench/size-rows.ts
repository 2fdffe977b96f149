// What is stored must not slow anything down: details and transfers on a database with a million invoices
// and a hundred thousand live payments, beside a small one. And on one of that size which the planner
// believes to be empty: it was analysed before it was filled, and never again.

import { populate } from "./population.ts";
import { type Closable, group, inTurns, least, type Row, rehearse } from "./row.ts";
import { detailsAt, openPlace, type Place, type Scene, serve, transfersAt } from "./scene.ts";
import { storeLive, storeOld } from "./stored.ts";

interface Sizes extends Closable {
  readonly small: Place;
  readonly large: Place;
  readonly cold: Place;
}

/** Nothing is counted in it, so neither the server nor the gateway sees a reason to analyse it. */
const STAYS_COLD = `do $$ begin
  execute format('alter database %I set track_counts = off', current_database());
end $$`;

const KNOWN_ROWS = `
  select max(reltuples)::float8 as rows from pg_class where relname in ('invoices', 'payments')`;

async function openSizes(scene: Scene): Promise<Sizes> {
  const { engine, sizes, say } = scene;
  const unseen = await engine.empty();
  await unseen.open(({ db }) => db.query(STAYS_COLD));
  await unseen.open(async (app) => {
    await app.db.transaction((tx) => populate(tx, app));
    await storeOld(app, sizes.storedInvoices, say);
    await storeLive(app, sizes.livePayments);
    await app.db.query("checkpoint");
  });
  say("  filled");
  const seen = await unseen.copy();
  await seen.open(({ db }) => db.query("vacuum (analyze)"));
  const small = await openPlace(scene);
  const [large, cold] = [await serve(scene, seen), await serve(scene, unseen)];
  const close = async (): Promise<void> => {
    const [known] = await unseen.open(({ db }) => db.query<{ rows: number }>(KNOWN_ROWS));
    if (known?.rows !== 0) throw new Error(`the planner knows of ${known?.rows} rows`);
    for (const place of [small, large, cold]) await place.close();
  };
  return { small, large, cold, close };
}

type Door = (scene: Scene, place: Place) => () => ReturnType<ReturnType<typeof detailsAt>>;

const DOORS: Readonly<Record<string, { readonly what: string; readonly at: Door }>> = {
  h2h: { what: "details", at: (scene, { server }) => detailsAt(scene, [server]) },
  transfers: {
    what: "transfers in lists",
    at: (scene, { server }) => transfersAt(scene, server.url, "in lists"),
  },
};

const STATES = {
  stored: { of: "large", what: "1,000,000 invoices stored, 100,000 payments live" },
  cold: { of: "cold", what: "as many, which the planner's statistics do not know" },
} as const;

function sizeRow(name: string, door: keyof typeof DOORS, state: keyof typeof STATES): Row<Sizes> {
  const { what, at } = DOORS[door] as (typeof DOORS)[string];
  return {
    name,
    what: `${what}; ${STATES[state].what}`,
    rivalName: "a small database",
    ...(door === "h2h" ? {} : { unit: "transfers/s" }),
    goals: { postgres: least(0.9) },
    async measure(scene, places) {
      const [ours, small] = [at(scene, places[STATES[state].of]), at(scene, places.small)];
      await rehearse(scene, small, ours);
      const sides = await inTurns(scene, { small, ours });
      return { ours: sides.ours, rival: sides.small };
    },
  };
}

export const SIZES = group(openSizes, [
  sizeRow("stored-h2h", "h2h", "stored"),
  sizeRow("stored-transfers", "transfers", "stored"),
  sizeRow("cold-h2h", "h2h", "cold"),
  sizeRow("cold-transfers", "transfers", "cold"),
]);
