// One connection, played by a script: what is said when, and all that is answered.

import { connect } from "node:net";
import { takeAnswer, type WireAnswer } from "./wire.ts";

export type Step =
  | { readonly say: string | Buffer }
  | { readonly waitMs: number }
  /** Says that no more comes, and still listens. */
  | { readonly half: true }
  /** Goes without a word, or with a reset. */
  | { readonly leave: "close" | "reset" };

export interface Talk {
  readonly answers: readonly WireAnswer[];
  /** What was wrong with the bytes that came. */
  readonly fault: string | undefined;
  readonly endedBy: "server" | "us" | "deadline";
  readonly ms: number;
}

export interface Listening {
  /** So many answers are enough; else until the server closes. */
  readonly answers?: number;
  readonly deadlineMs: number;
}

export function converse(port: number, steps: readonly Step[], wish: Listening): Promise<Talk> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    let received = Buffer.alloc(0);
    const answers: WireAnswer[] = [];
    let fault: string | undefined;
    let isDone = false;
    const socket = connect({ host: "127.0.0.1", port });
    socket.setNoDelay(true);
    const finish = (endedBy: Talk["endedBy"]): void => {
      if (isDone) return;
      isDone = true;
      clearTimeout(timer);
      socket.destroy();
      resolve({ answers, fault, endedBy, ms: performance.now() - startedAt });
    };
    const timer = setTimeout(() => finish("deadline"), wish.deadlineMs);
    const look = (isOver: boolean): void => {
      try {
        for (;;) {
          const taken = takeAnswer(received, { isHead: false, isOver });
          if (taken === undefined) break;
          received = received.subarray(taken.length);
          // "Go on" is no answer yet.
          if (taken.answer.status !== 100) answers.push(taken.answer);
        }
      } catch (error) {
        fault = String(error);
        finish("us");
      }
      if (answers.length === wish.answers) finish("us");
    };
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      look(false);
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      look(true);
      finish("server");
    });
    void play(steps, async (step) => {
      if (isDone) return;
      if ("say" in step) socket.write(step.say);
      else if ("waitMs" in step) await new Promise((go) => setTimeout(go, step.waitMs));
      else if ("half" in step) socket.end();
      else {
        // What was written is on its way before the door slams.
        await new Promise((go) => setTimeout(go, 5));
        if (step.leave === "reset") socket.resetAndDestroy();
        finish("us");
      }
    });
  });
}

async function play(steps: readonly Step[], take: (step: Step) => Promise<void>): Promise<void> {
  for (const step of steps) await take(step);
}
