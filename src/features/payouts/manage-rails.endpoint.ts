// /manage/rails: who can send payouts. The secret of one that is a program is shown once, when it is made.

import type { Static } from "typebox";
import { PAYOUT_SERVICES } from "../../domain/payout.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { Tx } from "../../platform/db.ts";
import { checked, httpUrl, listOf, oneOf, Type, text, textOrNull } from "../../platform/field.ts";
import { change, view } from "../operators/doors.ts";
import { holdSecretKey } from "../operators/installation.ts";
import { isoMoment } from "../operators/noun.ts";
import { SECRET_PREFIX, sealRailSecret } from "./rail.ts";
import {
  addRail,
  allRails,
  changeRail,
  hasOpenAttempts,
  lockRail,
  type RailRow,
  replaceRailSecret,
} from "./rail-queries.ts";

const code = text({ max: 32 }, { description: "The rail.", examples: ["acquirer"] });
const newCode = Type.String({
  pattern: "^[a-z][a-z0-9_-]{0,31}$",
  description: "What it is called; it never changes.",
  examples: ["acquirer"],
});
const url = checked(
  httpUrl({
    description:
      "Where the program is asked, /payouts being put behind it; it may be inside the operator's own network.",
    examples: ["http://127.0.0.1:9400"],
  }),
  "plain_url",
  (value: string) => !/[?#]/.test(value),
);
const services = listOf(
  oneOf(PAYOUT_SERVICES, { description: "A service." }),
  { min: 1, max: PAYOUT_SERVICES.length },
  { description: "What it sends.", examples: [["card", "sbp"]] },
);
const paused = Type.Boolean({ description: "Whether it is given nothing to send." });
const repeatable_seconds = Type.Integer({
  minimum: 0,
  maximum: 31_536_000,
  description:
    "For so long it takes the same request with the same key for the same one; 0 for never.",
  examples: [86_400],
});

const Rail = Type.Object({
  code: Type.String({ description: "The rail.", examples: ["acquirer"] }),
  kind: Type.String({
    description: "desk for operators, file for a file that the bank reads, http for a program.",
    examples: ["http"],
  }),
  services: Type.Array(oneOf(PAYOUT_SERVICES, { description: "A service." }), {
    description: "What it sends.",
  }),
  paused,
  url: textOrNull({ description: "Where a program is asked." }, "uri"),
  repeatable_seconds,
  created_at: isoMoment("When it was added."),
});

const secret = Type.String({
  description: "What both sides sign with; it is shown only now.",
  examples: ["whsec_…"],
});

function toWire({ secret_sealed: _sealed, ...row }: RailRow): Static<typeof Rail> {
  return { ...row, services: [...row.services], created_at: row.created_at.toISOString() };
}

export const readRails = view({
  path: "/manage/rails",
  summary: "List rails",
  description: "Who can send payouts.",
  input: Type.Object({}),
  data: Type.Object({ items: Type.Array(Rail) }),
  async read({ db }) {
    return { items: (await allRails(db)).map(toWire) };
  },
});

export const addHttpRail = change({
  path: "/manage/rails",
  summary: "Add a rail",
  description:
    "A program that sends payouts, written as docs/rails.md says. The answer holds its secret, which is shown only once.",
  act: "rail.add",
  input: Type.Object({
    code: newCode,
    url,
    services,
    repeatable_seconds: Type.Optional(repeatable_seconds),
    paused: Type.Optional(paused),
  }),
  data: Type.Object({ rail: Rail, secret }),
  async make(tx, app, input) {
    await holdSecretKey(tx, app);
    const fresh = app.secrets.freshBase64(SECRET_PREFIX);
    const row = {
      repeatable_seconds: 0,
      paused: false,
      kind: "http" as const,
      ...input,
      secret_sealed: sealRailSecret(app.secrets, input.code, fresh),
    };
    if (!(await addRail(tx, row, app.clock.now()))) throw new Refusal("rail_exists");
    const rail = toWire(await lockedRail(tx, input.code));
    return { data: { rail, secret: fresh }, subject: rail.code, before: null, after: rail };
  },
});

export const updateRail = change({
  path: "/manage/rails/:code",
  summary: "Change a rail",
  description:
    "What is left out stays as it is. One that is paused is given nothing more to send, and is still asked what became of what it has.",
  act: "rail.update",
  input: Type.Object({
    code,
    url: Type.Optional(url),
    services: Type.Optional(services),
    repeatable_seconds: Type.Optional(repeatable_seconds),
    paused: Type.Optional(paused),
  }),
  data: Rail,
  notFound: "There is no such rail.",
  async make(tx, _app, { code: name, ...changes }) {
    const row = await lockedRail(tx, name);
    const isProgram = row.kind === "http";
    const ofPrograms = changes.url !== undefined || changes.repeatable_seconds !== undefined;
    if (ofPrograms && !isProgram) throw new Refusal("rail_is_no_program");
    // Another program, or more time, would be told again what the first one may have sent.
    const isOther = changes.url !== undefined && changes.url !== row.url;
    const isLonger = (changes.repeatable_seconds ?? 0) > row.repeatable_seconds;
    if ((isOther || isLonger) && (await hasOpenAttempts(tx, name))) {
      throw new Refusal("rail_has_open_attempts");
    }
    const next = { ...row, ...changes };
    await changeRail(tx, next);
    const after = toWire(next);
    return { data: after, subject: name, before: toWire(row), after };
  },
});

export const rotateRailSecret = change({
  path: "/manage/rails/:code/rotate-secret",
  summary: "Give a rail another secret",
  description:
    "While it is paused: what is asked or told by the old one is refused from now on. The answer holds the new one, which is shown only once.",
  act: "rail.rotate_secret",
  input: Type.Object({ code }),
  data: Type.Object({ rail: Rail, secret }),
  notFound: "There is no such rail.",
  async make(tx, app, { code: name }) {
    await holdSecretKey(tx, app);
    const row = await lockedRail(tx, name);
    if (row.kind !== "http") throw new Refusal("rail_is_no_program");
    if (!row.paused) throw new Refusal("rail_not_paused");
    const fresh = app.secrets.freshBase64(SECRET_PREFIX);
    await replaceRailSecret(tx, name, sealRailSecret(app.secrets, name, fresh));
    const rail = toWire(row);
    return { data: { rail, secret: fresh }, subject: name, before: null, after: rail };
  },
});

async function lockedRail(tx: Tx, name: string): Promise<RailRow> {
  const row = await lockRail(tx, name);
  if (row === undefined) throw new Refusal("rail_not_found");
  return row;
}
