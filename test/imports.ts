// Imports, applied to their end: by this very call, and by the gateway's own job, which may be at it as well.

import { applyImportsJob } from "../src/features/intake/apply-imports.job.ts";
import type { App } from "../src/platform/app.ts";

export async function applyImports({ app }: { readonly app: App }): Promise<void> {
  for (;;) {
    const open = await app.db.query("select from imports where applied_at is null");
    if (open.length === 0) return;
    await applyImportsJob.run(app);
  }
}

/** One that is tried again and again in vain: its file was sealed with a key that nobody has. */
export async function failingImport({ app }: { readonly app: App }): Promise<string> {
  const id = app.newId();
  await app.db.query(
    `insert into imports (id, digest, filename, format, content_sealed, lines, pending_lines,
       created_by, created_at)
     values ($1, $2, 'lost.txt', '1c', $2, 1, 0, 'anna', $3)`,
    [id, Buffer.from(id), app.clock.now()],
  );
  for (;;) {
    const failed = await app.db.query("select from failing_rows where id = $1", [id]);
    if (failed.length > 0) return id;
    await applyImportsJob.run(app);
  }
}
