// Lines of statements that wait for a person in a test: another line stands in their place since the last file.

import assert from "node:assert/strict";
import type { TestGateway } from "./gateway.ts";
import { applyImports } from "./imports.ts";
import { manage } from "./manage.ts";
import type { Order, Orders } from "./orders.ts";
import { openCard, openPhone } from "./phone.ts";
import { statement1c } from "./statement-file.ts";

/** Whose account the lines are of. */
export const CHANGED_CARD = "00000000-0000-4000-8000-000000000101";
const ACCOUNT = "40817810000000000101";
type Gateway = Pick<TestGateway, "app" | "call" | "clock">;

interface Line {
  readonly line_id: string;
  readonly import_id: string;
}

let numbers = 0;

/** Money of a day, without it of today, that came, and that a bank has changed since: the line waits as "changed". */
export async function changedLine(gateway: Gateway, sum: number, onDay?: string) {
  const own = manage(gateway);
  const inMoscow = gateway.app.clock.now().getTime() + 3 * 3_600_000;
  const day = onDay ?? new Date(inMoscow).toISOString().slice(0, 10);
  numbers += 1;
  let line: Line | undefined;
  for (const one of [0.01, sum]) {
    const days = { [day]: [{ sum: one, number: `changed ${numbers}` }] };
    const content = Buffer.from(statement1c([{ account: ACCOUNT, days }])).toString("base64");
    const filename = `${numbers} ${one}.txt`;
    const { import_id } = await own.post("imports", { filename, content });
    await applyImports(gateway);
    [line] = (await own.get(`lines?import_id=${import_id}&waiting=true`)).items;
  }
  if (line === undefined) assert.fail("no line waits");
  return { ...line, path: `lines/${line.line_id}/decide` };
}

/** Where there is no other card: an order that is paid by money which only a text has told of, and a line of the same money that waits. */
export async function paidByText(gateway: Gateway, trade: Orders, amount: number) {
  const order: Order = await trade.order({ amount });
  const phone = await openPhone(gateway);
  await phone.hears(openCard(gateway, order.wallet).income(order.amount));
  return { order, line: await changedLine(gateway, order.amount) };
}
