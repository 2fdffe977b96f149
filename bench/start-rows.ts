// How long the embedded engine takes until the gateway is ready: the first time in an empty folder, and
// every later time.

import { group, most, type Row } from "./row.ts";
import type { Scene } from "./scene.ts";
import { type Database, startServer } from "./stage.ts";

interface Folder {
  readonly database: Database;
  close(): Promise<void>;
}

async function openFolder({ engine }: Scene): Promise<Folder> {
  const database = await engine.nothing();
  return { database, close: () => database.drop() };
}

async function secondsToStart(database: Database): Promise<number> {
  const startedAt = performance.now();
  const server = await startServer(database);
  const seconds = (performance.now() - startedAt) / 1000;
  await server.stop();
  return seconds;
}

const first: Row<Folder> = {
  name: "first-start",
  what: "ready after a first start in an empty folder",
  unit: "s",
  goals: { embedded: most(6, "figure") },
  measure: async (_, { database }) => ({ ours: { rounds: [await secondsToStart(database)] } }),
};

const later: Row<Folder> = {
  name: "later-start",
  what: "ready after every later start",
  unit: "s",
  goals: { embedded: most(1.5, "figure") },
  async measure({ sizes }, { database }) {
    // Where it is the only row, the folder is still empty.
    await secondsToStart(database);
    const rounds: number[] = [];
    while (rounds.length < sizes.rounds) rounds.push(await secondsToStart(database));
    return { ours: { rounds } };
  },
};

export const STARTS = group(openFolder, [first, later]);
