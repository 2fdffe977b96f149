// The example of a rail as a process of its own: it says where it listens and why it refuses, keeps its journal
// for itself, and takes another time than its own only where it is told to.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { freePort } from "./process.ts";

const SERVER = join(import.meta.dirname, "../examples/rail/server.ts");
const KEY = Buffer.from("a secret of the example");
const DAY_SECONDS = 24 * 60 * 60;

it("the example rail tells what it refuses, and takes a moved clock only by its option", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kopeck-example-"));
  const file = join(folder, "payouts.jsonl");
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const ask = async (seconds: number, key = KEY): Promise<number> => {
    const at = Math.round(Date.now() / 1000) + seconds;
    const signature = createHmac("sha256", key).update(`k.1.${at}.`).digest("base64");
    const headers = { "webhook-id": "k.1", "webhook-timestamp": `${at}` };
    const signed = { ...headers, "webhook-signature": `v1,${signature}` };
    return (await fetch(`${url}/payouts/k.1`, { headers: signed })).status;
  };
  const played = async (more: Record<string, string>) => {
    const RAIL_SECRET = `whsec_${KEY.toString("base64")}`;
    const env = { RAIL_SECRET, RAIL_FILE: file, PORT: port, ...more };
    const rail = spawn(process.execPath, [SERVER], { env });
    let said = "";
    rail.stdout.on("data", (text) => {
      said += text;
    });
    await once(rail.stdout, "data");
    const statuses = [await ask(0), await ask(DAY_SECONDS), await ask(0, Buffer.from("another"))];
    rail.kill();
    await once(rail, "close");
    return [statuses, said.trim().split("\n")] as const;
  };
  const listening = `listening at ${url}`;
  const wrong = "401 wrong signature: GET /payouts/k.1";
  const [statuses, said] = await played({});
  assert.deepEqual(statuses, [200, 401, 401]);
  // A day, give or take what a busy machine takes for it.
  assert.match(said[1] ?? "", /^401 the clocks are 86[34]\d\d s apart: GET \/payouts\/k\.1$/);
  assert.deepEqual([said[0], said[2]], [listening, wrong]);
  assert.deepEqual(await played({ RAIL_ANY_TIME: "1" }), [
    [200, 200, 401],
    [listening, wrong],
  ]);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  rmSync(folder, { recursive: true });
});
