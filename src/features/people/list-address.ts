// What the address of a list asks for, and the same address with something changed. Guards that a day is the
// gateway's day, whole, and that an address is never answered for another merchant than it was made for.

import { momentFormat } from "../../domain/moment.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { Look } from "../screens/look.ts";
import { dayAfter } from "../screens/period.ts";
import type { Sight } from "./site.ts";

/** What the address asks for; of what stands there several times, the last. */
export function askedIn<Who>({ visit }: Sight<Who>, name: string): string | undefined {
  return [visit.sent[name] ?? []].flat().at(-1);
}

/** Another tab may have turned to another merchant since: then what this one leads to is not what it shows. */
export function refuseOther<Who>(sight: Sight<Who>): void {
  if ((askedIn(sight, "of") ?? sight.formOf) !== sight.formOf) throw new Refusal("wrong_merchant");
}

/** A day that somebody chose begins where the gateway is, as days of statistics do. */
export function dayAsMoment<Sent>(sent: Sent, { look }: { readonly look: Look }): Sent | string {
  return isDay(sent) ? momentFormat(look.zone).startOf(sent).toISOString() : sent;
}

/** Who chooses the last day of a period means all of it: doors take the first moment that is past it. */
export function dayEnd<Sent>(sent: Sent, { look }: { readonly look: Look }): Sent | string {
  const next = isDay(sent) ? dayAfter(sent) : undefined;
  return isDay(next) ? momentFormat(look.zone).startOf(next).toISOString() : sent;
}

/** What is no day, or none that anything here can be of, is the door's to refuse. */
function isDay(sent: unknown): sent is string {
  const isWritten = typeof sent === "string" && /^\d{4}-\d\d-\d\d$/.test(sent);
  return isWritten && Date.parse(sent) > 0 && new Date(sent).toISOString().startsWith(sent);
}

/** The same address with something changed; an empty text leaves it out. */
export function addressOf(
  path: string,
  query: string,
  changes: Readonly<Record<string, string>>,
): string {
  const wanted = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === "") wanted.delete(name);
    else wanted.set(name, value);
  }
  for (const [name, value] of [...wanted]) if (value === "") wanted.delete(name);
  return wanted.size === 0 ? path : `${path}?${wanted}`;
}
