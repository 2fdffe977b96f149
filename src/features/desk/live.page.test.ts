// /desk/changes, /my/changes: a stream for who has signed in, which says that something is new.

import assert from "node:assert/strict";
import { it } from "node:test";
import { createInvoice } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { anna, visitor } from "../../../test/people.ts";
import { tellScreensJob } from "../people/tell-screens.job.ts";

const { gateway } = await openOneGateway();

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
