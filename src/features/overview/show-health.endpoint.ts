// GET /manage/health: how this gateway and its database are, and what they are set to. Guards that no secret
// is among the settings: they are named here one by one.

import { isoOrNull } from "../../domain/moment.ts";
import type { Config } from "../../platform/config.ts";
import { numberOrNull, oneOf, Type, textOrNull } from "../../platform/field.ts";
import { VERSION } from "../../platform/version.ts";
import { lastChecks } from "../ledger/book-check-queries.ts";
import { view } from "../operators/doors.ts";
import { isoMoment } from "../operators/noun.ts";
import { databaseFacts } from "./health-queries.ts";

const momentOrNull = (description: string) => textOrNull({ description }, "date-time");

export const showHealth = view({
  path: "/manage/health",
  summary: "How the gateway is, and what it is set to",
  description: "Of the one process that answers, where there are several, and of their database.",
  input: Type.Object({}),
  data: Type.Object({
    version: Type.String({ description: "Which Kopeck this is.", examples: ["0.1.0"] }),
    mode: Type.String({ description: "Whether money is real.", examples: ["live"] }),
    now: isoMoment("What time it takes it to be."),
    clock_ahead_seconds: numberOrNull({
      description: "How far this machine's clock is ahead of the database's, if it was compared.",
    }),
    database: Type.Object({
      engine: oneOf(["postgres", "embedded"], { description: "Whose database it is." }),
      version: Type.String({ description: "Of PostgreSQL.", examples: ["18.1"] }),
      bytes: Type.Integer({ description: "How large it is.", examples: [104857600] }),
      archived_at: momentOrNull("When its log was last archived, or null."),
      archive_failed_at: momentOrNull("When that last failed, or null."),
    }),
    books: Type.Object({
      checked_at: momentOrNull("When the books were last checked to the end, or null."),
      violations: numberOrNull({ description: "What that found, or null." }),
    }),
    jobs: Type.Array(
      Type.Object({
        name: Type.String({ description: "The job.", examples: ["deliver-events"] }),
        last_good_seconds: Type.Number({
          description: "How long ago its last good run ended.",
          examples: [0.4],
        }),
      }),
    ),
    settings: Type.Array(
      Type.Object({
        name: Type.String({ description: "The setting.", examples: ["KOPECK_TIME_ZONE"] }),
        value: Type.String({
          description: "What it is; empty for nothing.",
          examples: ["Europe/Moscow"],
        }),
      }),
    ),
  }),
  async read({ db, clock, config, metrics }) {
    const [{ bytes, ...facts }, checks] = await Promise.all([databaseFacts(db), lastChecks(db)]);
    const checked = checks.find(({ ended_at }) => ended_at !== null);
    return {
      version: VERSION,
      mode: config.mode,
      now: clock.now().toISOString(),
      clock_ahead_seconds: roundedOrNull(metrics.gaugeNow("kopeck_clock_ahead_seconds")),
      database: {
        engine: config.databaseUrl === undefined ? ("embedded" as const) : ("postgres" as const),
        version: facts.version,
        bytes: Number(bytes),
        archived_at: isoOrNull(facts.archived_at),
        archive_failed_at: isoOrNull(facts.archive_failed_at),
      },
      books: {
        checked_at: isoOrNull(checked?.ended_at ?? null),
        violations: checked?.violations ?? null,
      },
      jobs: metrics.jobLags().map(([name, seconds]) => ({
        name,
        last_good_seconds: rounded(seconds),
      })),
      settings: Object.entries(harmless(config)).map(([name, value = ""]) => ({
        name,
        value: String(value),
      })),
    };
  },
});

function roundedOrNull(value: number | null | undefined): number | null {
  return value === null || value === undefined ? null : rounded(value);
}

function harmless({ connections, shares, retainDays, ...config }: Config) {
  return {
    KOPECK_MODE: config.mode,
    KOPECK_BASE_URL: config.baseUrl,
    KOPECK_DESK_URL: config.deskUrl,
    KOPECK_CABINET_URL: config.cabinetUrl,
    KOPECK_TIME_ZONE: config.timeZone,
    HOST: config.host,
    PORT: config.port,
    KOPECK_DATA_DIR: config.dataDir,
    KOPECK_SANDBOX_HISTORY: config.sandboxHistory ? "on" : "off",
    LOG_LEVEL: config.logLevel,
    KOPECK_MERCHANT_CONNECTIONS: connections.merchants,
    KOPECK_PAYER_CONNECTIONS: connections.payers,
    KOPECK_OPERATOR_CONNECTIONS: connections.operators,
    KOPECK_CABINET_CONNECTIONS: connections.cabinet,
    KOPECK_JOB_CONNECTIONS: connections.jobs,
    KOPECK_CONNECTION_MINUTES: config.connectionMinutes,
    KOPECK_SLOW_STATEMENT_MS: config.slowStatementMs,
    KOPECK_DRAIN_SECONDS: config.drainSeconds,
    KOPECK_ALLOWED_HOOK_HOSTS: config.allowedHookHosts,
    KOPECK_TRUSTED_PROXIES: config.trustedProxies,
    KOPECK_MAIL_FROM: config.mail?.from,
    KOPECK_SHOP_SHARE: shares.shop,
    KOPECK_USER_SHARE: shares.user,
    KOPECK_PAYER_SHARE: shares.payer,
    KOPECK_FOUR_EYES_FROM: config.fourEyesFrom,
    KOPECK_RETAIN_EVENT_BODIES_DAYS: retainDays.eventBodies,
    KOPECK_RETAIN_DELIVERIES_DAYS: retainDays.deliveries,
    KOPECK_RETAIN_AUDIT_READS_DAYS: retainDays.auditReads,
    KOPECK_RETAIN_SLOTS_DAYS: retainDays.slots,
    KOPECK_RETAIN_UNUSED_INVOICES_DAYS: retainDays.unusedInvoices,
    KOPECK_RETAIN_PAYERS_DAYS: retainDays.payers,
  };
}

/** To hundredths. */
function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
