// What Kopeck is shipped with: the image has everything that runs, and each file names settings that
// exist. There is no Docker here: the image's tree is put together from its own COPY lines.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { builtinModules } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { describe, it } from "node:test";

const TOP = join(import.meta.dirname, "..");

function read(path: string): string {
  return readFileSync(join(TOP, path), "utf8");
}

/** The first group of every match. */
function namesIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, name = ""]) => name);
}

const dockerfile = read("Dockerfile");
const stages = dockerfile.split(/^(?=FROM )/m).slice(1);

/** What a stage takes from the repository. */
function copiedBy(stage: string): string[] {
  const lines = namesIn(stage, /^COPY (?!--from)(.+)$/gm);
  return lines.flatMap((line) => line.split(" ").slice(0, -1));
}

const shipped = copiedBy(stages.at(-1) ?? "");

describe("settings", () => {
  const known = new Set(namesIn(read("src/platform/config.ts"), /"([A-Z]+(?:_[A-Z]+)*)"/g));
  const [dockerEnv = ""] = /^ENV (?:.*\\\n)*.*$/m.exec(dockerfile) ?? [];
  const named: Record<string, string[]> = {
    Dockerfile: namesIn(dockerEnv, /\b([A-Z_]+)=/g),
    "compose.yaml": namesIn(read("compose.yaml"), /(?:^ +|\$\{)([A-Z_]+)(?=:)/gm),
    "deploy/kopeck.service": namesIn(read("deploy/kopeck.service"), /^Environment=([A-Z_]+)=/gm),
    "deploy/env.example": namesIn(read("deploy/env.example"), /^#?([A-Z_]+)=/gm),
  };

  it("are found where they are read", () => {
    for (const name of ["HOST", "PORT", "DATABASE_URL", "KOPECK_MODE", "LOG_LEVEL"]) {
      assert.ok(known.has(name), name);
    }
  });

  for (const [file, names] of Object.entries(named)) {
    it(`of ${file} exist`, () => {
      const own = names.filter((name) => name !== "PATH" && !name.startsWith("POSTGRES_"));
      assert.ok(own.length > 0);
      assert.deepEqual(
        own.filter((name) => !known.has(name)),
        [],
      );
    });
  }

  it("are all in the example, but for those that only a command or the unit sets", () => {
    const elsewhere = ["KOPECK_NEW_SECRET_KEY", "KOPECK_DATA_DIR"];
    const missing = [...known].filter((name) => !named["deploy/env.example"]?.includes(name));
    assert.deepEqual(missing.toSorted(), elsewhere.toSorted());
  });

  it("that are secret have no value in any file, and must be set", () => {
    for (const file of Object.keys(named)) {
      assert.doesNotMatch(read(file), /[0-9a-f]{16}/i, file);
    }
    const inCompose = namesIn(read("compose.yaml"), /(\$\{[A-Z_]+.*?\})/g);
    const mustBe = inCompose.filter((use) => use.includes(":?"));
    assert.deepEqual([...new Set(mustBe.map((use) => use.split(":")[0]))].toSorted(), [
      "${KOPECK_BASE_URL",
      "${KOPECK_SECRET_KEY",
      "${POSTGRES_PASSWORD",
    ]);
    for (const use of inCompose)
      assert.match(use, /^\$\{[A-Z_]+(?::\?.+|:-)\}$/, "no default here");
  });

  it("are all handed to the container, but for those that the image has or that are of its network", () => {
    const ofImage = ["HOST", "PORT", "KOPECK_DATA_DIR"];
    const missing = [...known].filter((name) => !named["compose.yaml"]?.includes(name));
    assert.deepEqual(missing.toSorted(), ofImage.toSorted());
  });
});

describe("the image", () => {
  const sources = ["bin", "src"].flatMap((folder) =>
    readdirSync(join(TOP, folder), { recursive: true, encoding: "utf8" })
      .map((path) => join(folder, path))
      .filter((path) => /\.(ts|mjs)$/.test(path) && !path.endsWith(".test.ts")),
  );
  const imports = sources.flatMap((path) =>
    namesIn(read(path), /(?:\bfrom|\bimport|\bimport\(|\bnew URL\()\s*"([^"]+)"/g)
      .filter((target) => /^[.a-z@]/.test(target) && !target.includes(" "))
      .map((target) => ({ path, target })),
  );

  it("takes only what exists and what .dockerignore lets in", () => {
    const allowed = namesIn(read(".dockerignore"), /^!(.+)$/gm);
    for (const path of stages.flatMap(copiedBy)) {
      assert.ok(existsSync(join(TOP, path)), path);
      assert.ok(
        allowed.some((one) => path === one || path.startsWith(`${one}/`)),
        `${path} is kept out by .dockerignore`,
      );
    }
  });

  it("installs with the manifest of every workspace", () => {
    const { workspaces = [] } = JSON.parse(read("package.json")) as { workspaces?: string[] };
    const [first = ""] = stages;
    for (const workspace of workspaces) {
      assert.ok(copiedBy(first).includes(`${workspace}/package.json`), workspace);
    }
  });

  it("has every package that is imported", () => {
    const manifest = JSON.parse(read("package.json")) as { dependencies: Record<string, string> };
    for (const { path, target } of imports) {
      if (target.startsWith(".") || target.startsWith("node:")) continue;
      const name = target
        .split("/")
        .slice(0, target.startsWith("@") ? 2 : 1)
        .join("/");
      if (builtinModules.includes(name)) continue;
      assert.ok(name in manifest.dependencies, `${path} imports ${target}`);
    }
  });

  it("runs from what it takes alone, through the link on the PATH", () => {
    const folder = mkdtempSync(join(tmpdir(), "kopeck-image-"));
    for (const path of shipped) {
      const filter = (from: string): boolean => !from.endsWith(".test.ts");
      cpSync(join(TOP, path), join(folder, path), { recursive: true, filter });
    }
    symlinkSync(join(TOP, "node_modules"), join(folder, "node_modules"));
    symlinkSync(join(folder, "bin/kopeck.mjs"), join(folder, "kopeck"));
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [join(folder, "kopeck"), ...args], {
        encoding: "utf8",
        cwd: tmpdir(),
        maxBuffer: 16 * 1024 * 1024,
        env: { KOPECK_DATA_DIR: join(folder, "data") },
      });
    const described = run("openapi");
    assert.equal(described.stdout, read("openapi.json"), described.stderr);
    // With the files that no import names: the embedded engine's worker, the migrations.
    const migrated = run("migrate");
    assert.match(migrated.stdout, /^applied 01_settings\.sql$/m, migrated.stderr);
  });

  it("runs as nobody special, and hears SIGTERM itself", () => {
    const last = stages.at(-1) ?? "";
    assert.match(last, /^USER node$/m);
    assert.match(last, /^ENTRYPOINT \["kopeck"\]$/m);
    assert.match(last, /^CMD \["serve"\]$/m);
  });
});

describe("deploy/kopeck", () => {
  it("works without the settings, which are root's, on a gateway alone", () => {
    const folder = mkdtempSync(join(tmpdir(), "kopeck-user-"));
    const script = read("deploy/kopeck")
      .replace("/opt/kopeck/node_modules/.bin/node", process.execPath)
      .replaceAll("/opt/kopeck", TOP)
      .replace("runuser -u kopeck -- ", "")
      .replaceAll("/etc/kopeck/env", join(folder, "not-there"));
    const run = (word: string, env = {}) =>
      spawnSync("sh", ["-c", script, "kopeck", word], { encoding: "utf8", cwd: folder, env });
    const gateway = { KOPECK_URL: "http://127.0.0.1:1", KOPECK_TOKEN: "kop_x" };
    assert.match(run("whoami", gateway).stderr, /^kopeck: The gateway at \S+ cannot be reached/);
    assert.match(run("whoami").stderr, /^kopeck: There is no token: set KOPECK_TOKEN/);
    assert.match(run("migrate").stderr, /^kopeck: KOPECK_SECRET_KEY is missing/);
    assert.deepEqual(readdirSync(folder), []);
  });
});

describe("deploy/kopeck with settings", () => {
  it("reads them as systemd does, in quotes or without", () => {
    const folder = mkdtempSync(join(tmpdir(), "kopeck-env-"));
    const file = join(folder, "env");
    const script = read("deploy/kopeck")
      .replace("/opt/kopeck/node_modules/.bin/node", process.execPath)
      .replaceAll("/opt/kopeck", TOP)
      .replace("runuser -u kopeck -- ", "")
      .replaceAll("/etc/kopeck/env", file);
    const refused = (...lines: string[]) => {
      writeFileSync(file, `# Of the service.\n${lines.join("\n")}\n`);
      return spawnSync("sh", ["-c", script, "kopeck", "migrate"], { encoding: "utf8", env: {} })
        .stderr;
    };
    const key = "0123456789abcdef".repeat(4);
    for (const quote of ['"', "'", ""]) {
      const lines = [
        `KOPECK_MODE=${quote}live${quote}`,
        `KOPECK_SECRET_KEY=${quote}${key}${quote}`,
      ];
      assert.match(refused(...lines), /^kopeck: KOPECK_BASE_URL is missing/, quote);
    }
    // What stands around names and values, an end of a line from Windows, and none at the end of the file.
    for (const lines of [
      ["KOPECK_MODE=live  ", `\t KOPECK_SECRET_KEY = "${key}" `],
      ["KOPECK_MODE=live\r", `KOPECK_SECRET_KEY=${key}\r`, "A B=1", "a=1", "=1", "# ; X=1", ";Y=1"],
    ]) {
      assert.match(refused(...lines.toReversed()), /^kopeck: KOPECK_BASE_URL is missing/);
    }
    writeFileSync(file, `KOPECK_SECRET_KEY=${key}\nKOPECK_MODE=live`);
    const { stderr } = spawnSync("sh", ["-c", script, "kopeck", "migrate"], {
      encoding: "utf8",
      env: {},
    });
    assert.match(stderr, /^kopeck: KOPECK_BASE_URL is missing/);
    assert.match(
      refused('KOPECK_MODE="live'),
      /KOPECK_MODE must be one of sandbox, live, not ""live"/,
    );
  });
});

describe("compose.yaml", () => {
  it("publishes the gateway on this machine only, and the database nowhere", () => {
    const ports = namesIn(read("compose.yaml"), /^ +- "?([\d.:]+:\d+)"?$/gm);
    assert.deepEqual(ports, ["127.0.0.1:8080:8080"]);
  });

  it("of the cluster publishes two gateways on this machine only, and has no secret", () => {
    const cluster = read("deploy/cluster/compose.yaml");
    const ports = namesIn(cluster, /"?([\d.]+:\d+:\d+)"?/g);
    assert.deepEqual(ports, ["127.0.0.1:8081:8080", "127.0.0.1:8082:8080"]);
    assert.doesNotMatch(cluster, /[0-9a-f]{16}/i);
  });
});

describe("the systemd units", () => {
  const asked = spawnSync("systemd-analyze", ["--version"]);
  const skip = asked.error !== undefined && "systemd-analyze is not installed";

  for (const unit of ["kopeck.service", "cluster/patroni.service"]) {
    it(`${unit} is one that systemd accepts`, { skip }, () => {
      const args = ["verify", join(TOP, "deploy", unit)];
      const { status, stderr } = spawnSync("systemd-analyze", args, { encoding: "utf8" });
      assert.equal(status, 0, stderr);
      assert.ok(!stderr.includes(basename(unit)), `a warning: ${stderr}`);
    });
  }
});
