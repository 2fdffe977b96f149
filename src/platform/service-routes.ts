// What every service has, whatever it is about: alive, ready, metrics, and the API's description for
// programs and for people.

import type { FastifyInstance } from "fastify";
import type { App } from "./app.ts";
import { databaseFailure } from "./db.ts";
import { docsPage } from "./docs-page.ts";
import { sendFailure } from "./envelope.ts";
import { HttpFailure } from "./failure.ts";
import { type Api, describeApi } from "./openapi.ts";

export function addServiceRoutes(server: FastifyInstance, app: App, api: Api): void {
  // Made when somebody asks, 60 ms that no start has to wait for, and kept: anybody may ask.
  const description = once(() => describeApi(api, app.config));
  const json = once(() => Buffer.from(JSON.stringify(description())));
  const page = once(() => Buffer.from(docsPage(description())));

  server.get("/healthz", async () => ({ data: { alive: true }, status: 200, status_check: true }));

  server.get("/readyz", async (request, reply) => {
    const failure = await databaseFailure(app.db);
    app.metrics.databaseAnswers(failure === undefined);
    if (failure !== undefined || !app.clock.isRight() || app.ending.aborted) {
      return sendFailure(request, reply, failure ?? new HttpFailure("unavailable"));
    }
    return { data: { ready: true }, status: 200, status_check: true };
  });

  server.get("/metrics", async (_request, reply) => {
    app.metrics.databaseAnswers((await databaseFailure(app.db)) === undefined);
    tellConnections(app);
    reply.type(app.metrics.contentType);
    return app.metrics.text();
  });

  server.get("/openapi.json", async (_request, reply) => {
    reply.type("application/json; charset=utf-8");
    return json();
  });

  server.get("/docs", async (_request, reply) => {
    reply
      .type("text/html; charset=utf-8")
      .header("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'")
      .header("x-content-type-options", "nosniff");
    return page();
  });
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** On the embedded engine all of them have the same one. */
function tellConnections(app: App): void {
  const pools = (["merchants", "payers", "operators", "jobs"] as const).map(
    (callers) => [callers, app.for(callers).db.connections?.()] as const,
  );
  for (const [callers, counts] of [...pools, ["replica", app.replica?.connections()] as const]) {
    for (const [state, count] of Object.entries(counts ?? {})) {
      const help = "Connections to the database, and callers who wait for one.";
      app.metrics.gauge("kopeck_connections", help, count, { callers, state });
    }
  }
}
