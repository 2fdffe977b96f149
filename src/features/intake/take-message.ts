// From a message to money, in one transaction: stored once, its moment found, its balance looked at, and then
// told as any other teller tells of money. Guards that a message is money once at most, and none where it is
// not clear when it was paid or on what.

import { maskNumbers } from "../../domain/card-number.ts";
import { addSeconds, momentFormat } from "../../domain/moment.ts";
import {
  type Income,
  normalised,
  type Readable,
  toldAt,
  withoutComment,
} from "../../domain/notification.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { acceptTransfers } from "../transfers/transfers.ts";
import type { Channel, Report } from "./adapters.ts";
import { floatMoney, followBalance, holdRequisites } from "./balances.ts";
import { stopBlocked } from "./blocked.ts";
import { type BoundRequisite, requisiteFor } from "./bound.ts";
import {
  addMessage,
  type NewMessage,
  readChain,
  type Settled,
  sameBalance,
  settleMessages,
  wasTold,
} from "./message-queries.ts";
import type { Source } from "./source-gate.ts";
import { type MessageRow, sealText } from "./source-nouns.ts";

/** A bank's second wording with the same balance comes within this. */
const SAME_BALANCE_SECONDS = 10 * 60;
/** A text that says the minute and not the day is told again within this, if at all. */
const REPEAT_SECONDS = 72 * 60 * 60;
/** A phone that was not answered sends the same again within this, also past midnight. */
const RESENT_SECONDS = 10 * 60;

export interface Taking {
  readonly source: Source;
  readonly bound: readonly BoundRequisite[];
  readonly report: Report;
  readonly read: Readable;
  /** What of the report that was read from: nothing else of it is kept. */
  readonly words: string;
}

/** What became of it; a repeat leaves nothing. Whoever calls holds the secret key. */
export async function takeMessage(tx: Tx, app: App, taking: Taking): Promise<MessageRow["fate"]> {
  const { source, bound, report, read, words } = taking;
  const now = app.clock.now();
  const zone = momentFormat(app.config.timeZone);
  const { sentAt, sender } = report;
  const printed = read.kind === "blocked" ? NOTHING_PRINTED : read;
  const told = toldAt({ ...printed, sentAt, receivedAt: now }, zone);
  const text = normalised([report.title, report.text].filter((part) => part !== null).join(" "));
  const digest = app.secrets.digest("message", `${source.id}\0${sender.toLowerCase()}\0${text}`);
  const isDayless = printed.printedTime !== null && printed.printedDay === null;
  const repeatSeconds = isDayless ? REPEAT_SECONDS : RESENT_SECONDS;
  if (await wasTold(tx, source.id, digest, addSeconds(now, -repeatSeconds))) return "duplicate";
  const id = app.newId();
  const requisite = read.kind === "blocked" ? undefined : requisiteFor(read, bound);
  const message: NewMessage = {
    id,
    source_id: source.id,
    text_digest: digest,
    day: zone.day(told?.at ?? now),
    sender,
    channel: channelOf(taking),
    text_sealed: sealText(app.secrets, id, maskNumbers(withoutComment(normalised(words)))),
    kind: read.kind,
    requisite_id: requisite?.id ?? null,
    amount_minor: read.kind === "blocked" ? null : read.amountMinor,
    change_minor: changeOf(read),
    balance_minor: read.kind === "blocked" ? null : read.balanceMinor,
    made_at: told?.madeAt ?? null,
    told_at: told?.at ?? now,
    received_at: now,
  };
  if (!(await addMessage(tx, message))) return "duplicate";
  if (read.kind === "blocked") {
    await stopBlocked(tx, app, source, bound, text);
    return settle(tx, { id, fate: "noted" });
  }
  if (told === undefined) return settle(tx, { id, fate: "waiting" });
  if (requisite === undefined) return settle(tx, { id, fate: "unclear" });
  await holdRequisites(tx, [requisite.id]);
  const around = {
    from: addSeconds(told.at, -SAME_BALANCE_SECONDS),
    to: addSeconds(told.at, SAME_BALANCE_SECONDS),
  };
  // The same amount may come, leave and come again: what follows is no repeat.
  const fits = await doesFollow(tx, app, message, requisite.id);
  const same =
    fits || message.balance_minor === null ? undefined : await sameBalance(tx, message, around);
  if (same === "itself") return settle(tx, { id, fate: "duplicate" });
  // Whether the other's balance has followed is not written down, and a text of the network can be made up to match.
  const isRepeat = read.kind !== "income" || channelOf(taking) === "push";
  const follows = fits || (same === "another" && isRepeat);
  if (read.kind !== "income") return settle(tx, { id, fate: follows ? "noted" : "broken" });
  return settle(tx, await tell(tx, app, taking, message, { read, requisite, follows }));
}

const NOTHING_PRINTED = { printedTime: null, printedDay: null };

async function settle(tx: Tx, settled: Settled): Promise<MessageRow["fate"]> {
  await settleMessages(tx, [settled]);
  return settled.fate;
}

function channelOf({ source, report }: Taking): Channel {
  return report.channel ?? source.channel;
}

/** What the balance changes by; below zero for money that leaves. */
function changeOf(read: Readable): bigint | null {
  if (read.kind === "blocked") return null;
  return read.kind === "outflow" ? -(read.amountMinor + read.feeMinor) : read.amountMinor;
}

/** A message that tells no balance follows from anything. */
async function doesFollow(
  tx: Tx,
  app: App,
  { change_minor: changeMinor, balance_minor: balanceMinor, told_at }: NewMessage,
  requisiteId: string,
): Promise<boolean> {
  if (changeMinor === null || balanceMinor === null) return true;
  return followBalance(tx, app, requisiteId, { changeMinor, balanceMinor, toldAt: told_at });
}

interface ClearIncome {
  readonly read: Income;
  readonly requisite: BoundRequisite;
  readonly follows: boolean;
}

async function tell(
  tx: Tx,
  app: App,
  taking: Taking,
  { id, made_at: madeAt }: NewMessage,
  { read, requisite, follows }: ClearIncome,
): Promise<Settled> {
  const channel = channelOf(taking);
  const second = read.role === "companion" ? ":companion" : "";
  // Without a balance that only the bank knew when it was told, nothing about it can be held against anything.
  const isHardToForge =
    follows && read.balanceMinor !== null && !(await readChain(tx, requisite.id))?.isGuessable;
  const [accepted] = await acceptTransfers(tx, app, [
    {
      requisiteId: requisite.id,
      currency: requisite.currency,
      amountMinor: read.amountMinor,
      payer: read.payer,
      ...(madeAt === null ? {} : { madeAt }),
      told: {
        channel,
        teller: `${channel}:${taking.source.id}${second}`,
        key: id,
        needsProof: taking.source.needs_statement || !isHardToForge,
        hold: follows ? null : "balance_break",
      },
    },
  ]);
  if (accepted === undefined || accepted instanceof Error) return { id, fate: "waiting" };
  const { transfer, fresh } = accepted;
  if (fresh && read.balanceMinor === null) await floatMoney(tx, requisite.id, read.amountMinor);
  return { id, fate: fresh && !follows ? "broken" : "accepted", transfer_id: transfer.id };
}
