// Lines of statements, decided by several at once at two gateways on one PostgreSQL. What takes two people is booked
// once, by two hands, and never by the first word alone; a movement that two formats tell of is booked once.

import assert from "node:assert/strict";
import { after, afterEach, before, it } from "node:test";
import { startGateway } from "../src/gateway.ts";
import { openLog } from "../src/platform/log.ts";
import { assertBooksAreRight } from "./books.ts";
import {
  onPostgres,
  openTestDatabase,
  TestClock,
  type TestDatabase,
  testConfig,
} from "./gateway.ts";
import { applyImports } from "./imports.ts";
import { changedLine } from "./lines.ts";
import { manage, ownHand } from "./manage.ts";
import { insistent } from "./patience.ts";
import { statement1c } from "./statement-file.ts";

const ROUNDS = 5;
const FROM = 1000;
const word = { decision: "book", reason: "the bank was asked" };

onPostgres("a line and several who decide", () => {
  let database: TestDatabase;
  let gateways: Awaited<ReturnType<typeof open>>[] = [];
  const clock = new TestClock();
  const open = async () => {
    const config = testConfig({ ...database.config, fourEyesFrom: FROM });
    const gateway = await startGateway({ config, clock, log: openLog("silent") });
    return { ...gateway, clock, ...insistent(gateway) };
  };
  const at = (place: number) => gateways[place % 2] ?? assert.fail("no gateway");
  before(async () => {
    database = await openTestDatabase("postgres");
    gateways = [await open(), await open()];
  });
  after(async () => {
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await database.drop();
  });
  afterEach(() => assertBooksAreRight(at(0)));

  interface Room {
    readonly path: string;
    readonly tokens: Readonly<Record<"anna" | "boris" | "clara", string>>;
    /** Anna's own operator. */
    readonly annaId: string;
  }
  type Act = (room: Room) => readonly [token: string | undefined, path: string, body?: object];

  const says =
    (who: keyof Room["tokens"], decision = "book"): Act =>
    ({ path, tokens }) => [tokens[who], path, { ...word, decision }];
  const annaGoes: Act = ({ annaId }) => [undefined, `operators/${annaId}/revoke`];

  /** What is said before, what at once, and how the answers and the line may stand then. */
  const races: Readonly<Record<string, readonly [Act[], Act[], readonly string[]]>> = {
    "two who say so at once: one is the first, the other books it": [
      [],
      [says("anna"), says("boris")],
      ["200,200 new Anna + Boris", "200,200 new Boris + Anna"],
    ],
    "the same person twice at once is one": [
      [],
      [says("anna"), says("anna")],
      ["200,422 changed null"],
    ],
    "the first one again, and a second one at once": [
      [says("anna")],
      [says("anna"), says("boris")],
      ["200,422 new Anna + Boris"],
    ],
    "two who confirm at once: it is booked once": [
      [says("anna")],
      [says("boris"), says("clara")],
      ["200,422 new Anna + Boris", "200,422 new Anna + Clara"],
    ],
    "one confirms, another puts it aside": [
      [says("anna")],
      [says("boris"), says("clara", "exclude")],
      ["200,422 new Anna + Boris", "200,422 excluded Clara"],
    ],
    "one confirms, and the first one's token is taken away": [
      [says("anna")],
      [says("boris"), annaGoes],
      ["200,200 new Anna + Boris", "200,200 changed null"],
    ],
  };

  for (const [name, [first, atOnce, endings]] of Object.entries(races)) {
    it(name, async () => {
      const own = manage(at(0));
      for (let round = 0; round < ROUNDS; round += 1) {
        clock.advance(1);
        const [anna, boris, clara] = [
          await ownHand(at(0), "Anna"),
          await ownHand(at(0), "Boris"),
          await ownHand(at(0), "Clara"),
        ];
        const tokens = { anna: anna.token, boris: boris.token, clara: clara.token };
        const line = await changedLine(at(0), FROM + round);
        const room = { path: line.path, tokens, annaId: anna.id };
        const ask = (act: Act, place: number) => {
          const [token, path, body = {}] = act(room);
          return manage(at(place), token).ask(path, body);
        };
        for (const act of first) assert.equal((await ask(act, 0)).status, 200);
        const answers = await Promise.all(atOnce.map(ask));
        const texts = answers.map(({ text }) => text).join("\n");
        const { items } = await own.get(`lines?import_id=${line.import_id}`);
        const [{ outcome, settled_by }] = items.filter(
          ({ line_id }: { line_id: string }) => line_id === line.line_id,
        );
        const statuses = answers.map(({ status }) => status).toSorted();
        const ending = `${statuses} ${outcome} ${settled_by}`;
        assert.ok(endings.includes(ending), `${ending}\n${texts}`);
        if (outcome === "changed") await own.post(line.path, { ...word, decision: "exclude" });
      }
    });
  }

  const DAYS = ["2026-02-01", "2026-02-02", "2026-02-03", "2026-02-04"];
  const SUMS = Array.from({ length: 8 }, (_, index) => -(101 + index));
  const outflow = { decision: "book", kind: "outflow", reason: "it left" };
  const requisite_id = "00000000-0000-4000-8000-000000000102";
  const profile = {
    delimiter: ";",
    date_form: "yyyy-mm-dd",
    date: "day",
    amount: "sum",
    purpose: ["what"],
  };
  /** The same movements of a day in two formats. */
  const files = {
    "1c": (day: string, sums: readonly number[]) => {
      const days = { [day]: sums.map((sum) => ({ sum })) };
      const content = statement1c([{ account: "40817810000000000102", days }]);
      return { filename: "day.txt", content: Buffer.from(content).toString("base64") };
    },
    csv: (day: string, sums: readonly number[]) => {
      const content = ["day;sum;what", ...sums.map((sum) => `${day};${sum};moved`), ""].join("\n");
      const text = Buffer.from(content).toString("base64");
      return { filename: "day.csv", content: text, profile, requisite_id };
    },
  };

  /** Lines that wait, because the bank had another one in their place before: the paths to decide about them. */
  async function waiting(format: keyof typeof files, day: string): Promise<string[]> {
    const own = manage(at(0));
    await own.post("imports", files[format](day, [-0.01]));
    const { import_id } = await own.post("imports", files[format](day, SUMS));
    await applyImports(at(0));
    const { items } = await own.get(`lines?import_id=${import_id}&waiting=true`);
    assert.equal(items.length, SUMS.length);
    return items.map(({ line_id }: { line_id: string }) => `lines/${line_id}/decide`);
  }

  /** What the books say to have left by what happens at once. */
  async function leavesBy(acts: readonly (() => Promise<unknown>)[]): Promise<number> {
    const left = async () =>
      Number((await manage(at(0)).get(`accounts/bank.RUB.${requisite_id}`)).balance);
    const before = await left();
    await Promise.all(acts.map((act) => act()));
    return Math.round(((await left()) - before) * 100) / 100;
  }
  const decide = (path: string, place: number) => () => manage(at(place)).post(path, outflow);
  const ALL = SUMS.reduce((sum, one) => sum + one, 0);

  it("a movement whose lines of two formats are decided at once is booked once", async () => {
    for (const day of DAYS) {
      const pairs = [await waiting("1c", day), await waiting("csv", day)];
      assert.equal(
        await leavesBy(pairs.flatMap((paths, at) => paths.map((path) => decide(path, at)))),
        ALL,
      );
    }
  });

  it("a movement that is decided while a file of another format brings it is booked once", async () => {
    for (const day of DAYS.map((one) => one.replace("-02-", "-01-"))) {
      const paths = await waiting("1c", day);
      await manage(at(1)).post("imports", files.csv(day, SUMS));
      const brings = () => applyImports(at(1));
      assert.equal(await leavesBy([brings, ...paths.map(decide)]), ALL);
    }
  });
});
