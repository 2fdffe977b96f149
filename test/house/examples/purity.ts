// Trees that keep and that break the rules about hidden inputs and money.
import type { Examples } from "./example.ts";
import { bad } from "./example.ts";

const HANDLER = "src/features/payments/create-payment.endpoint.ts";
const FEE = "src/domain/fee.ts";

export const purityExamples = {
  "the domain and the rooms read no clock, environment or chance": {
    bad: [
      bad(FEE, "export const at = Date.now();"),
      bad(HANDLER, "\nexport const at = new Date();", 2),
      bad(HANDLER, "const at = new Date( );"),
      bad(HANDLER, "const at = new Date;"),
      bad(HANDLER, "const at = Date();"),
      bad(HANDLER, "const clock = Date.now;"),
      bad(HANDLER, "const at = Temporal.Now.instant();"),
      bad(HANDLER, "const at = performance.now();"),
      bad(HANDLER, "const url = process.env.URL;"),
      bad(HANDLER, 'const url = process["env"];'),
      bad(HANDLER, "const url = globalThis.process.env;"),
      bad(HANDLER, "const url = import.meta.env;"),
      bad(HANDLER, "const chance = Math.random();"),
      bad(HANDLER, "const id = randomUUID();"),
      bad(HANDLER, "const id = `${crypto.randomUUID()}`;"),
      bad(HANDLER, "const key = randomBytes(8);"),
      bad(HANDLER, "crypto.getRandomValues(key);"),
    ],
    good: [
      { [FEE]: "const at = new Date(atMs); // Not Date.now()\nthis.process.run(`Date.now()`);" },
      { [HANDLER]: "const at = app.clock.now(); const validDate = toDate(at); reprocess.env;" },
      { "src/platform/app.ts": "const clock = { now: () => Date.now() };" },
      { "src/features/payments/a.job.test.ts": "const at = Date.now();" },
    ],
  },

  "the domain does not wait": {
    bad: [bad(FEE, "export async function f() {}"), bad(FEE, "\nfor await (const x of y) {}", 2)],
    good: [
      { [FEE]: "// We await no one.\nexport const awaited = `async`;" },
      { [HANDLER]: "await f();" },
      { "src/domain/fee.test.ts": "await f();" },
    ],
  },

  "money is divided only in domain/money.ts": {
    bad: [
      bad(FEE, "const half = feeMinor / two;"),
      bad(FEE, "const half = price.minor / two;"),
      bad(FEE, "feeMinor /= two;"),
      bad(HANDLER, "const half = BigInt(row.fee_minor) / two;"),
      bad("src/platform/metrics.ts", "const roubles = Number(amountMinor) / 100;"),
      bad(FEE, "const share = whole / total.minor;"),
      bad(FEE, "const share = whole / (a.feeMinor + b);"),
      bad(FEE, "const roubles = kopecks / 100n;"),
      bad(FEE, "\nconst share = parseFloat(text);", 2),
      bad(HANDLER, "const share = Number.parseFloat(text);"),
      bad(HANDLER, "const words = amount.toFixed(2);"),
      bad("src/domain/money.ts", "const words = amount.toFixed(2);"),
    ],
    good: [
      { "src/domain/money.ts": "return minor / divisor + minor / 100n;" },
      { [FEE]: "const fee = divCeil(priceMinor * rate, million); // feeMinor / two" },
      {
        [FEE]: "const pages = Math.ceil(count / 50); const r = /minor / 2/.test(`feeMinor / two`);",
      },
      { "src/platform/metrics.ts": "const seconds = (elapsedMs / 1000).toFixed(3);" },
      { "src/domain/fee.test.ts": "assert.equal(feeMinor / 2n, 5n);" },
    ],
  },
} satisfies Examples;
