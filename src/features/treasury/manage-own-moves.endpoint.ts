// /manage/own-moves: money of the operator's own, and of the fees. Guards that nobody takes more than the account
// holds, and that a move is made once for its reference.

import { withoutCard } from "../../domain/card-number.ts";
import { minorFromNumber, toDecimalText } from "../../domain/money.ts";
import { ownOpening, ownOpeningBack, suspenseOwned, withdrawn } from "../../domain/posting.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { currencyCode, decimal, periodFields, Type, text, uuid } from "../../platform/field.ts";
import { post } from "../ledger/post.ts";
import { findAccount } from "../ledger/queries.ts";
import { change, list } from "../operators/doors.ts";
import { requisitesById } from "../requisites/queries.ts";
import { clearTransfer } from "../transfers/transfers.ts";
import { moveAccount, moveKind, type OwnMoveRow, OwnMoves } from "./nouns.ts";
import { addMove, lockMoves, moveOfReference, openedOn } from "./queries.ts";

export const readOwnMoves = list({
  path: "/manage/own-moves",
  summary: "List moves of the operator's own money",
  description: "The newest first.",
  noun: OwnMoves,
  filters: { ...periodFields, kind: Type.Optional(moveKind) },
  ways: (_app, { kind }) => ({ filters: { kind } }),
});

type Wish = Omit<OwnMoveRow, "id" | "created_at">;

export const addOwnMove = change({
  path: "/manage/own-moves",
  summary: "Book a move of the operator's own money",
  description:
    "opening: what was on a requisite before its books began. opening_back: what was said of that too much, " +
    "at most what is left of the openings of that requisite and of own money. deposit: a transfer that waits in suspense is own money. withdrawal: the operator takes it, of " +
    "own money or of the fees, never more than there is; it stands in bank_out until a statement shows it. " +
    "The same reference counts once for each kind, and with other content is refused.",
  act: "own_move.create",
  input: Type.Object({
    kind: moveKind,
    account: Type.Optional(moveAccount),
    requisite_id: Type.Optional(
      uuid({
        description: "Of an opening: where it was.",
        examples: ["00000000-0000-4000-8000-000000000101"],
      }),
    ),
    transfer_id: Type.Optional(uuid({ description: "Of a deposit: what it came as." })),
    amount: decimal({ min: 0.01 }, { description: "How much.", examples: [1000] }),
    currency: Type.Optional(currencyCode({ description: "Of a withdrawal; RUB." })),
    reference: text(
      { max: 255 },
      { description: "Your own name for this move.", examples: ["opening-1"] },
    ),
    reason: text({ max: 500 }, { description: "Why.", examples: ["Before the first day"] }),
  }),
  data: OwnMoves.wire,
  notFound: "There is no such requisite or transfer.",
  async make(tx, app, input, { name: author }) {
    const { kind, account = "own", amount, currency = "RUB", reference, reason } = input;
    const requisite_id = input.requisite_id?.toLowerCase() ?? null;
    const transfer_id = input.transfer_id?.toLowerCase() ?? null;
    const isOpening = kind === "opening" || kind === "opening_back";
    if (isOpening !== (requisite_id !== null) || (kind === "deposit") !== (transfer_id !== null)) {
      throw new Refusal("own_move_incomplete");
    }
    if (account === "fees" && kind !== "withdrawal") throw new Refusal("own_fees_only_withdrawn");
    const amount_minor = minorFromNumber(amount) ?? 0n;
    const wish = { kind, account, currency, amount_minor, requisite_id, transfer_id } as const;
    await lockMoves(tx);
    const earlier = await moveOfReference(tx, kind, reference);
    if (earlier !== undefined) {
      if (!isSame(earlier, { ...wish, reference, reason, author })) {
        throw new Refusal("own_reference_taken");
      }
      const data = OwnMoves.toWire(earlier);
      return { data, subject: earlier.id, before: data, after: data };
    }
    const id = app.newId();
    const move = { ...wish, id, reference, reason, author, created_at: app.clock.now() };
    const row = await book(tx, app, move);
    await addMove(tx, row);
    const data = OwnMoves.toWire(row);
    return { data, subject: row.id, before: null, after: data };
  },
});

/** What a repeated call says again; where the money itself says its currency or its place, it need not. */
function isSame(earlier: OwnMoveRow, wish: Wish): boolean {
  const same = ["account", "amount_minor", "transfer_id"] as const;
  const isOfItself = wish.kind !== "withdrawal";
  return (
    same.every((name) => earlier[name] === wish[name]) &&
    withoutCard(earlier.reason) === wish.reason &&
    (isOfItself || earlier.currency === wish.currency) &&
    (wish.requisite_id === null || earlier.requisite_id === wish.requisite_id)
  );
}

async function heldBy(tx: Tx, kind: "own" | "fees", currency: string): Promise<bigint> {
  return (await findAccount(tx, { kind, currency, ownerId: null }))?.balanceMinor ?? 0n;
}

/** The move as it is stored: with the currency and the place of the money itself. */
async function book(tx: Tx, app: App, move: OwnMoveRow): Promise<OwnMoveRow> {
  const { kind, account, amount_minor: amountMinor, id: sourceId, requisite_id } = move;
  if (kind === "withdrawal") {
    const { currency } = move;
    const limit = await heldBy(tx, account, currency);
    if (amountMinor > limit) {
      throw new Refusal("own_balance_too_small", { account, limit: toDecimalText(limit) });
    }
    await post(tx, app, [withdrawn({ sourceId, currency, amountMinor }, account)]);
    return move;
  }
  if (move.transfer_id !== null) {
    const settlement = { transferId: move.transfer_id, author: move.author, reason: move.reason };
    const came = await clearTransfer(tx, app, settlement, suspenseOwned);
    if (came.amountMinor !== amountMinor) {
      const amount = toDecimalText(came.amountMinor);
      throw new Refusal("own_amount_differs", { amount });
    }
    return { ...move, currency: came.currency, requisite_id: came.requisiteId };
  }
  const [requisite] = await requisitesById(tx, requisite_id === null ? [] : [requisite_id]);
  if (requisite === undefined) throw new Refusal("requisite_not_found");
  const { id: requisiteId, currency } = requisite;
  if (kind === "opening_back") {
    const [opened, held] = [await openedOn(tx, requisiteId), await heldBy(tx, "own", currency)];
    const limit = opened < held ? opened : held;
    if (amountMinor > limit) {
      throw new Refusal("own_opening_too_small", { limit: toDecimalText(limit) });
    }
  }
  const posting = kind === "opening" ? ownOpening : ownOpeningBack;
  await post(tx, app, [posting({ sourceId, currency, amountMinor, requisiteId })]);
  return { ...move, currency };
}
