// The check of the books can fail: each planted corruption is found under its own number, by the one look
// at everything and by the one that goes piece by piece, which is what kopeck verify does.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { momentFormat } from "../src/domain/moment.ts";
import type { RailAnswer } from "../src/domain/payout.ts";
import { checkBooks } from "../src/features/ledger/check-books.job.ts";
import { findViolations } from "../src/features/ledger/queries.ts";
import { claimPayouts, recordAnswers } from "../src/features/payouts/attempts.ts";
import { lockPayouts } from "../src/features/payouts/queries.ts";
import { movePayouts } from "../src/features/payouts/settle.ts";
import { assertBooksAreRight } from "./books.ts";
import { CORRUPTIONS, GUARDED, UNGUARDED } from "./corruptions.ts";
import { onOneEngine, openTestGateway, type TestGateway } from "./gateway.ts";
import { applyImports } from "./imports.ts";
import { liveALittle } from "./little-life.ts";
import { manage } from "./manage.ts";
import { orders } from "./orders.ts";
import { cardEndingIn, pauseRail, payouts } from "./payouts.ts";
import { statement1c } from "./statement-file.ts";
import { CHANGED_ROWS, UNSEEN } from "./unseen-columns.ts";

/** That the ledger can be changed is what is planted there. */
const STAYS_UNGUARDED = 2;

/** Of the money that waits, which somebody has told of, and of money that left. */
async function bringStatement(gateway: TestGateway): Promise<void> {
  const day = momentFormat(gateway.app.config.timeZone).day(gateway.app.clock.now());
  const days = { [day]: [{ sum: 1 }, { sum: -7 }] };
  const file = statement1c([{ account: "40817810000000000101", days, opening: 10 }]);
  const content = Buffer.from(file).toString("base64");
  await manage(gateway).post("imports", { filename: "kl_to_1c.txt", content });
  await applyImports(gateway);
}

/** What was there before, own money that came, and fees that the operator takes. */
async function takeOwn(gateway: TestGateway): Promise<void> {
  const own = manage(gateway);
  const told = { wallet: "2202200000000007", amount: 3, reference: "own" };
  const { transfer_id, requisite_id } = await own.post("transfers", told);
  const about = { reason: "own", reference: "1" };
  await own.post("own-moves", { ...about, kind: "deposit", transfer_id, amount: 3 });
  await own.post("own-moves", { ...about, kind: "opening", requisite_id, amount: 10 });
  await own.post("own-moves", { ...about, kind: "withdrawal", account: "fees", amount: 1 });
}

/** Payouts in every state that the books know: in line, unknown, failed, done, and come back. */
async function payOut(gateway: TestGateway): Promise<void> {
  const { app } = gateway;
  const user = payouts(gateway, orders(gateway));
  await pauseRail(gateway);
  await user.earn(2);
  const send = async (digits: string, answer?: RailAnswer): Promise<string> => {
    const id = await user.made({ wallet_to: cardEndingIn(digits), subtract: 1 });
    if (answer === undefined) return id;
    const desk = {
      rail: "desk",
      services: ["card"],
      limit: 1,
      leaseSeconds: 60,
      isDispatched: true,
    };
    await app.db.transaction(async (tx) => {
      await claimPayouts(tx, app, { ...desk, payoutIds: [id] });
      await recordAnswers(tx, app, [{ payoutId: id, number: 1, answer }]);
    });
    return id;
  };
  await send("0010");
  await send("0020", { kind: "unknown", detail: "no answer" });
  await send("0030", { kind: "not_sent", reason: "recipient_not_found", retry: false });
  await send("0040", { kind: "sent", reference: "proof" });
  const back = await send("0050", { kind: "sent", reference: "proof of another" });
  await app.db.transaction(async (tx) => {
    const moves = (await lockPayouts(tx, [back])).map((payout) => ({ payout }));
    await movePayouts(
      tx,
      app,
      moves.map((move) => ({ ...move, to: "returned" })),
    );
  });
  const own = manage(gateway);
  const told = { wallet: "2202200000000007", amount: 100, reference: "came back" };
  const { transfer_id } = await own.post("transfers", told);
  await own.post(`payouts/${back}/return`, { reason: "came back", transfer_id });
}

const OWNERS: Readonly<Record<string, string>> = {
  user_id: "users",
  shop_id: "shops",
  requisite_id: "requisites",
};

