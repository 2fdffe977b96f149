// Every statement about the day that payments count for towards their requisites' limits, where a clock was set
// back.

import type { Tx } from "../../platform/db.ts";
import type { DayUsage } from "../requisites/requisite-queries.ts";

/** What these requisites took for a later day than the latest there can be counts for today. */
export async function countForToday(
  tx: Tx,
  requisiteIds: readonly string[],
  today: string,
  latest: string,
): Promise<void> {
  await tx.query(
    `update payments set created_on = $2
     from (select id from payments
           where requisite_id = any($1::uuid[]) and created_on > $3::date
           order by id for no key update) ahead
     where payments.id = ahead.id`,
    [requisiteIds, today, latest],
  );
}

/** What each has taken on a day, and how many payments are of later ones. */
export function usageOfDay(
  tx: Tx,
  requisiteIds: readonly string[],
  day: string,
  latest: string,
): Promise<(DayUsage & { later: number })[]> {
  return tx.query<DayUsage & { later: number }>(
    `select requisite.id, count(payment.id) filter (where ${COUNTS})::integer as payments,
            coalesce(sum(payment.to_pay_minor) filter (where ${COUNTS}), 0)::bigint as sum_minor,
            count(payment.id) filter (where payment.created_on > $3::date)::integer as later
     from unnest($1::uuid[]) as requisite(id)
     left join payments payment
       on payment.requisite_id = requisite.id and payment.created_on >= $2::date
     group by 1`,
    [requisiteIds, day, latest],
  );
}

/** Towards a requisite's limits of the day: what may still come, and what came in time. */
const COUNTS = `payment.created_on = $2::date
              and (payment.state = 'live' or payment.state = 'paid' and not payment.late)`;
