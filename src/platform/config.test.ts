// Settings as they are read, what is refused of them, and that the manual has them all.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { readConfig } from "./config.ts";

const KEY = "0123456789abcdef".repeat(4);
const SANDBOX_KEY = createHash("sha256").update("kopeck sandbox").digest("hex");
const live = {
  KOPECK_MODE: "live",
  KOPECK_SECRET_KEY: KEY,
  KOPECK_BASE_URL: "https://pay.example",
  DATABASE_URL: "postgresql://a/k",
};
const https = /^KOPECK_BASE_URL must be https in live mode/;

const keyOf = (env: object) => readConfig({ ...env }).secretKey.toString("hex");
const urlOf = (env: object) => readConfig({ ...env }).baseUrl;
const zone = (env: object) => readConfig({ ...env }).timeZone;
const hosts = (env: object) => readConfig({ ...env }).allowedHookHosts.join();
const proxies = (env: object) => readConfig({ ...env }).trustedProxies.join();
const mail = (env: object) => {
  const found = readConfig({ ...env }).mail;
  if (found === undefined) return "none";
  const how = found.isSecure ? "secure" : found.needsTls ? "starttls" : "plain";
  const auth = found.auth === undefined ? "" : ` ${JSON.stringify(found.auth)}`;
  return `${found.host}:${found.port} ${how}${auth}`;
};
const from = (env: object) => readConfig({ ...env }).mail?.from ?? "";
const database = (env: object) => readConfig({ ...env }).databaseUrl ?? "";
const fourEyes = (env: object) => String(readConfig({ ...env }).fourEyesFrom);
const jobs = (env: object) => String(readConfig({ ...env }).connections.jobs);

const OWN_URLS = {
  KOPECK_BASE_URL: "baseUrl",
  KOPECK_DESK_URL: "deskUrl",
  KOPECK_CABINET_URL: "cabinetUrl",
} as const;

