// Clients that say nothing, or half of it, or say it so slowly that it never ends: each keeps a
// connection, and must not keep it for ever. They are started first and looked after last.

import { invoiceBody, SHOP } from "../../test/cast.ts";
import type { Random } from "../random.ts";
import { converse, type Step, type Talk } from "./converse.ts";
import { envelopeFault } from "./judge-answer.ts";

/** Ten seconds for a head, fifteen for a whole request, looked at each second; and a slow machine. */
const LET_GO_MS = 30_000;

const HEAD = [
  "POST /invoice/create HTTP/1.1",
  "Host: kopeck.test",
  `X-Api-Key: ${SHOP.key}`,
  "Content-Type: application/json",
];

interface Silent {
  readonly kind: string;
  readonly steps: readonly Step[];
}

function silentOnes(random: Random): readonly Silent[] {
  const body = JSON.stringify(invoiceBody());
  const head = `${HEAD.join("\r\n")}\r\nContent-Length: ${body.length}\r\n\r\n`;
  const drops = [...head].map((one): Step[] => [{ say: one }, { waitMs: 400 }]);
  return [
    { kind: "nothing at all", steps: [] },
    { kind: "half a request line", steps: [{ say: "POST /inv" }] },
    { kind: "half a head", steps: [{ say: head.slice(0, random.between(30, head.length - 5)) }] },
    { kind: "a head without its body", steps: [{ say: head }] },
    {
      kind: "half a body",
      steps: [{ say: head + body.slice(0, random.between(1, body.length - 1)) }],
    },
    {
      kind: "half a chunk",
      steps: [{ say: `${HEAD.join("\r\n")}\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{"a` }],
    },
    { kind: "a drop at a time", steps: drops.flat() },
  ];
}

export const SILENT_FAULT = "half a request, then silence";

/** What is wrong, when the last of them is over. */
export async function keepSilent(
  port: number,
  count: number,
  random: Random,
): Promise<readonly string[]> {
  const all = Array.from({ length: count }, (_, index) => {
    const kinds = silentOnes(random.branch(index));
    return kinds[index % kinds.length];
  }).filter((one) => one !== undefined);
  const talks = await Promise.all(
    all.map(async ({ kind, steps }) => ({
      kind,
      talk: await converse(port, steps, { deadlineMs: LET_GO_MS }),
    })),
  );
  return talks.flatMap(({ kind, talk }) => faultsOf(kind, talk));
}

function faultsOf(kind: string, { answers, endedBy, fault, ms }: Talk): string[] {
  if (endedBy === "deadline") return [`${kind} kept a connection for ${Math.round(ms)} ms`];
  if (fault !== undefined) return [`${kind} was answered with ${fault}`];
  return answers.flatMap((answer) => {
    const wrong = answer.status === 408 ? envelopeFault(answer) : `status ${answer.status}`;
    return wrong === undefined ? [] : [`${kind} was answered with ${wrong}`];
  });
}
