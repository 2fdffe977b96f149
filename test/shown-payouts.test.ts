// Payouts that a bank's statement shows to have left, and that the gateway had not sent, or had by another attempt:
// nothing sends them again, nothing gives their money back, and nobody is left untold.

import assert from "node:assert/strict";
import { after, afterEach, before, it } from "node:test";
import { momentFormat } from "../src/domain/moment.ts";
import { documentOf } from "../src/domain/payout-file.ts";
import { assertBooksAreRight } from "./books.ts";
import { freshAmount, freshReference, openDesk } from "./desk.ts";
import { onOneEngine, onPostgres, openTestGateway, type TestGateway } from "./gateway.ts";
import { applyImports } from "./imports.ts";
import { type Manage, manage } from "./manage.ts";
import { DAY, MINUTE, type Orders, orders } from "./orders.ts";
import { insistent } from "./patience.ts";
import { cardEndingIn, payouts, resumeRail } from "./payouts.ts";
import { statement1c } from "./statement-file.ts";

const reason = "The bank was asked";

/** Whoever brings statements, each of a day, told whole: with what earlier ones had of it. */
function bank(gateway: TestGateway) {
  const told = new Map<string, { sum: number; purpose: string; number: string }[]>();
  const own = manage(insistent(gateway));
  let lines = 0;
  const dayAgo = (days: number): string =>
    momentFormat(gateway.app.config.timeZone).day(
      new Date(gateway.app.clock.now().getTime() - days * DAY * 1000),
    );
  const file = (day: string): string => {
    const text = statement1c([
      { account: "40817810000000000101", days: { [day]: told.get(day) ?? [] } },
    ]);
    return Buffer.from(text).toString("base64");
  };
  return {
    /** What left so many days ago, by the names of payouts. */
    async bring(
      days: number,
      left: readonly (readonly [id: string, sum: number, words?: string])[],
    ) {
      const day = dayAgo(days);
      const fresh = left.map(([id, sum, words = ""]) => {
        lines += 1;
        const purpose = `Выплата ${documentOf(id)} ${words}`.trim();
        return { sum: -sum, purpose, number: String(lines) };
      });
      told.set(day, [...(told.get(day) ?? []), ...fresh]);
      const wish = { filename: `${lines}.txt`, content: file(day) };
      const { import_id } = await own.post("imports", wish);
      await applyImports(gateway);
      const { items } = await own.get(`lines?import_id=${import_id}&limit=200`);
      return items as { line_id: string; outcome: string; payout_id: string }[];
    },
    /** The next file of that day has nothing of what was told of it. */
    forget(days: number): void {
      told.delete(dayAgo(days));
    },
    async unexplained(): Promise<string[]> {
      const { items } = await own.get("lines?unexplained=true&limit=200");
      return items.map((one: { payout_id: string }) => one.payout_id);
    },
  };
}

