// Trees that their drawing in ARCHITECTURE.md shows truly, and trees that it does not.
import type { Examples } from "./example.ts";

const PAYMENTS = "src/features/payments/queries.ts";
const HANDLER = "src/features/payments/create-payment.endpoint.ts";
const FEE = "src/domain/fee.ts";

function architecture(...tree: string[]): string {
  return ["# Architecture", "```", "no tree", "```", "```text", ...tree, "```", ""].join("\n");
}

export const treeExamples = {
  "the tree in ARCHITECTURE.md is true": {
    bad: [
      { at: "ARCHITECTURE.md:1", tree: { [FEE]: "" } },
      { at: "ARCHITECTURE.md:1", tree: { "ARCHITECTURE.md": "# No tree" } },
      {
        at: "ARCHITECTURE.md:1",
        tree: {
          "ARCHITECTURE.md": architecture("src/", "  domain/  pure", "    fee.ts"),
          [FEE]: "",
          "src/domain/money.ts": "",
        },
      },
      {
        at: "ARCHITECTURE.md:8",
        tree: {
          "ARCHITECTURE.md": architecture("src/", "  domain/", "    fee.ts  money.ts"),
          [FEE]: "",
        },
      },
      {
        at: "ARCHITECTURE.md:7",
        tree: {
          "ARCHITECTURE.md": architecture("src/  all", "  cli/", "  main.ts"),
          "src/main.ts": "",
        },
      },
      {
        at: "ARCHITECTURE.md:1",
        tree: {
          "ARCHITECTURE.md": architecture("src/", "  main.ts"),
          "src/main.ts": "",
          "migrations/0001_start.sql": "",
        },
      },
    ],
    good: [
      {
        "ARCHITECTURE.md": architecture(
          "README.md     what it is; a dog/  inside a comment is no folder",
          "docs/         api.md  money.md",
          "migrations/0001_start.sql  plain SQL",
          "src/",
          "  domain/     pure",
          "    fee.ts    rates, see money.ts",
          "  features/",
          "    ledger/  payments/",
          "      create-payment.endpoint.ts  queries.ts",
          "    index.ts  the lists",
          "  cli/  main.ts",
        ),
        "README.md": "",
        "docs/api.md": "",
        "docs/money.md": "",
        "migrations/0001_start.sql": "",
        [FEE]: "",
        "src/domain/fee.test.ts": "",
        "src/features/ledger/notes.md": "",
        [HANDLER]: "",
        [PAYMENTS]: "",
        "src/features/index.ts": "",
        "src/cli/notes.md": "",
        "src/main.ts": "",
      },
    ],
  },
} satisfies Examples;
