// A line of a statement that takes two people, decided by several at once, each at a gateway of their own on one
// PostgreSQL: it is booked once, by two hands, and never by the first word alone.

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
import { changedLine } from "./lines.ts";
import { manage, ownHand } from "./manage.ts";
import { insistent } from "./patience.ts";

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
      ["200,200 booked Anna + Boris", "200,200 booked Boris + Anna"],
    ],
    "the same person twice at once is one": [
      [],
      [says("anna"), says("anna")],
      ["200,422 waiting null"],
    ],
    "the first one again, and a second one at once": [
      [says("anna")],
      [says("anna"), says("boris")],
      ["200,422 booked Anna + Boris"],
    ],
    "two who confirm at once: it is booked once": [
      [says("anna")],
      [says("boris"), says("clara")],
      ["200,422 booked Anna + Boris", "200,422 booked Anna + Clara"],
    ],
    "one confirms, another puts it aside": [
      [says("anna")],
      [says("boris"), says("clara", "ignore")],
      ["200,422 booked Anna + Boris", "200,422 ignored Clara"],
    ],
    "one confirms, and the first one's token is taken away": [
      [says("anna")],
      [says("boris"), annaGoes],
      ["200,200 booked Anna + Boris", "200,200 waiting null"],
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
        const [{ fate, settled_by }] = items.filter(
          ({ line_id }: { line_id: string }) => line_id === line.line_id,
        );
        const statuses = answers.map(({ status }) => status).toSorted();
        const ending = `${statuses} ${fate} ${settled_by}`;
        assert.ok(endings.includes(ending), `${ending}\n${texts}`);
        if (fate === "waiting") await own.post(line.path, { ...word, decision: "ignore" });
      }
    });
  }
});
