// Trees that their drawing in ARCHITECTURE.md shows truly, and trees that it does not.
import type { Examples, Tree } from "./example.ts";

const FEE = "src/domain/fee.ts";

/** What is drawn, in the sixth line of the document and after it, and the files that there are. */
function drawn(lines: readonly string[], ...files: string[]): Tree {
  const document = ["# Architecture", "```", "no tree", "```", "```text", ...lines, "```", ""];
  const tree = Object.fromEntries(files.map((file) => [file, ""]));
  return { "ARCHITECTURE.md": document.join("\n"), ...tree };
}

function bad(line: number, tree: Tree) {
  return { at: `ARCHITECTURE.md:${line}`, tree };
}

export const treeExamples = {
  "the tree in ARCHITECTURE.md is true": {
    bad: [
      bad(1, { [FEE]: "" }),
      bad(1, { "ARCHITECTURE.md": "# No tree" }),
      bad(1, drawn(["src/", "  domain/  pure", "    fee.ts"], FEE, "src/domain/money.ts")),
      bad(8, drawn(["src/", "  domain/", "    fee.ts  money.ts"], FEE)),
      bad(9, drawn(["src/", "  domain/", "    fee.ts", "    fee.ts  again"], FEE)),
      bad(7, drawn(["src/  all", "  cli/", "  main.ts"], "src/main.ts")),
      bad(1, drawn(["src/", "  main.ts"], "src/main.ts", "migrations/01_start.sql")),
    ],
    good: [
      drawn(
        [
          "README.md     what it is; a dog/  inside a comment is no folder",
          "docs/         api.md  money.md",
          "migrations/01_start.sql  plain SQL",
          "src/",
          "  domain/     pure",
          "    fee.ts    rates, see money.ts",
          "  features/",
          "    ledger/  payments/",
          "      create-payment.endpoint.ts  queries.ts",
          "    index.ts  the lists",
          "  cli/  main.ts",
        ],
        "README.md",
        "docs/api.md",
        "docs/money.md",
        "migrations/01_start.sql",
        FEE,
        "src/domain/fee.test.ts",
        "src/features/ledger/notes.md",
        "src/features/index.ts",
        "src/features/payments/create-payment.endpoint.ts",
        "src/features/payments/queries.ts",
        "src/cli/notes.md",
        "src/main.ts",
      ),
    ],
  },
} satisfies Examples;