onOneEngine("a payout that a statement shows to have left", (engine) => {
  let gateway: TestGateway;
  let trade: Orders;
  let user: ReturnType<typeof payouts>;
  let [own, anna, boris]: Manage[] = [];
  let statements: ReturnType<typeof bank>;
  before(async () => {
    // Jobs run when time passes: what a test sees in between is what a claim would meet.
    gateway = await openTestGateway(engine, {}, { jobs: [] });
    trade = orders(gateway);
    own = manage(gateway);
    ({ anna, boris } = await openDesk(gateway));
    user = payouts(gateway, trade);
    statements = bank(gateway);
    await user.earn(3, 90_000);
  });
  after(() => gateway.stop());
  afterEach(() => assertBooksAreRight(gateway));

  const at = (who: Manage | undefined): Manage => who ?? assert.fail();
  const told = (path: string, body: unknown = {}) => at(own).ask(path, body);
  const whole = (id: string) => at(own).get(`payouts/${id}`);
  const stateOf = async (id: string): Promise<string> => (await whole(id)).payout.state;
  const figure = async (name: string): Promise<number> => {
    const text = await gateway.app.metrics.text();
    return Number(new RegExp(`^${name}\\S* (.*)$`, "m").exec(text)?.[1] ?? 0);
  };
  const postings = async (id: string, kind = "payout_done"): Promise<number> =>
    (await whole(id)).postings.filter((one: { kind: string }) => one.kind === kind).length;
  /** One in line, of an amount of its own, subtracted from itself: so much arrives. */
  const asked = async (changes: Record<string, unknown> = {}): Promise<[string, number]> => {
    const id = await user.made({ amount: freshAmount() + 100, ...changes });
    return [id, (await whole(id)).payout.receive];
  };

  it("in line and never tried: no rail, no hand and no file takes it, and it is done once, by the line", async () => {
    const shown = await asked({ wallet_to: cardEndingIn("01") });
    const [id] = shown;
    const [line] = await statements.bring(0, [shown]);
    assert.deepEqual([line?.outcome, line?.payout_id], ["outflow", id]);
    assert.match(gateway.log.join(""), /a statement shows a payout to have left/);
    assert.equal((await told(`payouts/${id}/take`)).status, 422);
    const wish = { format: "csv", payout_ids: [id] };
    assert.equal((await told("payout-batches", wish)).status, 422);
    assert.equal((await told("payout-batches", { format: "csv" })).status, 422, "nothing in line");
    assert.equal((await user.cancel(id)).status, 422);
    assert.equal((await told(`payouts/${id}/refuse`, { reason })).status, 422);
    await resumeRail(gateway);
    await trade.pass(MINUTE);
    await openDesk(gateway);
    const { payout, attempts, timeline } = await whole(id);
    assert.deepEqual([payout.state, payout.bank_reference], ["done", null]);
    assert.equal(await postings(id), 1);
    assert.deepEqual(
      attempts.map((one: { rail: string; state: string }) => [one.rail, one.state]),
      [["desk", "sent"]],
    );
    assert.match(timeline.at(-1).detail, new RegExp(`proven by line ${line?.line_id}`));
    assert.ok(timeline.some((one: { what: string }) => one.what === "sent elsewhere"));
    assert.deepEqual(await statements.unexplained(), []);
  });

  it("held: neither given back nor let go by time; approved it is done by the line, and never in line", async () => {
    const shown = await asked({ amount: 50_001 });
    const [id] = shown;
    await statements.bring(0, [shown]);
    const words = /^A statement shows this payout to have left/;
    for (const answer of [await user.cancel(id), await told(`payouts/${id}/refuse`, { reason })]) {
      assert.equal(answer.status, 422, answer.text);
      assert.match([answer.body.error].flat().join(), words);
    }
    await trade.pass(4 * DAY);
    assert.equal(await stateOf(id), "held");
    assert.deepEqual(await statements.unexplained(), [id]);
    const { timeline } = await whole(id);
    assert.ok(timeline.some((one: { what: string }) => one.what === "sent elsewhere"));
    await resumeRail(gateway);
    await at(boris).post(`payouts/${id}/approve`);
    assert.equal((await told(`payouts/${id}/take`)).status, 422);
    await trade.pass(MINUTE);
    await openDesk(gateway);
    assert.deepEqual([await stateOf(id), await postings(id)], ["done", 1]);
    assert.equal((await whole(id)).payout.attempts, 1);
  });

  it("by a line that waited, and of which a person says that the money left: in line no longer, nor given back", async () => {
    const [first, shown, held] = [await asked(), await asked(), await asked({ amount: 50_003 })];
    await statements.bring(9, [first]);
    statements.forget(9);
    const lines = await statements.bring(9, [shown, held]);
    assert.deepEqual(new Set(lines.map(({ outcome }) => outcome)), new Set(["changed"]));
    assert.deepEqual(
      new Set(lines.map(({ payout_id }) => payout_id)),
      new Set([shown[0], held[0]]),
    );
    for (const { line_id } of lines) {
      const decided = await at(own).post(`lines/${line_id}/decide`, {
        decision: "book",
        kind: "outflow",
        reason,
      });
      assert.ok([shown[0], held[0]].includes(decided.payout_id), "it is of the payout still");
    }
    assert.equal((await told(`payouts/${shown[0]}/take`)).status, 422);
    assert.equal((await user.cancel(held[0])).status, 422);
    await resumeRail(gateway);
    await trade.pass(MINUTE);
    await openDesk(gateway);
    assert.deepEqual([await stateOf(shown[0]), await postings(shown[0])], ["done", 1]);
    assert.equal((await whole(shown[0])).attempts[0].rail, "desk", "no rail was asked");
    assert.equal(await stateOf(held[0]), "held");
    await at(boris).post(`payouts/${held[0]}/approve`);
    await trade.pass(MINUTE);
    assert.deepEqual([await stateOf(held[0]), await postings(held[0])], ["done", 1]);
    assert.deepEqual(await statements.unexplained(), []);
  });

  it("held, and the line is no payout's after all: it is refused as any other", async () => {
    const shown = await asked({ amount: 50_002 });
    const [id] = shown;
    const [line] = await statements.bring(0, [shown]);
    await at(own).post(`lines/${line?.line_id}/decide`, { decision: "book", kind: "own", reason });
    await at(anna).post(`payouts/${id}/refuse`, { reason });
    assert.equal(await stateOf(id), "canceled");
    const back = { bank_reference: freshReference(), reason };
    assert.equal((await told(`payouts/${id}/recover`, back)).status, 422);
  });

  it("held past its time, and the line is no payout's after all: the hold ends by itself", async () => {
    const shown = await asked({ amount: 50_004 });
    const [id] = shown;
    const [line] = await statements.bring(0, [shown]);
    await trade.pass(4 * DAY);
    assert.equal(await stateOf(id), "held");
    await at(own).post(`lines/${line?.line_id}/decide`, { decision: "book", kind: "own", reason });
    await trade.pass(MINUTE);
    assert.equal(await stateOf(id), "canceled");
  });

  it("canceled before anybody had it, and the line came later: it is recovered, once", async () => {
    const shown = await asked();
    const [id] = shown;
    await user.cancel(id);
    const back = { bank_reference: freshReference(), reason };
    const never = await told(`payouts/${id}/recover`, back);
    assert.match(never.text, /Nobody has ever had this payout to send/);
    await statements.bring(0, [shown]);
    await trade.pass(0);
    assert.deepEqual([await stateOf(id), await statements.unexplained()], ["canceled", [id]]);
    await at(anna).post(`payouts/${id}/recover`, back);
    assert.deepEqual([await stateOf(id), await postings(id, "payout_recovered")], ["done", 1]);
    assert.deepEqual(await statements.unexplained(), []);
    assert.equal((await told(`payouts/${id}/recover`, back)).status, 422);
  });

  it("a line older than the open attempt is of the one before: that is told, and its holder does not send", async () => {
    const shown = await asked();
    const [id] = shown;
    await at(anna).post(`payouts/${id}/take`);
    await at(anna).post(`payouts/${id}/not-sent`, { reason, retry: true });
    await trade.pass(2 * DAY);
    await at(boris).post(`payouts/${id}/take`);
    const alarms = await figure("kopeck_lines_unexplained_total");
    await statements.bring(2, [shown]);
    assert.equal(await figure("kopeck_lines_unexplained_total"), alarms + 1);
    const left = await at(boris).refused(`payouts/${id}/take`, {});
    assert.match(String(left[1]), /^An earlier attempt is said to have left after all/);
    await trade.pass(0);
    assert.deepEqual([await stateOf(id), await statements.unexplained()], ["sending", [id]]);
    await at(boris).post(`payouts/${id}/sent`, { bank_reference: freshReference() });
    assert.deepEqual(await statements.unexplained(), [id], "it left twice");
    const { attempts } = await whole(id);
    const states = attempts.map((one: { state: string }) => one.state);
    assert.deepEqual([states, await postings(id)], [["not_sent", "sent"], 1]);
  });

  it("a line older than any attempt proves none: the open one stays open, and once it has not left it is done", async () => {
    const [one, other] = [await asked(), await asked()];
    for (const [id] of [one, other]) await at(boris).post(`payouts/${id}/take`);
    await statements.bring(2, [one, other]);
    await trade.pass(0);
    for (const [id] of [one, other]) {
      assert.equal(await stateOf(id), "sending");
      assert.equal((await at(boris).refused(`payouts/${id}/take`, {}))[0], 422);
    }
    assert.equal((await statements.unexplained()).filter((id) => id === one[0]).length, 1);
    await at(boris).post(`payouts/${one[0]}/not-sent`, { reason });
    await at(boris).post(`payouts/${other[0]}/sent`, { bank_reference: freshReference() });
    await trade.pass(0);
    assert.deepEqual([await stateOf(one[0]), await postings(one[0])], ["done", 1]);
    assert.deepEqual([await stateOf(other[0]), await postings(other[0])], ["done", 1]);
    const shown = await statements.unexplained();
    assert.deepEqual([shown.includes(one[0]), shown.includes(other[0])], [false, true]);
  });

  it("told by hand before its line came, of an earlier day: by the reference it is the same money", async () => {
    const [id, sum] = await asked();
    await at(boris).post(`payouts/${id}/take`);
    const bank_reference = freshReference();
    await at(boris).post(`payouts/${id}/sent`, { bank_reference });
    const alarms = await figure("kopeck_lines_unexplained_total");
    await statements.bring(2, [[id, sum, bank_reference]]);
    assert.equal(await figure("kopeck_lines_unexplained_total"), alarms);
    const { attempts } = await whole(id);
    assert.deepEqual([attempts.length, (await statements.unexplained()).includes(id)], [1, false]);
  });

  it("sent by another reference, of one that is done: refused, counted as a contradiction, and told", async () => {
    const shown = await asked();
    const [id] = shown;
    await at(anna).post(`payouts/${id}/take`);
    await at(anna).post(`payouts/${id}/not-sent`, { reason, retry: true });
    await trade.pass(MINUTE);
    await at(boris).post(`payouts/${id}/take`);
    await statements.bring(0, [shown]);
    await trade.pass(0);
    assert.equal(await stateOf(id), "done");
    const conflicts = await figure("kopeck_payout_conflicts_total");
    const logged = gateway.log.length;
    const said = { bank_reference: freshReference() };
    assert.equal((await at(boris).refused(`payouts/${id}/sent`, said))[0], 422);
    assert.equal(await figure("kopeck_payout_conflicts_total"), conflicts + 1);
    assert.match(gateway.log.slice(logged).join(""), /left by another reference/);
    // Of the only one that had it, the line and their word are one.
    const alone = await asked();
    await at(anna).post(`payouts/${alone[0]}/take`);
    await statements.bring(0, [alone]);
    await trade.pass(0);
    const late = { bank_reference: freshReference() };
    assert.equal((await at(anna).refused(`payouts/${alone[0]}/sent`, late))[0], 422);
    assert.equal(await figure("kopeck_payout_conflicts_total"), conflicts + 1);
  });
});

