// A part of a benchmark as a process of its own, and how it is asked.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

export function startPart(file: string): ChildProcess {
  return fork(file);
}

export async function ask<Answer>(child: ChildProcess, message: object): Promise<Answer> {
  const done = new AbortController();
  const ended = once(child, "exit", { signal: done.signal }).then(() => {
    throw new Error(`a part of the benchmark has ended: ${child.spawnargs.slice(1).join(" ")}`);
  });
  ended.catch(() => {});
  child.send(message);
  const [answer] = await Promise.race([once(child, "message", { signal: done.signal }), ended]);
  done.abort();
  return answer as Answer;
}

/** The other side: answers one message after another, and ends with whoever asks. */
export function answerParent<Message>(answer: (message: Message) => Promise<unknown>): void {
  process.on("message", (message) => {
    void answer(message as Message).then((value) => process.send?.(value));
  });
  process.on("disconnect", () => process.exit());
}
