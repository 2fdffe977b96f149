// POST /rails/:code/notice: a rail tells what became of an attempt, without being asked. Guards that it tells of its
// own attempts alone, and that it may come before the gateway has written down that it has sent anything.

import { readAttemptKey } from "../../domain/payout.ts";
import { Refusal } from "../../domain/refusal.ts";
import { endpoint } from "../../platform/endpoint.ts";
import { oneOf, Type, text } from "../../platform/field.ts";
import { attemptsOf } from "./attempt-queries.ts";
import { recordAnswers } from "./attempts.ts";
import { answerIn, saidFields } from "./http-rail.ts";
import { railGate } from "./rail-gate.ts";

export const takeNotice = endpoint({
  method: "POST",
  path: "/rails/:code/notice",
  summary: "Tell what became of a payout",
  description:
    "For a rail that is a program: the same as it answers when it is asked, with the key. Repeated, it changes nothing.",
  gate: railGate,
  identifier: "code",
  input: Type.Object({
    code: text({ max: 32 }, { description: "The rail.", examples: ["acquirer"] }),
    key: text(
      { max: 64 },
      {
        description: "Of the request that asked for it.",
        examples: ["00000000-0000-4000-8000-000000000000.1"],
      },
    ),
    ...saidFields,
  }),
  data: Type.Object({
    result: oneOf(["taken", "known", "conflict"], {
      description:
        "taken: it is written down. known: it says nothing new. conflict: it contradicts what is known, which stays; whoever runs the gateway is told.",
    }),
  }),
  notFound: "The rail was not told to send anything under this key.",
  problems: "first",
  async handle(app, { principal, input: { code: _code, key, ...said } }) {
    const name = readAttemptKey(key.toLowerCase());
    const attempts = name === undefined ? [] : await attemptsOf(app.db, [name.payoutId]);
    const attempt = attempts.find(
      ({ number, rail }) => number === name?.number && rail === principal.code,
    );
    if (attempt === undefined) throw new Refusal("payout_not_found");
    const answer = answerIn(said);
    if (answer === undefined) throw new Refusal("rail_reason_required");
    const { payoutId, number } = attempt;
    const [heard] = await app.db.transaction((tx) =>
      recordAnswers(tx, app, [{ payoutId, number, answer }]),
    );
    if (heard === undefined || heard === "no_attempt") throw new Refusal("payout_not_found");
    return { result: heard };
  },
});
