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
