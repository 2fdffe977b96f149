// What every service has, whatever it is about: alive, ready, metrics, and the API's description for
// programs and for people.

import type { FastifyInstance } from "fastify";
import type { App } from "./app.ts";
import { docsPage } from "./docs-page.ts";
import type { Endpoint } from "./endpoint.ts";
import { sendFailure } from "./envelope.ts";
import { HttpFailure } from "./failure.ts";
import { describeApi } from "./openapi.ts";

const READY_WITHIN_MS = 2_000;

export function addServiceRoutes(
  server: FastifyInstance,
  app: App,
  endpoints: readonly Endpoint[],
): void {
  const description = describeApi(endpoints);
  const page = docsPage(description, app.config.baseUrl);

  server.get("/healthz", async () => ({
    data: { alive: true },
    status: 200,
    status_check: true,
  }));

  server.get("/readyz", async (request, reply) => {
    const ready = await databaseAnswers(app);
    app.metrics.databaseAnswers(ready);
    if (!ready) return sendFailure(request, reply, new HttpFailure("unavailable"));
    return { data: { ready: true }, status: 200, status_check: true };
  });

  server.get("/metrics", async (_request, reply) => {
    reply.type(app.metrics.contentType);
    return app.metrics.text();
  });

  server.get("/openapi.json", async (_request, reply) => {
    reply.type("application/json; charset=utf-8");
    return JSON.stringify(description);
  });

  server.get("/docs", async (_request, reply) => {
    reply
      .type("text/html; charset=utf-8")
      .header("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'")
      .header("x-content-type-options", "nosniff");
    return page;
  });
}

async function databaseAnswers(app: App): Promise<boolean> {
  const late = new Promise<false>((resolve) => {
    setTimeout(resolve, READY_WITHIN_MS, false).unref();
  });
  const answered = app.db.query("select 1", []).then(
    () => true,
    () => false,
  );
  return Promise.race([answered, late]);
}
