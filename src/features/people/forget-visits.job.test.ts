// What is over is forgotten, and what is not stays.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { anna } from "../../../test/people.ts";
import { forgetVisitsJob } from "./forget-visits.job.ts";

const DAY = 24 * 60 * 60;
const { gateway, own } = await openOneGateway();
const { app, clock } = gateway;

const counted = async (): Promise<readonly bigint[]> => {
  const [row] = await app.db.query<Record<"sessions" | "links" | "forms" | "devices", bigint>>(
    `select (select count(*) from sessions) as sessions, (select count(*) from links) as links,
            (select count(*) from sent_forms) as forms, (select count(*) from devices) as devices`,
  );
  return row === undefined ? [] : [row.sessions, row.links, row.forms, row.devices];
};

it("sessions, links and forms go after ninety days, browsers after a year", async () => {
  const visit = await anna(gateway);
  await own.post("people", { email: "boris@example.com", name: "Boris", desk_role: "viewer" });
  await visit.fill("/desk/merchants/new", "/desk/merchants/new", { name: "Acme" });
  assert.deepEqual(await counted(), [1n, 1n, 1n, 1n]);
  clock.advance(89 * DAY);
  await forgetVisitsJob.run(app);
  assert.deepEqual(await counted(), [1n, 1n, 1n, 1n]);
  clock.advance(8 * DAY);
  await forgetVisitsJob.run(app);
  assert.deepEqual(await counted(), [0n, 0n, 0n, 1n]);
  clock.advance(300 * DAY);
  await forgetVisitsJob.run(app);
  assert.deepEqual(await counted(), [0n, 0n, 0n, 0n]);
});
