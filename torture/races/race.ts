// One race as a row of a table: what is prepared, who is let go at once, and everything that may come of it.

import { isDeepStrictEqual } from "node:util";
import { Refusal, type RefusalCode } from "../../src/domain/refusal.ts";
import type { Job } from "../../src/platform/job.ts";
import type { CastShop } from "../../test/cast.ts";
import type { Answer } from "../../test/gateway.ts";
import { eventually } from "../eventually.ts";
import type { QuietGateway } from "../quiet-gateway.ts";
import type { Scene } from "./scene.ts";

/** What was prepared: an invoice or several, and what is needed to act on them. */
export interface Given {
  readonly ids: readonly string[];
  readonly shop?: CastShop;
  readonly wallet?: string;
  readonly amount?: number;
  /** Whatever else the actors and the books are asked with. */
  readonly more?: unknown;
}

export type Act = (at: QuietGateway, given: Given, scene: Scene) => Promise<unknown>;

/** "ok", "same" as the others, what became of transfers, a job's count; or a refusal. */
type Expected = string | Refusal;
type Outcome = readonly [answers: readonly Expected[], books: string];

export interface Race {
  /** Several of the others may run at once, where nothing is done right before: calls share a set. */
  readonly isAlone?: true;
  given(scene: Scene): Promise<Given>;
  /** At the last moment. */
  ready?(scene: Scene, given: Given): unknown;
  /** In turns at the left gateway and at the right one; three are at three. */
  readonly acts: readonly Act[];
  /** Before the books are asked. */
  after?(scene: Scene, given: Given, answers: readonly unknown[]): unknown;
  /** $1 are the invoices, $2 is what else was prepared. Its rows are judged as one text. */
  readonly books: string;
  /** By the order in which they came; each order must come about. */
  readonly outcomes: Readonly<Record<string, Outcome>>;
}

/** Races after which the books are asked the same. */
export const judgedBy = (books: string, races: Readonly<Record<string, Omit<Race, "books">>>) =>
  Object.fromEntries(Object.entries(races).map(([name, race]) => [name, { ...race, books }]));

export const run =
  (job: Job): Act =>
  ({ app }) =>
    job.run(app);

/** Again while there was nothing that could be done. */
export const untilDone =
  (job: Job): Act =>
  async ({ app }) => {
    let done = 0;
    await eventually(`what ${job.name} does`, async () => {
      done = await job.run(app);
      return done > 0;
    });
    return done;
  };

export const no = (code: RefusalCode, values: Record<string, string> = {}): Refusal =>
  new Refusal(code, values);

/** What may be where the left one comes first, and the same with the right one first. */
export function mirrored(answers: readonly Expected[], books: string) {
  const swapped = books.replace(/left|right/g, (side) => (side === "left" ? "right" : "left"));
  const right: Outcome = [answers.toReversed(), swapped];
  return { "left first": [answers, books], "right first": right } satisfies Race["outcomes"];
}

/** In which order they came; throws where what came of it may not be. */
export async function judge(
  { after, books, outcomes }: Race,
  scene: Scene,
  given: Given,
  answers: readonly unknown[],
): Promise<string> {
  await after?.(scene, given, answers);
  const values = books.includes("$2") ? [given.ids, given.more] : [given.ids];
  const booked = await scene.books(books, values);
  for (const [order, [wanted, right]] of Object.entries(outcomes)) {
    const areRight = wanted.every((one, index) => isAsExpected(one, index, answers));
    if (areRight && booked === right) return order;
  }
  throw new Error(`${booked} in the books after ${answers.map(inWords).join(" ‖ ")}`);
}

const isAnswer = (told: unknown): told is Answer => typeof told === "object" && told !== null;

const inWords = (told: unknown): string =>
  isAnswer(told) ? `${told.status} ${told.text}` : String(told);

function isAsExpected(wanted: Expected, index: number, answers: readonly unknown[]): boolean {
  const told = answers[index];
  if (!isAnswer(told)) return String(told) === wanted;
  const { status, body } = told;
  if (wanted instanceof Refusal) {
    // Where all problems of an input are told a refusal is one in a list; sums are left out.
    const said = [body.error]
      .flat()
      .join()
      .replace(/\d+\.\d\d/, "");
    return status === wanted.status && said === wanted.words("en");
  }
  if (status !== 200) return false;
  if (wanted !== "same") return wanted === dataInWords(body.data);
  return answers.every((one) => isAnswer(one) && isDeepStrictEqual(one.body, body));
}

/** Of transfers what became of them, and whether they were new. */
function dataInWords(data: Answer["body"]): string {
  if (data.items !== undefined) return data.items.map(dataInWords).join();
  if (data.fresh === undefined) return "ok";
  return data.fresh ? `new ${data.state}` : data.state;
}
