// Every statement about what payers say of their transfers. It proves nothing and moves no money.

import type { Queryable, Tx } from "../../platform/db.ts";
import type { PayerWord } from "./payer-word.ts";

/** The first time counts. */
export async function sayPaid(db: Queryable, paymentId: string, now: Date): Promise<void> {
  await db.query(
    `insert into payer_words (payment_id, paid_said_at) values ($1, $2)
     on conflict (payment_id) do nothing`,
    [paymentId, now],
  );
}

/** A payer may mend it so often; what is told after that is not written down. */
export async function tellWord(
  db: Queryable,
  paymentId: string,
  { amountMinor, bank, sentWhen }: PayerWord,
  most: number,
  now: Date,
): Promise<void> {
  await db.query(
    `insert into payer_words (payment_id, paid_said_at, told_at, times, amount_minor, bank, sent_when)
     values ($1, $2, $2, 1, $3, $4, $5)
     on conflict (payment_id) do update
       set told_at = excluded.told_at, times = payer_words.times + 1,
           amount_minor = excluded.amount_minor, bank = excluded.bank,
           sent_when = excluded.sent_when
       where payer_words.times < $6`,
    [paymentId, now, amountMinor, bank, sentWhen, most],
  );
}

/** Of these payments, of those that are over, what their payers said; how many is the answer. */
export async function removeWords(tx: Tx, paymentIds: readonly string[]): Promise<number> {
  const gone = await tx.query(
    `delete from payer_words where payment_id = any(array(
       select id from payments where id = any($1::uuid[]) and state <> 'live'))
     returning payment_id`,
    [paymentIds],
  );
  return gone.length;
}
