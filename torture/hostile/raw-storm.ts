// The shapes that no client would write, one after another, a few at a time; and a crowd of idle
// connections beside which everybody else is served.

import { connect, type Socket } from "node:net";
import type { Trial } from "../part.ts";
import type { Random } from "../random.ts";
import { converse, type Talk } from "./converse.ts";
import type { Installation } from "./installation.ts";
import { envelopeFault } from "./judge-answer.ts";
import type { Shape } from "./raw-messages.ts";
import { shapeOf } from "./raw-shapes.ts";
import { replayable } from "./storm.ts";

const AT_ONCE = 10;
const DEADLINE_MS = 15_000;

export async function rawStorm(
  trial: Trial,
  { port, engine, ended }: Installation,
  count: number,
  random: Random,
): Promise<void> {
  for (let done = 0; done < count; done += AT_ONCE) {
    const shapes = Array.from({ length: Math.min(AT_ONCE, count - done) }, (_, index) =>
      shapeOf(done + index, random.branch(done + index)),
    );
    const talks = await Promise.all(
      shapes.map((shape) => converse(port, shape.steps, listening(shape))),
    );
    for (const [index, shape] of shapes.entries()) {
      const talk = talks[index];
      const wrong = talk && faultOf(shape, talk);
      trial.count(shape.fault);
      if (wrong === undefined) continue;
      const said = shape.steps.map((step) =>
        "say" in step ? Buffer.from(step.say) : Buffer.alloc(0),
      );
      trial.violation(
        `${engine}: ${shape.fault}: ${wrong}\n    ${replayable(Buffer.concat(said))}`,
      );
    }
    if (ended() !== undefined)
      throw new Error(`the gateway ended: ${ended()?.stderr.slice(-2_000)}`);
  }
}

function listening({ expect }: Shape) {
  return typeof expect === "object"
    ? { answers: expect.served, deadlineMs: DEADLINE_MS }
    : { deadlineMs: DEADLINE_MS };
}

function faultOf(
  { expect, steps }: Shape,
  { answers, fault, endedBy, ms }: Talk,
): string | undefined {
  if (fault !== undefined) return fault;
  if (endedBy === "deadline") return `still open after ${Math.round(ms)} ms`;
  const statuses = answers.map(({ status }) => status);
  const wrong = answers.map((answer) =>
    answer.status >= 500 ? `status ${answer.status}: ${answer.text}` : envelopeFault(answer),
  );
  const first = wrong.find((one) => one !== undefined);
  if (first !== undefined) return first;
  if (expect === "refused" && (statuses.length === 0 || statuses.some((one) => one < 400))) {
    return `answered ${statuses.join(", ") || "nothing"}, and not refused`;
  }
  if (typeof expect !== "object") return undefined;
  const isServed = statuses.length === expect.served && statuses.every((one) => one === 200);
  return isServed ? undefined : `answered ${statuses.join(", ")} to ${steps.length} steps`;
}

/** How long the slowest of those waited who were served beside the crowd. */
export async function crowd(
  trial: Trial,
  { port, engine }: Installation,
  count: number,
): Promise<void> {
  const sockets = await Promise.all(Array.from({ length: count }, () => open(port)));
  trial.count("idle connections", count);
  for (let turn = 0; turn < 10; turn += 1) {
    const text = "GET /readyz HTTP/1.1\r\nHost: kopeck.test\r\n\r\n";
    const talk = await converse(port, [{ say: text }], { answers: 1, deadlineMs: 5_000 });
    if (talk.answers[0]?.status === 200) trial.count("served beside a crowd");
    else trial.violation(`${engine}: nobody is served beside ${count} idle connections`);
  }
  for (const socket of sockets) socket.destroy();
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port }, () => resolve(socket));
    socket.on("error", reject);
  });
}
