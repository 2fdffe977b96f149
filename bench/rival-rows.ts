// Our create against other ways to do it: one query per step, the database alone, two of ourselves; and
// what a caller feels when nothing is at its limit.

import { hash } from "node:crypto";
import { join } from "node:path";
import { addInvoices, type NewInvoice } from "../src/features/invoices/queries.ts";
import type { App } from "../src/platform/app.ts";
import type { Loaded } from "./load-driver.ts";
import { cores } from "./machine.ts";
import { ask, startPart } from "./part.ts";
import { SHOPS, USER_IDS } from "./population.ts";
import { residentMb } from "./resident.ts";
import { rowOf } from "./row.ts";
import type { RowMaker } from "./row-maker.ts";
import { createAt, createPaced, fullRate, inTurns, rateOf, warmUp } from "./scene.ts";
import { startServer } from "./stage.ts";

const straightforward: RowMaker = {
  names: ["straightforward"],
  engines: ["postgres"],
  async measure(scene) {
    const { gateway, database, engine } = scene;
    const part = startPart(join(import.meta.dirname, "straightforward.ts"));
    try {
      const url = await ask<string>(part, { databaseUrl: database.env["DATABASE_URL"] });
      await warmUp(scene, url);
      const { ours, rival } = await inTurns(scene, {
        rival: () => createAt(scene, url),
        ours: () => createAt(scene, gateway.url),
      });
      const what = "POST /invoice/create";
      const rivalName = "one query per step";
      return [
        rowOf({ name: "straightforward", engine: engine.name, what, ours, rival, rivalName }),
      ];
    } finally {
      part.kill();
    }
  },
};

const SET = 64;

const rawInsert: RowMaker = {
  names: ["raw-insert"],
  quickOn: ["postgres"],
  async measure(scene) {
    const { gateway, engine, sizes } = scene;
    const database = await engine.database();
    const ours = { rounds: [await fullRate(scene, gateway.url)] };
    const rounds = await database.open(async (app) => {
      const all: number[] = [];
      await insertFor(app, sizes.warmUpSeconds / 3);
      while (all.length < sizes.rounds) all.push(await insertFor(app, sizes.seconds));
      return all;
    });
    await database.drop();
    const what = "invoices created, against rows written in sets of 64 on one connection";
    const shared = { name: "raw-insert", engine: engine.name, unit: "rows/s" } as const;
    return [rowOf({ ...shared, what, ours, rival: { rounds }, rivalName: "the database alone" })];
  },
};

async function insertFor(app: App, seconds: number): Promise<number> {
  const startedAt = performance.now();
  let rows = 0;
  while (performance.now() - startedAt < seconds * 1000) {
    const set = Array.from({ length: SET }, (_, index) => rawInvoice(app, rows + index));
    await addInvoices(app.db, set, app.clock.now());
    rows += SET;
  }
  return (rows * 1000) / (performance.now() - startedAt);
}

function rawInvoice({ newId, clock }: App, index: number): NewInvoice {
  const id = newId();
  return {
    ...{ id, shopId: SHOPS[index % SHOPS.length]?.id ?? "", orderId: id, type: "direct" },
    userId: USER_IDS[index % USER_IDS.length] ?? "",
    contentDigest: hash("sha256", id, "hex"),
    ...{ amountMinor: 100_000n, currency: "RUB", services: ["p2p_card"] },
    ...{ successUrl: "https://shop.example/ok", failUrl: null, hookUrl: null, email: null },
    ...{ comment: null, customFields: null },
    expiresAt: new Date(clock.now().getTime() + 5 * 60 * 60 * 1000),
  };
}

const twoProcesses: RowMaker = {
  names: ["two-processes"],
  engines: ["postgres"],
  async measure(scene) {
    const { gateway, database, engine } = scene;
    const other = await startServer(database);
    try {
      await warmUp(scene, other.url);
      const connections = scene.sizes.connections / 2;
      const both = async (): Promise<Loaded> => {
        const urls = [gateway.url, other.url];
        const [left, right] = await Promise.all(
          urls.map((url) => createAt(scene, url, { connections })),
        );
        if (left === undefined || right === undefined) throw new Error("no figures");
        const rate = rateOf(left) + rateOf(right);
        const answered = left.answered + right.answered;
        return { ...left, answered, seconds: answered / rate };
      };
      const { ours, one } = await inTurns(scene, {
        one: () => createAt(scene, gateway.url),
        ours: both,
      });
      const few = cores() < 4;
      const note = few
        ? `cores do not allow: gateways, database and load share ${cores()}`
        : `${cores()} cores`;
      const what = "POST /invoice/create, two gateways on one database";
      const shared = { name: "two-processes", engine: engine.name, what, note } as const;
      return [rowOf({ ...shared, ours, rival: one, rivalName: "one gateway" })];
    } finally {
      await other.stop();
    }
  },
};

const halfLoad: RowMaker = {
  names: ["half-load"],
  async measure(scene) {
    const { gateway, bareUrl, engine } = scene;
    const rates = {
      ours: await fullRate(scene, gateway.url),
      bare: await fullRate(scene, bareUrl),
    };
    const { ours, bare } = await inTurns(
      scene,
      {
        bare: () => createPaced(scene, bareUrl, rates.bare),
        ours: () => createPaced(scene, gateway.url, rates.ours),
      },
      ({ p99Ms }) => p99Ms,
    );
    const name = "half-load";
    const what = "p99 of create at half of what it can do";
    const note = `${(rates.ours / 2).toFixed(0)} and ${(rates.bare / 2).toFixed(0)} requests/s`;
    const shared = { name, engine: engine.name, what, note, unit: "p99 ms" } as const;
    return [rowOf({ ...shared, ours, rival: bare, rivalName: "bare Fastify at half of its own" })];
  },
};

const LIMIT_MB = { postgres: 250, embedded: 600 } as const;

const memory: RowMaker = {
  names: ["memory"],
  async measure({ gateway, engine }) {
    const name = engine.name;
    const what = "resident memory of the gateway after all of the above";
    const ours = { rounds: [residentMb(gateway.pid)] };
    const rival = { rounds: [LIMIT_MB[name]] };
    const shared = { name: "memory", engine: name, what, unit: "MB" } as const;
    return [rowOf({ ...shared, ours, rival, rivalName: "limit" })];
  },
};

export const RIVAL_ROWS: readonly RowMaker[] = [
  straightforward,
  rawInsert,
  halfLoad,
  twoProcesses,
  memory,
];