/** The setting, how it is read, and of each text what it becomes or in which words it is refused. */
const SETTINGS: readonly (readonly [
  name: string,
  mode: object,
  read: (env: object) => string,
  ...texts: (readonly [text: string, becomes: string | RegExp])[],
])[] = [
  [
    ...(["KOPECK_ALLOWED_HOOK_HOSTS", {}, hosts, ["", ""]] as const),
    [" Hooks.Internal, 10.0.0.5 ,0x7f.1,[FD00:0::1],", "hooks.internal,10.0.0.5,127.0.0.1,fd00::1"],
    ...["a b", "http://a", "a:8080", "a/b", "user@a", "10.0.0.0/8", "*.a?b", "*.a"].map(
      (text) => [text, /^KOPECK_ALLOWED_HOOK_HOSTS /] as const,
    ),
  ],
  [
    ...(["KOPECK_FOUR_EYES_FROM", {}, fourEyes, ["", "undefined"]] as const),
    ...([
      ["0", "0"],
      ["100000", "100000"],
    ] as const),
    ...["1000.50", "1e3", "-1", "all", "1000000000"].map(
      (text) => [text, /^KOPECK_FOUR_EYES_FROM must be a whole number/] as const,
    ),
  ],
  [
    ...(["KOPECK_SECRET_KEY", live, keyOf, [KEY, KEY]] as const),
    ["", /^KOPECK_SECRET_KEY is missing/],
    [SANDBOX_KEY, /^KOPECK_SECRET_KEY is the sandbox's own/],
    [SANDBOX_KEY.toUpperCase(), /^KOPECK_SECRET_KEY is the sandbox's own/],
    ["00".repeat(32), /^KOPECK_SECRET_KEY is one byte again and again/],
    ["ab".repeat(32), /^KOPECK_SECRET_KEY is one byte again and again/],
  ],
  [
    ...(["KOPECK_SECRET_KEY", {}, keyOf, ["", SANDBOX_KEY]] as const),
    [SANDBOX_KEY, SANDBOX_KEY],
    ["ab".repeat(32), "ab".repeat(32)],
  ],
  [
    ...(["KOPECK_BASE_URL", live, urlOf, ["", /^KOPECK_BASE_URL is missing: live mode/]] as const),
    ...[
      "http://pay.example",
      "http://10.0.0.5:8080",
      "http://[fd00::1]",
      "http://128.0.0.1",
      "http://localhost.example",
      "http://127.0.0.1.example",
      "http://0.0.0.0",
    ].map((text) => [text, https] as const),
    ...[
      "https://pay.example",
      "http://localhost:8080",
      "http://127.0.0.1",
      "http://127.9.8.7",
      "http://[::1]:8080",
    ].map((text) => [text, text] as const),
  ],
  ["KOPECK_BASE_URL", {}, urlOf, ["http://pay.example", "http://pay.example"]],
  ...(["KOPECK_BASE_URL", "KOPECK_DESK_URL", "KOPECK_CABINET_URL"] as const).map(
    (name) =>
      [
        ...([name, {}, (env: object) => readConfig({ ...env })[OWN_URLS[name]]] as const),
        ["https://Pay.Example:8443/", "https://pay.example:8443"] as const,
        ...[
          "https://a.example/pay",
          "https://a.example/?q=1",
          "https://a.example/#top",
          "https://a.example?",
          "https://u:hidden@a.example",
          "https://u@a.example",
          "ftp://u:hidden@a.example",
          "https://u:hidden@",
          "a.example",
        ].map((text) => [text, new RegExp(`^${name} must be (?:(?!hidden).)*$`)] as const),
      ] as const,
  ),
  ["DATABASE_URL", live, database, ["", /^DATABASE_URL is missing: live mode needs PostgreSQL/]],
  [
    ...(["DATABASE_URL", {}, database, ["", ""]] as const),
    ...[
      "postgresql://u:p@a:5432/k",
      "postgres://a/k?target_session_attrs=any",
      "postgresql://u:p,@@a:5432/k",
      "postgresql://u:p@[::1]/k",
    ].map((text) => [text, text] as const),
    ...[
      "a",
      "mysql://a/k",
      "http://a,b",
      " postgresql://u:p@a/k",
      "postgresql://u:p@a/k ",
      "postgresql://u:p@a/k\n",
    ].map((text) => [text, /^DATABASE_URL must look like postgresql:/] as const),
    // A password that was not encoded is neither taken for a host nor told to anybody.
    ...["u:p@q/r@a/k", "u:p/q@a/k", "u:p#q@a/k", "u:1#q@a/k", "u:1?q@a/k", "u:p@q#r@a/k"].map(
      (text) =>
        [`postgresql://${text}`, /^DATABASE_URL must look like [^q]*sql:.*%23 %25/] as const,
    ),
    ...["u:p%40q@a/k", "u:p@q@a/k", "a/k?user=u@b", "a/k?sslmode=verify-full"].map(
      (text) => [`postgresql://${text}`, `postgresql://${text}`] as const,
    ),
    ["postgresql://a/k?ssl=false", /^DATABASE_URL has ssl in it: say it by sslmode/],
    ["postgresql://a/k?sslmode=Require", /^DATABASE_URL has an sslmode that is none of disable,/],
    ...["a,b", "u:p@a:5432,b:5433", "a,"].map(
      (hosts) => [`postgresql://${hosts}/k`, /^DATABASE_URL must name one host: /] as const,
    ),
  ],
  [
    ...(["KOPECK_TRUSTED_PROXIES", {}, proxies, ["", ""]] as const),
    ["127.0.0.1, 10.0.0.0/8,::1,fd00::/8", "127.0.0.1,10.0.0.0/8,::1,fd00::/8"],
    ...["localhost", "10.0.0.0/33", "10.0.0", "::1/129", "10.0.0.1/8/8", "1.2.3.4/x"].map(
      (text) => [text, /^KOPECK_TRUSTED_PROXIES must be addresses/] as const,
    ),
    ...["0.0.0.0/0", "::/0", "10.0.0.0/0", "10.0.0.0/00"].map(
      (text) => [text, /^KOPECK_TRUSTED_PROXIES must be addresses/] as const,
    ),
  ],
  [
    ...(["KOPECK_TIME_ZONE", {}, zone, ["", "Europe/Moscow"]] as const),
    ...["UTC", "GMT", "EST5EDT", "EST", "Etc/GMT+3", "asia/vladivostok", "W-SU", "Japan"].map(
      (text) => [text, text] as const,
    ),
    // The database turns an offset's sign around, and knows no summer where there are three letters.
    ...["+10:00", "-03", "+0300", "CET", "eet", "IST", "CAT", "Mars/Base"].map(
      (text) => [text, /^KOPECK_TIME_ZONE must be an IANA time zone of a place/] as const,
    ),
  ],
  [
    ...(["KOPECK_JOB_CONNECTIONS", {}, jobs, ["", "3"], ["100", "100"]] as const),
    ...["0", "101", "1.5", "-1", "many", "1e1"].map(
      (text) =>
        [text, /^KOPECK_JOB_CONNECTIONS must be a whole number from 1 to 100, not "/] as const,
    ),
  ],
  [
    ...(["KOPECK_SMTP_URL", { KOPECK_MAIL_FROM: "pay@example.com" }, mail] as const),
    ["smtps://u%40x:p%2Fw@mail.example", 'mail.example:465 secure {"user":"u@x","pass":"p/w"}'],
    ["smtp://mail.example:25", "mail.example:25 starttls"],
    ["smtp://mail.internal:25?tls=off", "mail.internal:25 plain"],
    ["smtp://127.0.0.1:1025", "127.0.0.1:1025 plain"],
    ...["", "mail.example", "https://mail.example", "smtp://", "smtp://a:%zz@b"].map(
      (text) => [text, /^KOPECK_SMTP_URL must look like smtps:[^"]*$/] as const,
    ),
  ],
  [
    ...(["KOPECK_MAIL_FROM", { KOPECK_SMTP_URL: "smtps://mail.example" }, from] as const),
    ["Kopeck <pay@example.com>", "Kopeck <pay@example.com>"],
    ...["", "Kopeck", "a@b\nBcc: c@d"].map(
      (text) => [text, /^KOPECK_MAIL_FROM must be an address/] as const,
    ),
  ],
  ["KOPECK_MAIL_FROM", {}, mail, ["", "none"]],
];

for (const [name, mode, read, ...texts] of SETTINGS) {
  it(`${name}${mode === live ? " in live mode" : ""}`, () => {
    for (const [text, becomes] of texts) {
      const env = { ...mode, [name]: text };
      if (typeof becomes === "string") assert.equal(read(env), becomes, text);
      else assert.throws(() => read(env), { exitCode: 1, message: becomes }, text);
    }
  });
}

it("docs/operations.md has every setting in its table", () => {
  const root = join(import.meta.dirname, "../..");
  const source = readFileSync(join(root, "src/platform/config.ts"), "utf8");
  const settings = new Set(
    source.match(/(?<=")(?:KOPECK_[A-Z_]+|DATABASE_URL|LOG_LEVEL|HOST|PORT)(?=")/g),
  );
  const manual = readFileSync(join(root, "docs/operations.md"), "utf8");
  const table = manual.split("## Settings\n")[1]?.split("\n## ")[0] ?? "";
  assert.ok(settings.size > 15, `${settings.size} settings`);
  assert.deepEqual(
    [...settings].filter((name) => !table.includes(`\`${name}\``)),
    [],
  );
});
