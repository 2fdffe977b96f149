// The commands about money that leaves; part of the table of all commands.

import type { Doors, Input } from "./command.ts";
import { SAMPLE_ID as ID } from "./manual.ts";
import { money } from "./print.ts";

export const PAYOUTS: Doors = {
  "payout list": {
    call: "GET /manage/payouts",
    columns: "payout_id state service amount wallet held_reason created_at",
    example: "--state unknown",
  },
  "payout show": { call: "GET /manage/payouts/{payout_id}" },
  "payout add": {
    call: "POST /manage/payouts",
    warning: "The money is set aside, and waits for another operator's approval.",
    example: `--user-id ${ID} --service card --wallet-to - --amount 100`,
  },
  "payout approve": {
    call: "POST /manage/payouts/{payout_id}/approve",
    warning: "Once enough have approved it, it is sent.",
  },
  "payout refuse": {
    call: "POST /manage/payouts/{payout_id}/refuse",
    warning: "The money is the user's again, and they are told why.",
    example: '--reason "not your card"',
  },
  "payout take": {
    call: "POST /manage/payouts/{payout_id}/take",
    warning: "It is yours to send within 30 minutes; the audit log keeps that you looked.",
    says: ({ payout, wallet, bank_name, receive, lease_until }, timeOf) => {
      const { currency } = payout as Input;
      const bank = bank_name === null ? "" : ` at ${bank_name}`;
      const what = `${money(Number(receive))} ${currency} to ${wallet}${bank}`;
      return `Send exactly ${what}, until ${timeOf(lease_until)}.`;
    },
  },
  "payout sent": {
    call: "POST /manage/payouts/{payout_id}/sent",
    places: ["bank_reference"],
    warning: "The money is booked as gone.",
  },
  "payout not-sent": {
    call: "POST /manage/payouts/{payout_id}/not-sent",
    warning:
      "The money is the user's again, or the payout is sent by somebody else; where it needs two approvals, with the second one.",
    example: '--reason "the bank refused it" --retry',
    says: ({ state }) =>
      state === "unknown"
        ? "Nothing has moved yet: another person has to approve it as well, by `kopeck payout resolve`."
        : `It is ${state}.`,
  },
  "payout resolve": {
    call: "POST /manage/payouts/{payout_id}/resolve",
    warning: "What you say decides about money: look at the bank's own list first.",
    example: '--outcome not_sent --reason "not in the statement of the day"',
  },
  "payout return": {
    call: "POST /manage/payouts/{payout_id}/return",
    warning:
      "Gives the money back to the user and sends an event; where two approvals are needed, with the second.",
    example: '--reason "the account is closed"',
    says: ({ state, approvals }) => {
      if (state === "returned") return "It is returned.";
      return Number(approvals) === 0
        ? "The approval of its return is withdrawn."
        : "Nothing has moved yet: another person has to approve it as well.";
    },
  },
  "payout recover": {
    call: "POST /manage/payouts/{payout_id}/recover",
    places: ["bank_reference"],
    warning: "The money is taken from the user's balance once more: it had left.",
    example: '--reason "a line of the statement"',
  },
  "payout-batch list": {
    call: "GET /manage/payout-batches",
    columns: "batch_id format payouts sum currency created_by created_at",
  },
  "payout-batch make": {
    call: "POST /manage/payout-batches",
    places: ["format"],
    warning: "What is in the file is sent by the bank alone from now on.",
    example: "--service card --limit 100",
  },
  "payout-tariff list": {
    call: "GET /manage/payout-tariffs",
    columns:
      "service currency percent fix min_sum max_sum day_sum hold_over hold_first four_eyes_over enabled",
    example: `--user-id ${ID}`,
  },
  "payout-tariff set": {
    call: "POST /manage/payout-tariffs",
    places: ["service"],
    example: "--percent 1.5 --min-sum 100 --max-sum 100000 --hold-over 50000",
  },
  "payout-tariff remove": {
    call: "POST /manage/payout-tariffs/remove",
    places: ["service"],
    warning: "Users who have no other tariff for it have no payouts any more.",
    example: `--user-id ${ID}`,
  },
  "rail list": {
    call: "GET /manage/rails",
    columns: "code kind services paused url repeatable_seconds",
  },
  "rail add": {
    call: "POST /manage/rails",
    places: ["code"],
    example: "--url http://127.0.0.1:9400 --services card --repeatable-seconds 86400",
  },
  "rail change": { call: "POST /manage/rails/{code}", example: "--services card --services sbp" },
  "rail pause": {
    call: "POST /manage/rails/{code}",
    summary: "Give a rail nothing more to send",
    preset: { paused: true },
  },
  "rail resume": {
    call: "POST /manage/rails/{code}",
    summary: "Let a rail send again",
    preset: { paused: false },
  },
  "rail rotate-secret": {
    call: "POST /manage/rails/{code}/rotate-secret",
    warning: "What is signed with the old secret is refused from now on.",
  },
};