onPostgres("a statement and a claim at the same moment", () => {
  it("each payout is taken, or shown and done by the line: never both, and each is booked once", async () => {
    const gateway = await openTestGateway("postgres");
    try {
      const caller = insistent(gateway);
      const trade = orders({ ...gateway, ...caller });
      const { boris } = await openDesk(gateway);
      const user = payouts(caller, trade);
      const own = manage(caller);
      const statements = bank(gateway);
      await user.earn(3, 90_000);
      await openDesk(gateway);
      for (const _round of [1, 2, 3]) {
        const shown: [string, number][] = [];
        for (let count = 0; count < 12; count += 1) {
          const id = await user.made({ amount: freshAmount() + 100 });
          shown.push([id, (await own.get(`payouts/${id}`)).payout.receive]);
        }
        const [answers] = await Promise.all([
          Promise.all(shown.map(([id]) => boris.ask(`payouts/${id}/take`, {}))),
          statements.bring(1, shown),
        ]);
        await trade.pass(0);
        const unexplained = await statements.unexplained();
        for (const [index, [id]] of shown.entries()) {
          const { payout, attempts, postings } = await own.get(`payouts/${id}`);
          const isTaken = answers[index]?.status === 200;
          const done = postings.filter((one: { kind: string }) => one.kind === "payout_done");
          const open = attempts.filter((one: { state: string }) => one.state !== "not_sent");
          assert.deepEqual(
            [payout.state, done.length, open.length, unexplained.includes(id)],
            isTaken ? ["sending", 0, 1, true] : ["done", 1, 1, false],
          );
          assert.equal(open[0].author, isTaken ? "Boris" : null);
          if (!isTaken) continue;
          await boris.post(`payouts/${id}/not-sent`, { reason });
        }
        await trade.pass(0);
        for (const [id] of shown) assert.equal(await user.state(id), "done");
        await assertBooksAreRight(gateway);
      }
    } finally {
      await gateway.stop();
    }
  });
});

