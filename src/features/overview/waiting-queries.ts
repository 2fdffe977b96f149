// What waits for a person, each kind counted by the index of just that, and no further than a limit: it costs
// no more where a million rows wait than where a thousand do.

import type { ApprovalAction } from "../../domain/approval.ts";
import { UNPROVEN_DAYS } from "../../domain/transfer.ts";
import type { Queryable } from "../../platform/db.ts";
import { firstIdAt } from "../../platform/id.ts";
import { IS_OPEN } from "../intake/line-queries.ts";
import { OF_NO_PROGRAM } from "../payouts/rail-queries.ts";

/** Counted exactly up to here. */
export const MOST_COUNTED = 1_000;

/** Of a requisite's newest details so many are looked at; it is dead when ten ended and none was paid. */
const NEWEST = 30;
const ENDED_UNPAID = 10;
const DEAD_HOURS = 6;
const HOUR_MS = 3_600_000;

export const WAITING_KINDS = [
  ...(["suspense", "transfers_to_approve"] as const),
  ...(["payouts_to_approve", "payouts_to_take", "payouts_unknown", "payouts_to_return"] as const),
  ...(["events_exhausted", "imports_failing", "lines_to_decide", "lines_to_approve"] as const),
  ...(["transfers_unproven", "requisites_renumbered"] as const),
  ...(["requisites_at_limit", "requisites_off_with_live", "requisites_resting"] as const),
  ...(["requisites_dead", "sources_silent", "rows_failing", "books_wrong"] as const),
] as const;

type WaitingKind = (typeof WAITING_KINDS)[number];

export interface WaitingRow {
  readonly kind: WaitingKind;
  /** Null where it is not about money. */
  readonly currency: string | null;
  readonly count: number;
  readonly capped: boolean;
  readonly amount_minor: bigint | null;
  readonly oldest_at: Date | null;
  readonly first_id: string;
}

/** For what has no amount. */
const NO_MONEY = "null::text as currency, null::bigint as amount_minor";

/**
 * Now, the day in the service's time zone, and the first id of the hours that a card is judged by. Estimates must not
 * depend on them: else the server plans anew each time, which takes longer than to run.
 */
const ASKED = `with asked as materialized (
  select $1::timestamptz as now, $2::date as today, $3::uuid as hours_begin)`;
const NOW = "(select now from asked)";
const TODAY = "(select today from asked)";
const HOURS_BEGIN = "(select hours_begin from asked)";

/** Its id begins with it: a thousand events need not be read for the oldest of them. */
const MOMENT_OF_EVENT = `to_timestamp((('x' || left(event_id::text, 8)
  || substr(event_id::text, 10, 4))::bit(48)::bigint / 1000.0)::double precision)`;

/** Rows of `id, currency, amount_minor, since`, the oldest first. */
function counted(kind: WaitingKind, rows: string): string {
  return `(select '${kind}' as kind, currency, least(count(*), ${MOST_COUNTED})::integer as count,
                  sum(count(*)) over () > ${MOST_COUNTED} as capped,
                  sum(amount_minor)::bigint as amount_minor, min(since) as oldest_at,
                  (array_agg(id order by since, id))[1] as first_id
           from (${rows} limit ${MOST_COUNTED + 1}) row group by currency)`;
}

const payoutsIn = (state: string, since: string): string =>
  `select id, currency, receive_minor as amount_minor, ${since} as since from payouts
   where state = '${state}' order by id`;

const requisites = (since: string, condition: string): string =>
  `select requisite_id as id, ${NO_MONEY}, ${since} as since from requisite_usage
   where ${condition} order by requisite_id`;

/** What one person approved and another one has to; of all large ones ever approved, which are few. */
const waitingApprovals = (action: ApprovalAction): string =>
  `select subject_id as id, currency, amount_minor, min(at) as since from waiting_approvals
   where action = '${action}' and (ends_at is null or ends_at > ${NOW})
   group by 1, 2, 3 order by 1`;

/** Read up to the first paid one: few of a card that payers reach. */
const NEWEST_OF_CARD = `select state, created_at from payments
         where requisite_id = usage.requisite_id and id >= ${HOURS_BEGIN}
         order by id desc limit ${NEWEST}`;

