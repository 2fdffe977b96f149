// Trees that keep and that break the import rules.
import type { BadTree, Examples, Tree } from "./example.ts";
import { bad } from "./example.ts";

const HANDLER = "src/features/payments/create-payment.endpoint.ts";
const FEE = "src/domain/fee.ts";

function imports(path: string, ...specifiers: string[]): Tree {
  return { [path]: specifiers.map((specifier) => `import { x } from "${specifier}";\n`).join("") };
}

function badImport(path: string, specifier: string): BadTree {
  return { at: `${path}:1`, tree: imports(path, specifier) };
}

/** The order of the rooms, written down a second time: a room lost from the list is noticed. */
const ORDER =
  "people merchants tariffs ledger webhooks invoices requisites payments payouts checkout sandbox".split(
    " ",
  );
const NEIGHBOURS = ORDER.slice(1).map((right, index) => [ORDER[index] ?? "", right] as const);

export const importsExamples = {
  "imports follow the floors, the order of the rooms and the entrances": {
    bad: [
      badImport("src/features/desk/show-transfers.page.ts", "../transfers/queries.ts"),
      badImport("src/features/cabinet/show-balance.page.ts", "../ledger/post.ts"),
      badImport(FEE, "node:crypto"),
      badImport(FEE, "typebox"),
      badImport(FEE, "../platform/app.ts"),
      badImport(FEE, "../features/ledger/post.ts"),
      badImport(FEE, "../../package.json"),
      badImport("src/domain/fee.test.ts", "../platform/app.ts"),
      badImport("src/platform/server.ts", "../domain/money.ts"),
      badImport("src/platform/server.ts", "../features/ledger/post.ts"),
      badImport("src/platform/server.ts", "../features/index.ts"),
      badImport("src/features/ledger/post.ts", "../payments/queries.ts"),
      ...NEIGHBOURS.map(([left, right]) =>
        badImport(`src/features/${left}/queries.ts`, `../${right}/queries.ts`),
      ),
      badImport("src/features/ledger/post.ts", "../index.ts"),
      badImport("src/features/ledger/post.ts", "../../main.ts"),
      badImport("src/features/ledger/post.ts", "../../gateway.ts"),
      badImport("src/features/ledger/post.ts", "../../cli/serve.ts"),
      badImport("src/features/ledger/post.test.ts", "../../main.ts"),
      badImport("src/features/ledger/post.ts", "../../../sdk/client.ts"),
      badImport("src/features/ledger/post.ts", "@kopeck/sdk"),
      badImport("src/features/ledger/post.ts", "../../../test/server.ts"),
      badImport("src/features/ledger/post.ts", "../../../bin/kopeck.mjs"),
      badImport("src/features/ledger/post.ts", "../loyalty/queries.ts"),
      badImport("src/features/index.ts", "../main.ts"),
      badImport("src/gateway.ts", "./cli/list.ts"),
      badImport("src/gateway.ts", "./cli/local/serve.ts"),
      badImport("src/gateway.ts", "../sdk/client.ts"),
      badImport("src/cli/local/serve.ts", "../../main.ts"),
      badImport("src/cli/local/serve.ts", "../../../sdk/client.ts"),
      badImport("src/main.ts", "../sdk/client.ts"),
      badImport("src/main.ts", "./gateway.ts"),
      badImport("src/main.ts", "./platform/app.ts"),
      badImport("src/cli/run.ts", "../main.ts"),
      badImport("src/cli/run.ts", "../gateway.ts"),
      badImport("src/cli/pay.ts", "../platform/db.ts"),
      badImport("src/cli/pay.ts", "../features/ledger/queries.ts"),
      badImport("src/cli/pay.ts", "../domain/money.ts"),
      badImport("src/features/ledger/post.ts", "../../cli/local/serve.ts"),
      badImport("web/account.ts", "../src/domain/money.ts"),
      badImport("sdk/client.ts", "node:crypto"),
      badImport("sdk/client.ts", "../src/domain/money.ts"),
      badImport("sdk/src/generate.ts", "node:fs"),
      badImport("sdk/src/client.ts", "../generate.ts"),
      badImport("test/races.test.ts", "./crashes.test.ts"),
      bad("src/features/loyalty/queries.ts", "export const x = 1;"),
      bad("src/features/wire.ts", "export const x = 1;"),
      bad("src/startup.ts", "export const x = 1;"),
      bad(FEE, 'export type { App } from "../platform/app.ts";'),
      bad(FEE, 'import "../platform/app.ts";'),
      bad(FEE, 'import {\n  a,\n  b,\n} from "../platform/app.ts";', 4),
      bad("src/platform/app.ts", 'const x = await import("../domain/money.ts");'),
      bad("src/platform/app.ts", 'let x: import("../domain/money.ts").Money;'),
      bad("src/platform/app.ts", 'new URL("../features/ledger/post.ts", import.meta.url);'),
    ],
    good: [
      imports(
        "src/features/desk/show-transfers.page.ts",
        "../transfers/manage-transfers.endpoint.ts",
      ),
      imports("src/features/cabinet/site.ts", "../merchants/member.ts", "../people/site.ts"),
      imports(FEE, "./money.ts"),
      imports("src/domain/fee.test.ts", "node:test", "fast-check", "./fee.ts", "../../test/a.ts"),
      imports("src/platform/server.ts", "./app.ts", "node:http", "fastify", "../../package.json"),
      imports(HANDLER, "../../domain/fee.ts", "../../platform/app.ts", "typebox", "node:util"),
      imports(HANDLER, "./queries.ts", "../ledger/post.ts", "../merchants/queries.ts"),
      ...NEIGHBOURS.map(([left, right]) =>
        imports(`src/features/${right}/queries.ts`, `../${left}/queries.ts`),
      ),
      imports("src/features/ledger/post.test.ts", "../payouts/queries.ts", "../../../test/a.ts"),
      imports("src/features/index.ts", "./sandbox/a.job.ts", "./merchants/b.endpoint.ts"),
      imports("src/main.ts", "./cli/list.ts", "./cli/local/serve.ts", "node:process"),
      imports("src/cli/local/serve.ts", "./open.ts", "../list.ts", "../../gateway.ts"),
      imports("src/cli/local/serve.ts", "../../features/ledger/queries.ts", "node:fs"),
      imports("src/cli/list.ts", "./local/serve.ts", "../../openapi.json"),
      imports("src/gateway.ts", "./features/index.ts", "./platform/app.ts", "fastify"),
      imports("src/cli/pay.ts", "./print.ts", "../../sdk/client.ts", "node:util"),
      imports("web/account.ts", "./page.ts", "../sdk/client.ts", "@kopeck/sdk"),
      imports("sdk/client.ts", "./errors.ts"),
      imports("sdk/generate.ts", "node:fs"),
      imports("test/whole.test.ts", "../src/main.ts", "../sdk/client.ts", "./server.ts"),
      imports("test/stale.test.ts", "../sdk/generate.ts"),
      imports("bench/run.ts", "../src/features/index.ts", "../test/server.ts"),
      imports("torture/crash.ts", "../src/gateway.ts", "../test/server.ts", "../bench/stage.ts"),
      imports("bin/kopeck.mjs", "../src/main.ts"),
      { [FEE]: '// import { x } from "node:fs";\nexport const x = `import "node:fs"`;' },
      { [FEE]: 'new URL("https://bank.example/x.ts"); new URL("../a", base);' },
      imports("src/domain/notes.md", "node:fs"),
    ],
  },
} satisfies Examples;
