// A database that remembers what it was asked, and what the planner thinks of each statement.

import pg from "pg";
import type { Db } from "../src/platform/db.ts";

export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Gives what was asked outside of transactions since the last time, the oldest first. */
export type Take = () => Statement[];

export function watch(db: Db): Take {
  let seen: Statement[] = [];
  const { query } = db;
  db.query = (text, values, plan) => {
    if (values !== undefined) seen.push({ text, values });
    return query(text, values, plan);
  };
  return () => {
    const taken = seen;
    seen = [];
    return taken;
  };
}

interface Node {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Plan Rows": number;
  readonly Plans?: readonly Node[];
}

/** Tables that grow with every invoice: nobody may read one from end to end. */
export const GROWING: readonly string[] = [
  "invoices",
  "payments",
  "transfers",
  "events",
  "deliveries",
  "ledger_postings",
  "ledger_freezes",
];

/** These grow as well, and are small where there are few invoices. */
export const GROWING_SLOWLY: readonly string[] = ["slots", "refunds", "audit_log"];

const MOST_SORTED_ROWS = 10_000;

/** What a plan does that takes longer the more rows there are; nothing for a good one. */
export function objections(plan: Node, growing: readonly string[]): string[] {
  const inner = (plan.Plans ?? []).flatMap((one) => objections(one, growing));
  const table = plan["Relation Name"] ?? "";
  if (plan["Node Type"] === "Seq Scan" && growing.includes(table)) {
    return [`reads ${table}`, ...inner];
  }
  const sorted = plan["Node Type"].endsWith("Sort") ? (plan.Plans?.[0]?.["Plan Rows"] ?? 0) : 0;
  return sorted > MOST_SORTED_ROWS ? [`sorts ${sorted} rows`, ...inner] : inner;
}

/** The indexes that a plan goes through. */
export function indexesOf(plan: Node & { readonly "Index Name"?: string }): string[] {
  const inner = (plan.Plans ?? []).flatMap(indexesOf);
  const name = plan["Index Name"];
  return [...new Set(name === undefined ? inner : [name, ...inner])];
}

type Explained = { readonly "QUERY PLAN": readonly { readonly Plan: Node }[] };

/**
 * The plan for exactly these values, and the one for whatever values, which a prepared statement may be
 * left with after some calls.
 */
export function plansOf(db: Db, { text, values }: Statement): Promise<[own: Node, generic: Node]> {
  return db.transaction(async (tx) => {
    const [own] = await tx.query<Explained>(`explain (format json) ${text}`, values);
    await tx.query("set local plan_cache_mode = force_generic_plan");
    await tx.query(`prepare asked as ${text}`);
    const call = values.length === 0 ? "asked" : `asked(${values.map(literal).join(", ")})`;
    const [generic] = await tx.query<Explained>(`explain (format json) execute ${call}`);
    await tx.query("deallocate asked");
    return [topOf(own), topOf(generic)];
  });
}

function topOf(row: Explained | undefined): Node {
  const plan = row?.["QUERY PLAN"][0]?.Plan;
  if (plan === undefined) throw new Error("The server gave no plan.");
  return plan;
}

function literal(value: unknown): string {
  if (value === null) return "null";
  if (value instanceof Date) return pg.escapeLiteral(value.toISOString());
  if (Buffer.isBuffer(value)) return `'\\x${value.toString("hex")}'`;
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.map(element).join(",")}}`);
  return pg.escapeLiteral(String(value));
}

function element(value: unknown): string {
  const text = Buffer.isBuffer(value) ? `\\x${value.toString("hex")}` : String(value);
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}
