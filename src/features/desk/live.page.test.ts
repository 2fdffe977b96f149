// /desk/changes, /my/changes: a stream for who has signed in, which says that something is new.

import assert from "node:assert/strict";
import { it } from "node:test";
import { createInvoice } from "../../../test/cast.ts";
import { hire, owners, signedInAs } from "../../../test/members.ts";
import { openQuietGateway } from "../../../test/one-gateway.ts";
import { anna, type Visitor, visitor } from "../../../test/people.ts";
import { tellScreensJob } from "../people/tell-screens.job.ts";

const { gateway } = await openQuietGateway();

it("a new invoice is told to the desk and to its own merchant", async () => {
  const { jar } = await anna(gateway);
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
  const streams = await Promise.all(
    ["/desk/changes?of=invoices", "/my/changes?of=invoices"].map((path) =>
      fetch(gateway.url + path, { headers: { cookie } }),
    ),
  );
  const readers = streams.map(({ body }) => body?.pipeThrough(new TextDecoderStream()).getReader());
  for (const reader of readers) assert.match((await reader?.read())?.value ?? "", /retry/);
  await tellScreensJob.run(gateway.app);
  await createInvoice(gateway);
  await tellScreensJob.run(gateway.app);
  for (const reader of readers) {
    assert.match((await reader?.read())?.value ?? "", /event: change/);
    await reader?.cancel();
  }
});

it("who has not signed in is led to the door", async () => {
  const { status, location } = await visitor(gateway).get("/desk/changes?of=invoices");
  assert.deepEqual([status, location.startsWith("/sign-in")], [303, true]);
});

/** A stream of this browser: whether it still goes on a second later. */
async function listening(visit: Visitor, path: string) {
  const cookie = [...visit.jar].map(([name, value]) => `${name}=${value}`).join("; ");
  const { body } = await fetch(gateway.url + path, { headers: { cookie } });
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  assert.match((await reader?.read())?.value ?? "", /retry/);
  return { ended: async () => (await reader?.read())?.done, leave: () => reader?.cancel() };
}

it("an open stream ends within a second of the session, of the membership, of the role", async () => {
  const { app } = gateway;
  const { mine } = await owners(gateway);
  const changes = "/my/changes?of=invoices";
  const [gone, other] = [await hire(gateway, "support"), await hire(gateway, "support")];
  const letGo = await signedInAs(gateway, gone);
  const promoted = await signedInAs(gateway, other);
  const leaving = await signedInAs(gateway, await hire(gateway, "developer"));
  const boss = await anna(gateway);
  const stays = await listening(boss, changes);
  const atDesk = await listening(await anna(gateway), "/desk/changes?of=invoices");
  const streams = await Promise.all(
    [letGo, promoted, leaving].map((visit) => listening(visit, changes)),
  );
  await tellScreensJob.run(app);
  await mine.post(`people/${gone.personId}`, { role: "none" });
  await mine.post(`people/${other.personId}`, { role: "accountant" });
  await leaving.post("/sign-out");
  await tellScreensJob.run(app);
  gateway.clock.advance(1);
  assert.deepEqual(await Promise.all(streams.map(({ ended }) => ended())), [true, true, true]);
  await createInvoice(gateway);
  await tellScreensJob.run(app);
  assert.equal(await stays.ended(), false, "who is still there hears of it");
  assert.equal(await atDesk.ended(), false);
  gateway.clock.advance(60 * 60 + 1);
  await tellScreensJob.run(app);
  assert.equal(await atDesk.ended(), true, "left alone for an hour");
  await stays.leave();
});