const KINDS = [
  counted(
    "suspense",
    `select id, currency, amount_minor, received_at as since from transfers
     where state = 'suspense' order by id`,
  ),
  counted("transfers_to_approve", waitingApprovals("assign")),
  counted("payouts_to_approve", payoutsIn("held", "created_at")),
  // Those of a service that no program takes: else they leave by themselves.
  counted(
    "payouts_to_take",
    `select id, currency, amount_minor, since
     from (select id, service, currency, receive_minor as amount_minor, queued_at as since
           from payouts where queued_at <= ${NOW} order by queued_at limit ${MOST_COUNTED + 1}) line
     where ${OF_NO_PROGRAM}`,
  ),
  counted(
    "payouts_unknown",
    payoutsIn(
      "unknown",
      `(select dispatched_at from payout_attempts
        where payout_id = payouts.id and payout_attempts.state <> 'not_sent')`,
    ),
  ),
  counted("payouts_to_return", waitingApprovals("returned")),
  counted(
    "events_exhausted",
    `select event_id as id, ${NO_MONEY}, ${MOMENT_OF_EVENT} as since
     from outbox where next_attempt_at is null order by event_id`,
  ),
  counted(
    "imports_failing",
    `select id, ${NO_MONEY}, failed_at as since from failing_rows
     where kind = 'apply-imports' order by id`,
  ),
  counted(
    "lines_to_decide",
    `select id, (select currency from requisites where id = line.requisite_id) as currency,
            amount_minor, (select created_at from imports where id = line.import_id) as since
     from statement_lines line where ${IS_OPEN} order by id`,
  ),
  counted("lines_to_approve", waitingApprovals("book")),
  counted(
    "transfers_unproven",
    `select id, currency, amount_minor, since
     from (select id, currency, amount_minor, received_at as since from transfers
           where needs_proof order by id limit ${MOST_COUNTED + 1}) told
     where since < ${NOW} - interval '${UNPROVEN_DAYS} days'`,
  ),
  // For a day, so that somebody else sees it: payers send their money where this number is.
  counted(
    "requisites_renumbered",
    `select id, ${NO_MONEY}, since
     from (select requisite_id as id, max(greatest(since, until)) as since from requisite_numbers
           where kind <> 'account' group by requisite_id) numbered
     where since > ${NOW} - interval '1 day' order by id`,
  ),
  counted(
    "requisites_at_limit",
    requisites(
      "null::timestamptz",
      `enabled and resting_since is null and (live_payments >= max_live_payments
         or max_day_payments = 0 or max_day_sum_minor = 0
         or day >= ${TODAY}
            and (day_payments >= max_day_payments or day_sum_minor >= max_day_sum_minor))`,
    ),
  ),
  counted(
    "requisites_off_with_live",
    requisites("last_used_at", "not enabled and live_payments > 0"),
  ),
  counted(
    "requisites_resting",
    requisites("resting_since", "enabled and resting_since is not null"),
  ),
  // Payers reach some card, and not this one.
  counted(
    "requisites_dead",
    `select requisite_id as id, ${NO_MONEY}, since
     from requisite_usage usage
     cross join lateral (
       select min(created_at) as since, count(*) filter (where state = 'lapsed') as ended
       from (${NEWEST_OF_CARD}) newest) seen
     where enabled
       and exists (
         select from (select state from transfers where id >= ${HOURS_BEGIN}
                      order by id limit ${MOST_COUNTED}) newest where state = 'matched')
       and not exists (select from (${NEWEST_OF_CARD}) newest where state = 'paid')
       and ended >= ${ENDED_UNPAID} order by requisite_id`,
  ),
  counted(
    "sources_silent",
    `select id, ${NO_MONEY}, silent_since as since from sources
     where silent_since is not null and revoked_at is null order by id`,
  ),
  counted(
    "rows_failing",
    `select id, ${NO_MONEY}, failed_at as since from failing_rows
     where kind <> 'apply-imports' order by kind, id`,
  ),
  // Of the last check alone: what was found before may have been mended.
  `(select 'books_wrong', null, least(violations, ${MOST_COUNTED}), violations > ${MOST_COUNTED}, null,
           ended_at, id
    from (select id, violations, ended_at from book_checks where ended_at is not null
          order by id desc limit 1) last
    where violations > 0)`,
];
const WAITING = `${ASKED}\n${KINDS.join("\nunion all\n")}`;

export function everythingThatWaits(db: Queryable, now: Date, day: string): Promise<WaitingRow[]> {
  const judgedSince = new Date(now.getTime() - DEAD_HOURS * HOUR_MS);
  return db.query<WaitingRow>(WAITING, [now, day, firstIdAt(judgedSince)]);
}
