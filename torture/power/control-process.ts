// PGlite as it comes, as a process: "write" makes a table and, when it is told to, one row after another,
// each told as soon as it is acknowledged; "count" says how many there are.

import { PGlite } from "@electric-sql/pglite";
import { NodeFS } from "@electric-sql/pglite/nodefs";

const [task, directory = ""] = process.argv.slice(2);

const say = (line: string | number): void => void process.stdout.write(`${line}\n`);

const db = await PGlite.create({ fs: new NodeFS(directory) });
if (task === "count") {
  const { rows } = await db.query<{ rows: number }>("select count(*)::integer as rows from kept");
  say(rows[0]?.rows ?? "nothing");
  process.exit(0);
}

await db.exec("create table kept (id integer primary key); checkpoint");
const told = Promise.withResolvers<void>();
process.once("SIGUSR2", () => told.resolve());
// A signal alone keeps no process alive.
const waiting = setInterval(() => {}, 1_000);
say("prepared");
await told.promise;
clearInterval(waiting);
for (let id = 1; ; id += 1) {
  await db.query("insert into kept values ($1)", [id]);
  say(id);
  // A turn of the loop, or nothing said would leave the process.
  await new Promise((resolve) => setImmediate(resolve));
}
