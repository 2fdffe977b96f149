// /healthz, /readyz, /metrics, /openapi.json and /docs.

import { hash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import type { App } from "./app.ts";
import { databaseFailure } from "./db.ts";
import { docsPage } from "./docs-page.ts";
import { sendFailure } from "./envelope.ts";
import { HttpFailure } from "./failure.ts";
import { type Api, describeApi } from "./openapi.ts";
import { openThrottle } from "./throttle.ts";

/** Strangers may ask: past this the answer of a moment ago is given again. */
const FRESH = { burst: 20, perSecond: 1 };

export function addServiceRoutes(
  server: FastifyInstance,
  app: App,
  { api, visits }: { readonly api: Api; readonly visits: onRequestHookHandler },
): void {
  // Made when somebody asks, 60 ms that no start has to wait for, and kept: anybody may ask.
  const description = once(() => describeApi(api, app.config));
  const json = once(() => packed("application/json", JSON.stringify(description())));
  const page = once(() => packed("text/html", docsPage(description())));
  const failureNow = shared(() => databaseFailure(app.db));
  const metricsNow = shared(async () => {
    app.metrics.databaseAnswers((await failureNow()) === undefined);
    tellConnections(app);
    return Buffer.from(await app.metrics.text());
  });

  server.get("/healthz", async () => ({ data: { alive: true }, status: 200, status_check: true }));

  server.get("/readyz", async (request, reply) => {
    const failure = await failureNow();
    app.metrics.databaseAnswers(failure === undefined);
    if (failure !== undefined || !app.clock.isRight() || app.ending.aborted) {
      return sendFailure(request, reply, failure ?? new HttpFailure("unavailable"));
    }
    return { data: { ready: true }, status: 200, status_check: true };
  });

  server.get("/metrics", async (_request, reply) => {
    const text = await metricsNow();
    reply.type(app.metrics.contentType);
    return text;
  });

  void server.register((scope, _options, done) => {
    scope.addHook("onRequest", visits);
    scope.get("/openapi.json", async (request, reply) => sendPacked(request, reply, await json()));
    scope.get("/docs", async (request, reply) => {
      reply
        .header("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'")
        .header("x-content-type-options", "nosniff");
      return sendPacked(request, reply, await page());
    });
    done();
  });
}

interface Packed {
  readonly type: string;
  readonly etag: string;
  readonly plain: Buffer;
  readonly gzipped: Buffer;
}

async function packed(type: string, text: string): Promise<Packed> {
  const plain = Buffer.from(text);
  const etag = `W/"${hash("sha256", plain, "base64url").slice(0, 22)}"`;
  return { type: `${type}; charset=utf-8`, etag, plain, gzipped: await promisify(gzip)(plain) };
}

function sendPacked(request: FastifyRequest, reply: FastifyReply, packed: Packed): FastifyReply {
  const { type, etag, plain, gzipped } = packed;
  reply.type(type).header("etag", etag).header("vary", "accept-encoding");
  reply.header("cache-control", "no-cache");
  if (request.headers["if-none-match"]?.includes(etag)) return reply.code(304).send();
  const takesGzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/.test(
    request.headers["accept-encoding"] ?? "",
  );
  if (!takesGzip) return reply.send(plain);
  return reply.header("content-encoding", "gzip").send(gzipped);
}

/** An answer for all that ask while it is made, and again past the allowance. */
function shared<Value>(make: () => Promise<Value>): () => Promise<Value> {
  // The machine's own clock may be wrong, and health is asked for just then.
  const throttle = openThrottle({ now: () => new Date(performance.now()) }, FRESH);
  let latest: Promise<Value> | undefined;
  let isUnderWay = false;
  return () => {
    if (latest === undefined || (!isUnderWay && throttle.allows(""))) {
      isUnderWay = true;
      latest = make().finally(() => {
        isUnderWay = false;
      });
    }
    return latest;
  };
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
  const pools = (["merchants", "payers", "operators", "cabinet", "jobs"] as const).map(
    (callers) => [callers, app.for(callers).db.connections?.()] as const,
  );
  for (const [callers, counts] of pools) {
    for (const [state, count] of Object.entries(counts ?? {})) {
      const help = "Connections to the database, and callers who wait for one.";
      app.metrics.gauge("kopeck_connections", help, count, { callers, state });
    }
  }
}
