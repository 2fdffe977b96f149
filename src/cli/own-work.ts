// The commands that are more than a call of the API.

import type { LocalCommand } from "./command.ts";

type Works = Readonly<Record<string, Omit<LocalCommand, "words">>>;

/** On this machine. */
export const LOCAL: Works = {
  serve: {
    summary: "Run the gateway; what no command at all means, too",
    load: async () => (await import("./local/serve.ts")).serve,
  },
  migrate: {
    summary: "Bring the database to this version's tables",
    load: async () => (await import("./local/migrate.ts")).migrateDatabase,
  },
  init: {
    summary: "Make the first operator of a live gateway",
    load: async () => (await import("./local/init.ts")).init,
  },
  "person recover": {
    summary: "Make a link for a person who has lost every way in",
    load: async () => (await import("./local/recover.ts")).recover,
  },
  verify: {
    summary: "Check that the books are right",
    load: async () => (await import("./local/verify.ts")).verify,
  },
  "secret rotate": {
    summary: "Put another secret key in the place of the present one",
    load: async () => (await import("./local/rotate-secret.ts")).rotateSecret,
  },
  openapi: {
    summary: "Print the API's description as OpenAPI",
    load: async () => (await import("./local/openapi.ts")).openapi,
  },
};

/** What a client does by several calls. */
export const BY_SEVERAL_CALLS: Works = {
  "transfer import": {
    summary: "Import a bank's statement",
    calls: ["POST /manage/imports"],
    load: async () => (await import("./import-statement.ts")).importStatement,
  },
  "payout-batch save": {
    summary: "Save a file of payouts for the bank",
    calls: ["POST /manage/payout-batches/{batch_id}/file"],
    load: async () => (await import("./payout-file.ts")).saveBatch,
  },
  "payout-batch settle": {
    summary: "Bring the bank's answer to a file of payouts",
    calls: ["POST /manage/payout-batches/{batch_id}/results"],
    load: async () => (await import("./payout-file.ts")).settleBatch,
  },
  listen: {
    summary: "Send a shop's events to a receiver on this machine",
    load: async () => (await import("./listen.ts")).listen,
  },
};
