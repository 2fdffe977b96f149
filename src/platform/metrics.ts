// What operators watch, in the Prometheus text format. Labels hold names of endpoints and jobs and
// statuses only, never anything that a request brought along.

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

export interface Metrics {
  requestDone(endpoint: string, status: number, seconds: number): void;
  setRun(name: string, size: number, seconds: number): void;
  /** From now on its lag is told: how long ago its last good run, or this, was. */
  jobStarted(name: string): void;
  jobRun(name: string, outcome: "ok" | "failed", items: number): void;
  databaseAnswers(yes: boolean): void;
  /** A figure that a room brings along: its latest value. */
  gauge(name: string, help: string, value: number, labels?: Readonly<Record<string, string>>): void;
  text(): Promise<string>;
  readonly contentType: string;
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256];

export function openMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: "kopeck_http_request_seconds",
    help: "How long requests took, by endpoint and status.",
    labelNames: ["endpoint", "status"],
    buckets: SECONDS,
    registers,
  });
  const setSizes = new Histogram({
    name: "kopeck_set_size",
    help: "How many calls shared one set.",
    labelNames: ["set"],
    buckets: SIZES,
    registers,
  });
  const setSeconds = new Histogram({
    name: "kopeck_set_seconds",
    help: "How long sets took.",
    labelNames: ["set"],
    buckets: SECONDS,
    registers,
  });
  const jobs = new Counter({
    name: "kopeck_job_runs_total",
    help: "Runs of background jobs, by outcome.",
    labelNames: ["job", "outcome"],
    registers,
  });
  const jobItems = new Counter({
    name: "kopeck_job_items_total",
    help: "What background jobs have worked off.",
    labelNames: ["job"],
    registers,
  });
  const lastGoodRuns = new Map<string, number>();
  new Gauge({
    name: "kopeck_job_lag_seconds",
    help: "How long ago a background job's last good run ended.",
    labelNames: ["job"],
    registers,
    collect() {
      const now = performance.now();
      for (const [job, at] of lastGoodRuns) this.set({ job }, (now - at) / 1000);
    },
  });
  const database = new Gauge({
    name: "kopeck_database_up",
    help: "1 while the database answers.",
    registers,
  });
  const gauges = new Map<string, Gauge>();
  return {
    requestDone: (endpoint, status, seconds) => requests.observe({ endpoint, status }, seconds),
    setRun(set, size, seconds) {
      setSizes.observe({ set }, size);
      setSeconds.observe({ set }, seconds);
    },
    jobStarted: (job) => void lastGoodRuns.set(job, performance.now()),
    jobRun(job, outcome, items) {
      if (outcome === "ok") lastGoodRuns.set(job, performance.now());
      jobs.inc({ job, outcome });
      jobItems.inc({ job }, items);
    },
    databaseAnswers: (yes) => database.set(yes ? 1 : 0),
    gauge(name, help, value, labels = {}) {
      const labelNames = Object.keys(labels);
      const known = gauges.get(name) ?? new Gauge({ name, help, labelNames, registers });
      gauges.set(name, known);
      known.set(labels, value);
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
