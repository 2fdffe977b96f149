// /manage/books: what must always hold, when that was last looked at and what was found; and looking again.

import { isoOrNull } from "../../domain/moment.ts";
import { SerializationFailure } from "../../platform/db.ts";
import { numberOrNull, Type, textOrNull, uuid } from "../../platform/field.ts";
import { change, view } from "../operators/doors.ts";
import { isoMoment } from "../operators/noun.ts";
import {
  askForCheck,
  type BookCheckRow,
  CHECKS_SHOWN,
  checkUnderWay,
  lastChecks,
} from "./book-check-queries.ts";
import { INVARIANTS } from "./invariants.ts";

const Check = Type.Object({
  check_id: uuid({ description: "The check." }),
  author: Type.String({ description: "Who asked for it.", examples: ["Anna"] }),
  asked_at: isoMoment("When."),
  started_at: textOrNull({ description: "When it began, or null." }, "date-time"),
  ended_at: textOrNull({ description: "When it ended; null while it goes on." }, "date-time"),
  violations: numberOrNull({ description: "How many violations it found; null until it ends." }),
  details: Type.Array(
    Type.String({
      description: "The number of what must hold, and what was found instead.",
      examples: ["14: an invoice has two live payments"],
    }),
    { description: "The first few of them." },
  ),
});

function wireOf({ id, asked_at, started_at, ended_at, ...row }: BookCheckRow) {
  return {
    check_id: id,
    author: row.author,
    asked_at: asked_at.toISOString(),
    started_at: isoOrNull(started_at),
    ended_at: isoOrNull(ended_at),
    violations: row.violations,
    details: [...row.details],
  };
}

export const readBooks = view({
  path: "/manage/books",
  summary: "What must always hold, and when that was checked",
  description: `The last ${CHECKS_SHOWN} checks, the newest first; those of kopeck verify are among them.`,
  input: Type.Object({}),
  data: Type.Object({
    checks: Type.Array(Check),
    invariants: Type.Array(
      Type.Object({
        number: Type.Integer({ description: "Its number.", examples: [1] }),
        words: Type.String({
          description: "What must hold.",
          examples: ["Every posting and the whole ledger sum to zero per currency"],
        }),
      }),
    ),
  }),
  async read({ db }) {
    const checks = await lastChecks(db);
    const all = Object.entries(INVARIANTS);
    return {
      checks: checks.map(wireOf),
      invariants: all.map(([number, words]) => ({ number: Number(number), words })),
    };
  },
});

export const askForBookCheck = change({
  path: "/manage/books/check",
  summary: "Check the books",
  description:
    "It begins within seconds and goes on by itself, piece by piece; `books` says what it found. One " +
    "goes on at a time: while one does, it is answered. What only the secret key opens, kopeck verify " +
    "checks alone.",
  act: "books.check",
  input: Type.Object({}),
  data: Check,
  async make(tx, app, _input, { name }) {
    const isNew = await askForCheck(tx, app.newId(), name, app.clock.now());
    const row = await checkUnderWay(tx);
    // The other one has ended in between: then it is asked for anew.
    if (row === undefined) throw new SerializationFailure();
    const data = wireOf(row);
    return { data, subject: row.id, before: isNew ? null : data, after: data };
  },
});
