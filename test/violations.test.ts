// The check of the books can fail: each planted corruption is found under its own number, by the one look
// at everything and by the one that goes piece by piece, which is what kopeck verify does.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { momentFormat } from "../src/domain/moment.ts";
import type { RailAnswer } from "../src/domain/payout-attempt.ts";
import { checkBooks } from "../src/features/ledger/check-books.ts";
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

  it("compiles no statement, also in a transaction of somebody else's, as kopeck copy has one", async () => {
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
