// The verbs that open the database or start the process, in the order of the help.

import type { Verb } from "./verb.ts";

export const verbs: readonly Verb[] = [
  {
    name: "serve",
    summary: "Run the gateway; what no verb at all means, too",
    load: async () => (await import("./serve.ts")).serve,
  },
  {
    name: "migrate",
    summary: "Bring the database to this version's tables",
    load: async () => (await import("./migrate.ts")).migrateDatabase,
  },
  {
    name: "init",
    summary: "Make the first operator of a live gateway",
    load: async () => (await import("./init.ts")).init,
  },
  {
    name: "verify",
    summary: "Check that the books are right, changing nothing",
    load: async () => (await import("./verify.ts")).verify,
  },
  {
    name: "secret rotate",
    summary: "Put another secret key in the place of the present one",
    load: async () => (await import("./rotate-secret.ts")).rotateSecret,
  },
  {
    name: "copy",
    summary: "Copy the whole installation into an empty PostgreSQL database",
    load: async () => (await import("./copy.ts")).copy,
  },
  {
    name: "openapi",
    summary: "Print the API's description as OpenAPI",
    load: async () => (await import("./openapi.ts")).openapi,
  },
];
