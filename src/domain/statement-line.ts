// What tells a statement's line from every other, so that a file which is brought again, or overlaps with
// another, brings nothing twice and loses nothing: equal payments of one day are counted, not merged.

import type { StatementLine } from "./statement.ts";

export interface LineKey {
  /** What the line says; equal for equal lines. */
  readonly key: string;
  /** Which of the equal lines it is, from 1. */
  readonly ordinal: number;
  /**
   * Which document it is. Known with another key, and that key no longer in the file, it is a document that
   * has changed. Null where the file has nothing to tell one by.
   */
  readonly identity: string | null;
}

type Digest = (text: string) => string;

/**
 * Asked for all the lines that a file has of one account, in the file's order: ordinals count over all of them.
 * What is not booked has keys of its own, so that it never stands for the money that it may become.
 */
export function lineKeys(digest: Digest): (line: StatementLine) => LineKey {
  const counts = new Map<string, number>();
  return (line) => {
    const id = line.bankId ?? sbpIdOf(line.purpose);
    const key = digest([line.status, ...contentOf(line, id)].join("\0"));
    const ordinal = (counts.get(key) ?? 0) + 1;
    counts.set(key, ordinal);
    const document = identityOf(line, id);
    return { key, ordinal, identity: document === null ? null : digest(document.join("\0")) };
  };
}

/**
 * Joined by what no text of a statement holds. With the bank's id neither texts nor times matter, which banks write
 * anew; the sum and the day do. Else the purpose counts in its compatible letters.
 */
function contentOf(line: StatementLine, id: string | null): (string | null)[] {
  const { direction, day, time, amountMinor, number, party, purpose } = line;
  const always = [direction, day, String(amountMinor)];
  if (id !== null) return ["id", ...always, id];
  const text = purpose.normalize("NFKC");
  return ["text", ...always, time, number, party.account, party.inn, text];
}

/** An id is of one document whatever became of its day; a number only with the day and the other side. */
function identityOf(line: StatementLine, id: string | null): (string | null)[] | null {
  const { direction, day, number, party } = line;
  if (id !== null) return ["id", direction, id];
  if (number === null && party.account === null) return null;
  return ["document", direction, day, number, party.account];
}

/** A bank that dates a movement anew moves it by no more days. */
export const REDATED_DAYS = 7;

/** Whether a line of as much may be one of another day that the file no longer has. */
export function canBeRedated(day: string, otherDay: string): boolean {
  const days = (Date.parse(day) - Date.parse(otherDay)) / (24 * 60 * 60 * 1000);
  return Math.abs(days) <= REDATED_DAYS;
}

/** An operation of the fast payment system has an id of 32 characters in all banks' texts. */
const SBP_ID_LENGTH = 32;
const SBP_ID = /(?<![0-9A-Za-z])[AB][0-9A-F]{31}(?![0-9A-Za-z])/g;

/** Where a text names two, it is not known which of them is its own. */
function sbpIdOf(purpose: string): string | null {
  if (purpose.length < SBP_ID_LENGTH) return null;
  const [found, ...others] = purpose.match(SBP_ID) ?? [];
  return others.length === 0 ? (found ?? null) : null;
}
