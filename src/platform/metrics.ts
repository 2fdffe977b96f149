// Metrics in the Prometheus text format. Labels hold no value of a request.

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

export type Metrics = ReturnType<typeof openMetrics>;

type Labels = Readonly<Record<string, string>>;

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256];

export function openMetrics() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const histogram = <Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    buckets: number[],
  ) => new Histogram({ name, help, labelNames, buckets, registers });
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers });
  const requests = histogram(
    "kopeck_http_request_seconds",
    "How long requests took that were not refused, by endpoint.",
    ["endpoint"],
    SECONDS,
  );
  // Not by endpoint: anybody can be refused by each of them, and so make the text longer.
  const answers = counter("kopeck_http_answers_total", "Answers, by status.", ["status"]);
  // Without labels, so that it is told from the start: the first one is a step from 0, which an alert sees.
  const failures = counter(
    "kopeck_http_failures_total",
    "Requests that failed unexpectedly, and were answered with 500.",
    [],
  );
  const setSizes = histogram("kopeck_set_size", "How many calls shared one set.", ["set"], SIZES);
  const setSeconds = histogram("kopeck_set_seconds", "How long sets took.", ["set"], SECONDS);
  const jobs = counter("kopeck_job_runs_total", "Runs of background jobs, by outcome.", [
    "job",
    "outcome",
  ]);
  const jobItems = counter("kopeck_job_items_total", "What background jobs have worked off.", [
    "job",
  ]);
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
  const help = "1 while the database answers.";
  const database = new Gauge({ name: "kopeck_database_up", help, registers });
  const gauges = new Map<string, Gauge>();
  const latest = new Map<string, number>();
  const counters = new Map<string, Counter>();
  return {
    requestDone(endpoint: string, status: number, seconds: number): void {
      answers.inc({ status });
      if (status < 400 || status >= 500) requests.observe({ endpoint }, seconds);
      if (status === 500) failures.inc();
    },
    setRun(set: string, size: number, seconds: number): void {
      setSizes.observe({ set }, size);
      setSeconds.observe({ set }, seconds);
    },
    /** From now on its lag is told: how long ago its last good run, or this, was. */
    jobStarted(job: string): void {
      lastGoodRuns.set(job, performance.now());
      // So that the first failure is a step from 0, which an alert sees.
      jobs.inc({ job, outcome: "failed" }, 0);
    },
    jobRun(job: string, outcome: "ok" | "failed", items: number): void {
      if (outcome === "ok") lastGoodRuns.set(job, performance.now());
      jobs.inc({ job, outcome });
      jobItems.inc({ job }, items);
    },
    databaseAnswers: (yes: boolean): void => database.set(yes ? 1 : 0),
    /** A figure that a room brings along: its latest value. */
    gauge(name: string, help: string, value: number, labels: Labels = {}): void {
      const labelNames = Object.keys(labels);
      const known = gauges.get(name) ?? new Gauge({ name, help, labelNames, registers });
      gauges.set(name, known);
      known.set(labels, value);
      if (labelNames.length === 0) latest.set(name, value);
    },
    /** The latest value of one without labels, as far as there was any. */
    gaugeNow: (name: string): number | undefined => latest.get(name),
    /** How many seconds ago the last good run of each background job ended. */
    jobLags(): (readonly [job: string, seconds: number])[] {
      const now = performance.now();
      return [...lastGoodRuns].map(([job, at]) => [job, (now - at) / 1000]);
    },
    /** What a room has seen happen, so many times more or so much of it. */
    count(name: string, help: string, by: number, labels: Labels = {}): void {
      const known = counters.get(name) ?? counter(name, help, Object.keys(labels));
      counters.set(name, known);
      known.inc(labels, by);
    },
    text: (): Promise<string> => registry.metrics(),
    contentType: registry.contentType,
  };
}
