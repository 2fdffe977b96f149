// Events as they are written: one body for all attempts, a number of its own for each, and where it goes.

import assert from "node:assert/strict";
import { after, it } from "node:test";
import { SHOP } from "../../../test/cast.ts";
import { ONE_ENGINE } from "../../../test/one-gateway.ts";
import { openRoom } from "../../../test/webhook-room.ts";
import { canonicalJson, type EventFact, recordEvents } from "./events.ts";

it("canonical JSON sorts keys at every level, compactly, and leaves lists as they are", () => {
  const value = { b: [{ d: 1, c: null }, "x"], a: { "10": 1, "9": 2, é: 3, z: 4, Z: 5 } };
  const text = '{"a":{"10":1,"9":2,"Z":5,"z":4,"é":3},"b":[{"c":null,"d":1},"x"]}';
  assert.equal(canonicalJson(value), text);
  assert.deepEqual(JSON.parse(text), value);
});

it("canonical JSON leaves out what is undefined, and keeps what a key may look like", () => {
  const value = JSON.parse('{"__proto__":1,"a/b":"\\u0000\\u2028<"}');
  assert.equal(
    canonicalJson({ ...value, none: undefined }),
    '{"__proto__":1,"a/b":"\\u0000\u2028<"}',
  );
  assert.equal(canonicalJson([undefined]), "[null]");
});

const room = await openRoom(ONE_ENGINE);
after(() => room.close());
// Two invoices, each with one event already; the newest event of each.
await room.record([null, null]);
const rows = await room.sql<{ id: string }>("select id from invoices order by id");
const invoices = rows.map(({ id }) => id);
const told = [1, 1];

const fact = (invoice: number, note: string, hookUrl: string | null = null): EventFact => {
  const sequence = (told[invoice] ?? 0) + 1;
  told[invoice] = sequence;
  const fields = { note, type: 1 };
  return { invoiceId: invoices[invoice] ?? "", shopId: SHOP.id, sequence, hookUrl, fields };
};
const record = (facts: EventFact[]): Promise<void> =>
  room.app.db.transaction((tx) => recordEvents(tx, room.app, facts));
const bodies = async (invoice: number) => {
  const rows = await room.sql<{ id: string; sequence: number; body: string }>(
    "select id, sequence, body from events where invoice_id = $1 order by sequence",
    [invoices[invoice]],
  );
  return rows;
};

it("writes the number into the body, also of several of one invoice", async () => {
  await record([fact(0, "a"), fact(1, "b"), fact(0, "c"), fact(0, "d")]);
  await record([fact(0, "e")]);
  const rows = await bodies(0);
  assert.deepEqual(
    rows.map(({ sequence }) => sequence),
    [1, 2, 3, 4, 5],
  );
  const notes = rows.slice(1).map(({ body }) => JSON.parse(body).note);
  assert.deepEqual(notes, ["a", "c", "d", "e"]);
  for (const { id, sequence, body } of rows.slice(1)) {
    const { note } = JSON.parse(body);
    assert.equal(body, `{"event_id":"${id}","note":"${note}","sequence":${sequence},"type":1}`);
  }
  assert.equal((await bodies(1)).length, 2);
});

it("refuses a number that another event of the invoice has", async () => {
  const [known] = await bodies(0);
  const again = { ...fact(1, "again"), invoiceId: invoices[0] ?? "", sequence: 1 };
  await assert.rejects(record([again]), { code: "23505" });
  told[1] = (told[1] ?? 0) - 1;
  assert.deepEqual((await bodies(0))[0], known);
});

it("makes an event due at once, by the origin of its address", async () => {
  await record([
    fact(1, "due", "HTTPS://Shop.Example:443/hook?a=1"),
    fact(1, "same", "https://shop.example/"),
  ]);
  const receivers = await room.sql(
    "select distinct receiver, next_due_at from outbox join receivers on receivers.id = receiver",
  );
  assert.equal(receivers.length, 1);
  assert.deepEqual(receivers[0]?.["next_due_at"], room.clock.now());
  const [row] = await room.sql(
    "select state, hook_url, next_attempt_at, attempts from event_states where state = 'waiting'",
  );
  assert.deepEqual(row, {
    state: "waiting",
    hook_url: "HTTPS://Shop.Example:443/hook?a=1",
    next_attempt_at: room.clock.now(),
    attempts: 0,
  });
});

it("goes to the invoice's own address, else to what the shop has", async () => {
  const of = async (url: string | null) => {
    await record([fact(1, "addressed", url)]);
    const [row] = await room.sql(
      "select hook_url, hook_is_own from events order by sequence desc limit 1",
    );
    return row;
  };
  const [own, shops] = ["https://own.example/", "https://shops.example/"];
  assert.deepEqual(await of(null), { hook_url: null, hook_is_own: false });
  await room.sql("update shops set hook_url = $2 where id = $1", [SHOP.id, shops]);
  assert.deepEqual(await of(own), { hook_url: own, hook_is_own: true });
  assert.deepEqual(await of(null), { hook_url: shops, hook_is_own: false });
  await room.sql("update shops set hook_url = null where id = $1", [SHOP.id]);
});
