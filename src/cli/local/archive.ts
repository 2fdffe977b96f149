// kopeck archive: takes a month that is over out of the tables.

import { monthOf } from "../../domain/month.ts";
import { archiveMonth, endOfMonth } from "../../features/history/archive.ts";
import {
  type Archive,
  type Obstacle,
  obstaclesBefore,
} from "../../features/history/archive-queries.ts";
import { recordAudit } from "../../features/operators/doors.ts";
import { flag, type LocalWork, UsageFailure } from "../command.ts";
import { withHistory } from "./partition.ts";

export const archive: LocalWork = {
  description: `Takes everything up to the end of a month out of invoices, payments, events and postings, into the schema
archive_YYYY_MM of the same database: "pg_dump -n" takes it away from there. It refuses where anything
of that time is not over, names what, and changes nothing then; the exit code is 1. Balances begin
with what was taken out; its orders and references stay known, so none of them is done twice. The
gateways may go on: each table is locked for a moment, and money that comes meanwhile for what is
being taken out waits. Stopped and run again it begins anew.`,
  places: [
    {
      ...{ name: "month", kind: "string", required: true },
      description: "The last month to take out, 2026-08.",
    },
  ],
  options: [flag("dry_run", "Only says what is in the way.")],
  example:
    "DATABASE_URL=$(cat database-url) KOPECK_SECRET_KEY=$(cat secret-key) kopeck archive 2026-08",
  async run({ input, env, print }) {
    const month = typedMonth(input["month"]);
    return withHistory(env, async (session, app) => {
      const now = app.clock.now();
      const beforeId = await endOfMonth(session, month, now);
      if (input["dry_run"] === true) {
        const obstacles = await obstaclesBefore(session, beforeId, now);
        print(obstacles.length > 0 ? refused(obstacles) : "nothing is in the way\n");
        return obstacles.length > 0 ? 1 : 0;
      }
      const say = (line: string): void => void process.stderr.write(`${line}\n`);
      const wish = { month, beforeId, clock: app.clock };
      const done = await archiveMonth(session, wish, say, (tx, made) =>
        recordAudit(tx, app, {
          ...{ act: "history.archive", subject: month },
          ...{ before: null, after: shown(made) },
        }),
      );
      if (!("archive" in done)) {
        print(refused(done.obstacles));
        return 1;
      }
      print(archived(done.archive));
      return 0;
    });
  },
};

/** What was typed wrongly is said before any database is opened. */
export function typedMonth(typed: unknown): string {
  const month = String(typed);
  if (monthOf(month) !== undefined) return month;
  throw new UsageFailure(`The month must be YYYY-MM, for example 2026-08, not "${month}".`);
}

function refused(obstacles: readonly Obstacle[]): string {
  const lines = obstacles.map(
    ({ reason, found, example }) => `  ${reason}: ${found}, ${example} among them\n`,
  );
  return `not archived, nothing was changed:\n${lines.join("")}`;
}

function shown({ invoices, payments, postings, events }: Archive) {
  return Object.fromEntries(
    Object.entries({ invoices, payments, postings, events }).map(([name, count]) => [
      name,
      Number(count),
    ]),
  );
}

function archived(done: Archive): string {
  const counts = Object.entries(shown(done)).map(([name, count]) => `${count} ${name}`);
  const schema = `archive_${done.month.replace("-", "_")}`;
  return `archived ${counts.join(", ")} in the schema ${schema}\n`;
}