onPostgres("two lines of a held payout, of two formats", () => {
  it("are both put aside at once: the payout is shown no longer, and can be refused", async () => {
    const gateway = await openTestGateway("postgres", {}, { jobs: [] });
    try {
      const caller = insistent(gateway);
      const user = payouts(caller, orders({ ...gateway, ...caller }));
      const own = manage(caller);
      await user.earn(3, 90_000);
      const shown: [string, number][] = [];
      for (const amount of [50_001, 50_002, 50_003, 50_004]) {
        const id = await user.made({ amount });
        shown.push([id, (await own.get(`payouts/${id}`)).payout.receive]);
      }
      await bank(gateway).bring(0, shown);
      const day = momentFormat(gateway.app.config.timeZone).day(gateway.app.clock.now());
      const rows = shown.map(([id, sum]) => `${day};-${sum};Выплата ${documentOf(id)}`);
      await own.post("imports", {
        filename: "payouts.csv",
        content: Buffer.from(["day;sum;what", ...rows, ""].join("\n")).toString("base64"),
        requisite_id: "00000000-0000-4000-8000-000000000101",
        profile: {
          delimiter: ";",
          date_form: "yyyy-mm-dd",
          date: "day",
          amount: "sum",
          purpose: ["what"],
        },
      });
      await applyImports(gateway);
      const lines: { line_id: string }[][] = await Promise.all(
        shown.map(async ([id]) => (await own.get(`lines?payout_id=${id}`)).items),
      );
      assert.deepEqual(
        lines.map(({ length }) => length),
        shown.map(() => 2),
      );
      const aside = { decision: "exclude", reason };
      await Promise.all(
        lines.flat().map(({ line_id }) => own.post(`lines/${line_id}/decide`, aside)),
      );
      for (const [id] of shown) await own.post(`payouts/${id}/refuse`, { reason });
      await assertBooksAreRight(gateway);
    } finally {
      await gateway.stop();
    }
  });
});
