// POST /rails/:code/notice: a rail tells what became of its own attempt. Its signature holds for
// five minutes, and a wrong one costs the same work.

import { readAttemptKey } from "../../domain/payout.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import { type Credentials, endpoint, type Gate } from "../../platform/endpoint.ts";
import { HttpFailure } from "../../platform/failure.ts";
import { oneOf, Type, text } from "../../platform/field.ts";
import { sameDigest } from "../../platform/secret.ts";
import { attemptsOf } from "./attempt-queries.ts";
import { recordAnswers } from "./attempts.ts";
import {
  answerIn,
  namesTwoStates,
  openRailSecret,
  railSignature,
  SECRET_PREFIX,
  saidFields,
} from "./rail.ts";
import { type RailRow, railsByCode } from "./rail-queries.ts";

type Rail = Pick<RailRow, "code">;

const HEADERS = ["webhook-id", "webhook-timestamp", "webhook-signature"] as const;
const SIGNATURE_SECONDS = 5 * 60;
/** A rotation has two at once. */
const MOST_SIGNATURES = 4;

const railGate: Gate<Rail> = {
  name: "railSignature",
  header: "webhook-signature",
  description:
    "What the rail that the path names has signed with its secret, by the Standard Webhooks: v1 and the base64 " +
    "HMAC-SHA256 of webhook-id, webhook-timestamp and the body, joined by dots.",
  refusal: (missing) => new Refusal("unauthorized", {}, missing),
  secretOf(headers, body = "") {
    if (namesTwoStates(body)) throw new HttpFailure("malformed_json");
    const [id, seconds, signature] = HEADERS.map((name) => headers[name]);
    if (typeof signature !== "string" || signature === "") return "";
    return JSON.stringify([String(id), String(seconds), signature, body]);
  },
  async lookUp(app, presented) {
    const codes = presented.map(({ id }) => id);
    const rows = new Map((await railsByCode(app.db, codes)).map((row) => [row.code, row]));
    return presented.map((claim) => prove(app, claim, rows.get(claim.id)));
  },
};

/** Who has no secret is compared as well, with one that nobody has. */
function prove({ secrets, clock }: App, { secret }: Credentials, row?: RailRow): Rail | undefined {
  const [id, seconds, signatures, body] = partsOf(secret);
  const sealed = row?.secret_sealed ?? null;
  const key =
    row === undefined || sealed === null
      ? SECRET_PREFIX
      : openRailSecret(secrets, row.code, sealed);
  const right = railSignature(key, { id, seconds, body });
  const isSigned = signatures
    .split(" ", MOST_SIGNATURES)
    .map((one) => sameDigest(right, Buffer.from(one.replace(/^v1,/, ""), "base64")))
    .includes(true);
  const ageSeconds = Math.abs(clock.now().getTime() / 1000 - Number(seconds));
  const isFresh = ageSeconds <= SIGNATURE_SECONDS;
  return row !== undefined && sealed !== null && isSigned && isFresh
    ? { code: row.code }
    : undefined;
}

function partsOf(secret: string): [id: string, seconds: string, signatures: string, body: string] {
  const [id = "", seconds = "", signatures = "", body = ""] =
    secret === "" ? [] : (JSON.parse(secret) as string[]);
  return [id, seconds, signatures, body];
}

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
