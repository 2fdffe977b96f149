// The packed SDK in a project of its own: what is in the package, that it needs nothing else, that it
// drives a payment on every runtime at hand, that its types fit, and that its README is true.

import assert from "node:assert/strict";
import { execFile, execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { openTestGateway, type TestGateway } from "./gateway.ts";
import { scan } from "./house/source.ts";
import { freePort } from "./process.ts";

const run = promisify(execFile);
const TOP = join(import.meta.dirname, "..");
const BINARIES = join(TOP, "node_modules/.bin");

/** From the order to the free balance, in JavaScript that every runtime understands. */
const DRIVE = `
import { managementClient, merchantClient, verifyWebhook } from "@kopeck/sdk";

const [baseUrl, order_id] = process.argv.slice(2);
const timeoutMs = 600_000;
const shop = merchantClient({
  baseUrl,
  timeoutMs,
  shopId: "00000000-0000-4000-8000-000000000002",
  shopKey: "sandbox_shop_key",
  userId: "00000000-0000-4000-8000-000000000001",
  userSecret: "0123456789abcdef0123456789abcdef01234567",
});
const operator = managementClient({ baseUrl, timeoutMs, token: "sandbox_operator_token" });
const before = await shop.balance();
const { id } = await shop.createInvoice({
  order_id,
  amount: 1000,
  type: "direct",
  include_service: ["p2p_card"],
  success_url: "https://shop.example/ok",
});
const { wallet, amount } = await shop.createH2hPayment({
  invoice_id: id,
  payment_data: { bank: "sber" },
});
await operator.post("/sandbox/transfers", { wallet, amount: Number(amount) });
await operator.post("/sandbox/clock", { advance_seconds: 2 * 24 * 60 * 60 });
const { status } = await shop.invoiceInfo({ invoice_id: id });
const after = await shop.balance();
const headers = { "x-api-sha256-signature": "00".repeat(32) };
const { problem } = await verifyWebhook({ body: "{}", headers, key: "k" }).catch((error) => error);
const gained = after.active_balance - before.active_balance;
console.log(JSON.stringify({ status, gained, frozen: after.freeze_balance, problem }));
`;

/** This runtime, and an older one that the SDK promises to run on, if the machine has it. */
function runtimes(): { name: string; path: string | undefined }[] {
  const older = (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((folder) => join(folder, "node"))
    .find((path) => {
      const { stdout } = spawnSync(path, ["--version"], { encoding: "utf8" });
      const major = Number(/^v(\d+)\./.exec(stdout ?? "")?.[1]);
      return major >= 20 && major < 24;
    });
  return [
    { name: "this Node.js", path: process.execPath },
    { name: "an older Node.js", path: older },
  ];
}

describe("the packed SDK", () => {
  let gateway: TestGateway;
  let project: Project;
  before(async () => {
    project = installSdk();
    gateway = await openTestGateway("embedded");
  });
  after(async () => {
    await gateway.stop();
    project.remove();
  });

  const write = (name: string, text: string): string => {
    const path = join(project.folder, name);
    writeFileSync(path, text);
    return path;
  };
  const built = () =>
    readdirSync(join(project.sdk, "dist")).map((name) => {
      const text = readFileSync(join(project.sdk, "dist", name), "utf8");
      return { name, text, ...scan(text) };
    });
  const readme = (): string => {
    const text = readFileSync(join(project.sdk, "README.md"), "utf8");
    return [...text.matchAll(/```ts\n(.*?)```/gs)].map(([, lines = ""]) => lines).join("\n");
  };

  it("holds its code, its types, its licence and its README, and depends on nothing", () => {
    const others = project.packed.filter((path) => !/^dist\/[a-z-]+\.(?:js|d\.ts)$/.test(path));
    assert.deepEqual(others.toSorted(), ["LICENSE", "README.md", "package.json"]);
    assert.ok(project.packed.includes("dist/index.js"));
    assert.ok(project.packed.includes("dist/index.d.ts"));
    const manifest = JSON.parse(readFileSync(join(project.sdk, "package.json"), "utf8"));
    const kinds = Object.keys(manifest).filter((name) => /dependencies/i.test(name));
    assert.deepEqual(kinds, []);
  });

  it("names nothing that a browser does not have", () => {
    for (const { name, code } of built()) {
      assert.doesNotMatch(code, /\b(?:process|Buffer|require|module|global|__dirname)\b/, name);
    }
  });

  it("shows no type that TypeScript before 5.7 does not know", () => {
    const seen = new Set<string>();
    const read = (name: string): void => {
      if (seen.has(name)) return;
      seen.add(name);
      const { text } = built().find((one) => one.name === `${name}.d.ts`) ?? assert.fail(name);
      assert.doesNotMatch(text, /Uint8Array</, name);
      for (const [, next = ""] of text.matchAll(/from "\.\/([a-z-]+)\.ts"/g)) read(next);
    };
    read("index");
    assert.ok(seen.size > 5);
  });

  for (const { name, path } of runtimes()) {
    it(`drives a payment on ${name}`, { skip: path === undefined && "there is none" }, async () => {
      const script = write("drive.mjs", DRIVE);
      const args = [script, gateway.url, `on ${name}`];
      const { stdout } = await run(path ?? "", args, { cwd: project.folder });
      assert.deepEqual(JSON.parse(stdout), {
        status: "success",
        gained: 960,
        frozen: 0,
        problem: "wrong_signature",
      });
    });
  }

  it("runs its README as one program", async () => {
    const port = String(await freePort());
    const program = readme()
      // Before the gateway's address comes in, whose port may hold the same figures.
      .replaceAll("3000", port)
      .replaceAll('"http://localhost:8080"', `"${gateway.url}", timeoutMs: 600_000`);
    const manual = readFileSync(join(project.sdk, "README.md"), "utf8");
    const [, name = ""] = /into `(shop\.\w+)` one after another and `node \1`/.exec(manual) ?? [];
    // As "npm init" leaves a folder.
    mkdirSync(join(project.folder, "shop"));
    write("shop/package.json", '{ "type": "commonjs" }\n');
    const script = write(`shop/${name}`, `${program}\nreceiver.close();\nprocess.exit();\n`);
    const { stdout } = await run(process.execPath, [script], { cwd: project.folder });
    const [send = "", ...rest] = stdout.trim().split("\n");
    assert.match(send, /^Send exactly 10\d\d\.\d\d to \d{16} until [\d-]+ [\d:]+\.$/);
    assert.deepEqual(rest.slice(0, 2).toSorted(), [
      "The transfer is matched.",
      "order-2: 960.00 credited.",
    ]);
    const paid = rest.slice(2, -3);
    assert.ok(paid.includes("Paid: order order-2."));
    assert.ok(paid.includes("Read: order-2 is paid."));
    assert.ok(paid.every((line) => /^(?:Paid: order |Read: )/.test(line)));
    assert.match(rest.at(-3) ?? "", /^success, 960 credited; \d+ free, 0 frozen\.$/);
    assert.equal(rest.at(-2), "Payout payout-1: success, 98.00 arrive.");
    assert.match(rest.at(-1) ?? "", /^refusal 422 \w/);
  });

  const USERS = {
    "with the types of Node.js": { lib: ["es2022"], types: ["node"] },
    "with the types of a browser": { lib: ["es2022", "dom"], types: [] },
  };
  for (const [name, options] of Object.entries(USERS)) {
    it(`is typed for a project ${name}`, async () => {
      const isNode = options.types.length > 0;
      write(
        "typed.ts",
        isNode ? readme() : readme().replace(/import.*node:http[\s\S]*?listen.*/, ""),
      );
      write("wrong.ts", 'import { merchantClient } from "@kopeck/sdk";\nmerchantClient({});\n');
      const typeRoots = [join(BINARIES, "../@types")];
      const strict = { module: "nodenext", strict: true, noEmit: true, skipLibCheck: isNode };
      const compilerOptions = {
        ...strict,
        typeRoots,
        exactOptionalPropertyTypes: true,
        ...options,
      };
      const files = ["typed.ts", "wrong.ts"];
      write("tsconfig.json", JSON.stringify({ compilerOptions, files }));
      const tsc = run(join(BINARIES, "tsc"), ["--pretty", "false"], { cwd: project.folder });
      const { stdout } = await tsc.catch((error: { stdout: string }) => error);
      const complaints = stdout.split("\n").filter((line) => line.includes("error TS"));
      assert.equal(complaints.length, 1, stdout);
      assert.match(complaints[0] ?? "", /^wrong\.ts\(2,/);
    });
  }
});

interface Project {
  readonly folder: string;
  /** What the package holds, as npm lists it. */
  readonly packed: readonly string[];
  /** Where the package lies. */
  readonly sdk: string;
  remove(): void;
}

/** As a stranger gets it: built and packed in a copy, unpacked into a project of its own. No registry is asked. */
function installSdk(): Project {
  const home = mkdtempSync(join(tmpdir(), "kopeck-sdk-"));
  const copy = join(home, "copy");
  const folder = join(home, "project");
  const sdk = join(folder, "node_modules/@kopeck/sdk");
  mkdirSync(sdk, { recursive: true });
  const isOurs = (path: string): boolean => !/[/\\](?:dist|node_modules)$/.test(path);
  cpSync(join(TOP, "sdk"), copy, { recursive: true, filter: isOurs });

  const npm = (...args: string[]): string =>
    execFileSync("npm", args, {
      cwd: copy,
      env: environment(home),
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  npm("run", "build");
  const [pack] = JSON.parse(npm("pack", "--json", "--offline")) as [Packed];
  execFileSync("tar", ["-xzf", join(copy, pack.filename), "-C", sdk, "--strip-components=1"]);
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
  return {
    folder,
    sdk,
    packed: pack.files.map(({ path }) => path),
    remove: () => rmSync(home, { recursive: true }),
  };
}

interface Packed {
  readonly filename: string;
  readonly files: { path: string }[];
}

/** Without what an npm above us has left there, which would lead this one back to our folder. */
function environment(home: string): Record<string, string | undefined> {
  const clean = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
  return {
    ...Object.fromEntries(clean),
    PATH: [BINARIES, process.env["PATH"]].join(delimiter),
    npm_config_cache: join(home, "cache"),
    npm_config_update_notifier: "false",
  };
}