/** Another value that a column of this name and type could have; undefined where none is tried. */
function otherValue(name: string, type: string): string | undefined {
  const owners = OWNERS[name];
  if (owners !== undefined) return `(select id from ${owners} where id <> ${name} limit 1)`;
  if (name === "currency") return "'USD'";
  return {
    bigint: `${name} + 1`,
    integer: `${name} + 1`,
    smallint: `${name} + 1`,
    text: `${name} || 'x'`,
    boolean: `not ${name}`,
    date: `${name} + 3`,
    "timestamp with time zone": `${name} + interval '3 days'`,
    uuid: "'00000000-0000-4000-8000-00000000ffff'::uuid",
  }[type];
}

onOneEngine("the check of the books", (engine) => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await openTestGateway(engine);
    await payOut(gateway);
    await liveALittle(gateway);
    await bringStatement(gateway);
    await takeOwn(gateway);
    await assertBooksAreRight(gateway);
  });
  after(async () => {
    await assertBooksAreRight(gateway);
    await gateway.stop();
  });

  it("compiles no statement, also in a transaction of somebody else's", async () => {
    const { db, clock } = gateway.app;
    const compiles = await db.transaction(async (tx) => {
      await checkBooks(
        (work) => work(tx),
        clock,
        100,
        () => {},
      );
      return tx.query("select current_setting('jit') as jit");
    });
    assert.deepEqual(compiles, [{ jit: "off" }]);
  });

  it("sees each column that is changed alone, but for those that are named", async () => {
    const { db, clock } = gateway.app;
    const unseen = new Set<string>();
    const plant = db.transaction(async (tx) => {
      await tx.query("set local session_replication_role = replica; set local jit = off");
      const columns = await tx.query<{ table: string; name: string; type: string }>(
        `select table_name as table, column_name as name, data_type as type
         from information_schema.columns
         where table_schema = current_schema() and table_name = any($1)`,
        [Object.keys(CHANGED_ROWS)],
      );
      /** Refused by a constraint, or seen: both will do. */
      const isSeen = async (table: string, where: string, name: string, value: string) => {
        try {
          const changed = await tx.query(
            `update ${table} set ${name} = ${value} where ctid = (
               select ctid from ${table} where ${where} and ${name} is not null limit 1)
             returning 1`,
          );
          if (changed.length === 0) return true;
        } catch (error) {
          if (/^23/.test((error as { code: string }).code)) return true;
          throw error;
        }
        return (await findViolations(tx, clock.now(), 1)).length > 0;
      };
      for (const { table, name, type } of columns) {
        const value = otherValue(name, type);
        for (const where of value === undefined ? [] : (CHANGED_ROWS[table] ?? [])) {
          await tx.query("savepoint before");
          if (!(await isSeen(table, where, name, value ?? ""))) unseen.add(`${table}.${name}`);
          await tx.query("rollback to before");
        }
      }
      throw new Error("planted");
    });
    await assert.rejects(plant, /planted/);
    const named = Object.values(UNSEEN).flatMap((tables) =>
      Object.entries(tables).flatMap(([table, names]) =>
        names.split(" ").map((name) => `${table}.${name}`),
      ),
    );
    assert.deepEqual([...unseen].toSorted(), named.toSorted());
  });

  for (const [invariant, corruptions] of Object.entries(CORRUPTIONS)) {
    for (const [name, sql] of Object.entries(corruptions)) {
      it(`finds that ${name} (${invariant})`, async () => {
        const { db, clock } = gateway.app;
        const later = new Date(clock.now().getTime() + 10_000);
        const found: number[][] = [];
        const plant = db.transaction(async (tx) => {
          await tx.query(UNGUARDED + sql);
          if (Number(invariant) !== STAYS_UNGUARDED) await tx.query(GUARDED);
          const whole = await findViolations(tx, later);
          const look = <Result>(work: (db: typeof tx) => Promise<Result>) => work(tx);
          const pieces = await checkBooks(look, { now: () => later }, 100, () => {});
          for (const all of [whole, pieces]) found.push(all.map((one) => one.invariant));
          throw new Error("planted");
        });
        await assert.rejects(plant, /planted/);
        for (const all of found) assert.ok(all.includes(Number(invariant)), String(found));
      });
    }
  }
});
