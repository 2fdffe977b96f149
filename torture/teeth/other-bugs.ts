// Ways to lose money around it: events, orders, details, keys, tenants, the audit log.

import { type Bug, drop } from "./bug.ts";

export const OTHER_BUGS: readonly Bug[] = [
  {
    name: "an expiry and its event are two transactions",
    rewrites: [
      {
        file: "features/invoices/expire-invoices.job.ts",
        from: "import { recordEvents }",
        to: "import { recordEvents as record }",
      },
      {
        file: "features/invoices/expire-invoices.job.ts",
        from: `    await recordEvents(
      tx,
      app,
      expired.map((invoice) => invoiceEvent(invoice, "expired", { reject_time })),
    );
    return { over: own, done: expired.length };`,
        to: `    told.push(...expired.map((invoice) => invoiceEvent(invoice, "expired", { reject_time })));
    return { over: own, done: expired.length };`,
      },
      {
        file: "features/invoices/expire-invoices.job.ts",
        from: "export const expireInvoicesJob = dueJob({",
        to: `const told: any[] = [];
const apart = (made: any) => ({ ...made, run: async (app: any) => {
  told.length = 0;
  const done = await made.run(app);
  await app.db.transaction((tx: any) => record(tx, app, told));
  return done;
} });
export const expireInvoicesJob = apart(dueJob({`,
      },
      {
        file: "features/invoices/expire-invoices.job.ts",
        from: "    return { over: own, done: expired.length };\n  },\n});",
        to: "    return { over: own, done: expired.length };\n  },\n}));",
      },
    ],
  },
  {
    name: "whoever has lost a lease can still write",
    rewrites: [
      {
        file: "features/webhooks/queries.ts",
        from: `const IS_HELD = \`leased_until is not null
         and attempts = ($2::integer[])[array_position($1::uuid[], event_id)]\`;`,
        to: "const IS_HELD = `$2::integer[] is not null`;",
      },
    ],
  },
  {
    name: "a claim takes no lease",
    rewrites: [
      {
        file: "features/webhooks/claim-queries.ts",
        from: "greatest(next_attempt_at, leased_until) <= $1",
        to: "next_attempt_at <= $1",
      },
    ],
  },
  {
    name: "a body says which attempt it is",
    rewrites: [
      {
        file: "features/webhooks/deliverer.ts",
        from: "const { body } = event;",
        to: 'const body = event.body.replace(/}$/, `,"try":` + event.attempt + "}");',
      },
    ],
  },
  {
    name: "an invoice expires a minute early",
    rewrites: [
      {
        file: "features/invoices/queries.ts",
        from: "expires_at as due_at",
        to: "expires_at - interval '1 minute' as due_at",
      },
      {
        file: "features/invoices/queries.ts",
        from: "and expires_at <= $2\n",
        to: "and expires_at <= $2::timestamptz + interval '1 minute'\n",
      },
    ],
  },
  {
    name: "one order makes two invoices",
    rewrites: [
      {
        file: "features/invoices/queries.ts",
        from: "on conflict (shop_id, order_id) do nothing",
        to: "",
      },
    ],
    sql: drop("invoices", "invoices_shop_id_order_id_key"),
  },
  {
    name: "a requisite that was switched off is given out",
    rewrites: [
      { file: "features/requisites/queries.ts", from: "and enabled and live", to: "and live" },
      {
        file: "features/requisites/pool.ts",
        from: "rows.filter(({ enabled }) => enabled)",
        to: "rows",
      },
      {
        file: "features/payments/claim.ts",
        from: "locked.filter((row) => row.enabled)",
        to: "locked.filter((row) => row.enabled || true)",
      },
    ],
  },
  {
    name: "details that were replaced stay alive",
    rewrites: [
      {
        file: "features/payments/issue.ts",
        from: "if (replaced.length === 0) return;",
        to: "if (replaced.length >= 0) return;",
      },
    ],
  },
  {
    name: "a key that has ended is taken from memory",
    rewrites: [
      {
        file: "features/merchants/principal.ts",
        from: "const kept = proofs(app, version);",
        to: "const kept = proofs(app, 0n);",
      },
    ],
  },
  {
    name: "an invoice is given out to whatever shop asks",
    rewrites: [
      {
        file: "features/invoices/queries.ts",
        from: "and shop_id = any($2::uuid[])\n",
        to: "and $2::uuid[] is not null\n",
      },
      {
        file: "features/payments/details.ts",
        from: "invoice?.shop_id === shop.id ? invoice : undefined",
        to: "invoice",
      },
    ],
  },
  {
    name: "a change and its row in the audit log are two transactions",
    rewrites: [
      {
        file: "features/operators/doors.ts",
        from: `    handle: (app, { input, principal }) =>
      app.db.transaction(async (tx) => {
        const { data, ...done } = await make(tx, app, input, principal);
        await recordAudit(tx, app, { operator: principal, act, ...done });
        return data;
      }),`,
        to: `    handle: async (app, { input, principal }) => {
      const { data, ...done } = await app.db.transaction((tx) => make(tx, app, input, principal));
      await app.db.transaction((tx) => recordAudit(tx, app, { operator: principal, act, ...done }));
      return data;
    },`,
      },
    ],
  },
];
