// Trees that keep and that break the rules about names, sizes and manners. The forbidden words of
// one machine are put together from halves, so that this file keeps the rule it shows broken.
import type { Examples } from "./example.ts";
import { bad } from "./example.ts";

const HANDLER = "src/features/payments/create-payment.endpoint.ts";
const FEE = "src/domain/fee.ts";

function lines(count: number): string {
  return "// A line.\n".repeat(count);
}

export const styleExamples = {
  "a door has its test beside it": {
    bad: [
      bad(HANDLER, ""),
      bad("src/features/payments/lapse-payments.job.ts", ""),
      bad("src/features/checkout/pay.page.ts", ""),
    ],
    good: [
      {
        "src/features/a/b.job.ts": "",
        "src/features/a/b.job.test.ts": "",
        "src/features/a/c.ts": "",
      },
    ],
  },

  "names say something": {
    bad: [
      bad("src/platform/utils.ts", ""),
      bad("src/platform/helpers/clock.ts", ""),
      bad("src/features/payments/types.ts", ""),
      bad("src/features/payments/payment-service.ts", ""),
      bad("test/shared.test.ts", ""),
      bad("docs/common/money.md", ""),
    ],
    good: [
      { "src/features/payments/create-h2h-payment.endpoint.test.ts": "" },
      { "src/platform/base-url.ts": "", "src/platform/database.ts": "" },
      { "ARCHITECTURE.md": "", "migrations/01_start.sql": "", ".ci/run": "", LICENSE: "" },
    ],
  },

  "a file opens with a comment": {
    bad: [
      bad(FEE, "export const fee = 1;"),
      bad(FEE, "\n// Too late.\n"),
      bad("test/races.test.ts", "import x;"),
      bad("bench/run.ts", "import x;"),
      bad("sdk/src/client.ts", "import x;"),
      bad("bin/kopeck.mjs", "#!/usr/bin/env node\nimport x;"),
    ],
    good: [
      { [FEE]: "// Fees.\n", "src/domain/money.ts": "/** Money. */\n", "web/style.css": "a {}" },
      { "bin/kopeck.mjs": "#!/usr/bin/env node\n// The launcher.\n" },
    ],
  },

  "no file is too long": {
    bad: [bad(FEE, lines(601), 601)],
    good: [{ [FEE]: lines(600), "src/domain/fee.test.ts": lines(700), "test/a.ts": lines(700) }],
  },

  "nothing of one machine leaks into the tree": {
    bad: [
      bad("README.md", `\nSee ${"/wo"}rk/main.`, 2),
      bad(".ci/run", `cd ${"/ro"}ot/kopeck`),
      bad("docs/operations.md", `file://${"/Us"}ers/ann/kopeck`),
      bad("package-lock.json", `"https://registry.${"npm"}js.org/pg"`),
      bad("README.md", `see ${"npm"}js.org`),
    ],
    good: [
      { "README.md": "See /var/lib/kopeck and https://kopeck.example/work/root/ or net/work/." },
    ],
  },
} satisfies Examples;
