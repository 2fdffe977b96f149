// Requests that no client would write: broken frames, two readings of one message, many at once. Each
// says what may come of it.

import { invoiceBody } from "../../test/cast.ts";
import type { Random } from "../random.ts";
import type { Step } from "./converse.ts";
import {
  CREATE,
  chunked,
  cut,
  HEALTH,
  hidden,
  message,
  OWN,
  refused,
  type Shape,
  say,
  whole,
} from "./raw-messages.ts";

type Maker = (random: Random) => Shape;

const MAKERS: readonly Maker[] = [
  (random) => {
    const length = random.pick([
      "abc",
      "-2",
      "+2",
      "2 2",
      "0x2",
      "2,3",
      "9".repeat(25),
      "1e1",
      "２",
    ]);
    return refused("wrong length", message(CREATE, [...OWN, `Content-Length: ${length}`], "{}"));
  },
  (random) => {
    const headers = [...OWN, `Content-Length: ${random.between(3, 60_000)}`];
    return { fault: "wrong length", steps: cut(message(CREATE, headers, "{}")), expect: "refused" };
  },
  (random) => ({
    fault: "wrong length",
    steps: cut(
      message(CREATE, [...OWN, "Content-Length: 2"], `{}${"x".repeat(random.between(1, 99))}`),
    ),
    expect: "either",
  }),
  (random) => {
    const lengths = random
      .pick([
        [2, 3],
        [3, 2],
        [2, 2],
      ] as const)
      .map((one) => `Content-Length: ${one}`);
    return refused("two lengths", message(CREATE, [...OWN, ...lengths], "{} "));
  },
  (random) => {
    const chunks = random.pick([
      ...[
        "zz\r\n{}\r\n0\r\n\r\n",
        "-2\r\n{}\r\n0\r\n\r\n",
        "2\r\n{}x\r\n0\r\n\r\n",
        "2{}\r\n0\r\n\r\n",
      ],
      ...[
        "2\r\n{}0\r\n\r\n",
        "fffffffffffffffff\r\n{}",
        "\r\n2\r\n{}\r\n0\r\n\r\n",
        " 2\r\n{}\r\n0\r\n\r\n",
      ],
      ...["2;a=\x00\r\n{}\r\n0\r\n\r\n", "10001\r\n".padEnd(70_000), "2\n{}\n0\n\n"],
    ]);
    return refused(
      "chunked garbage",
      message(CREATE, [...OWN, "Transfer-Encoding: chunked"], chunks),
    );
  },
  (random) => ({
    fault: "chunked garbage",
    steps: cut(
      message(
        CREATE,
        [...OWN, "Transfer-Encoding: chunked"],
        random.pick(["", "5\r\n{", "2\r\n{}\r\n"]),
      ),
    ),
    expect: "refused",
  }),
  (random) => {
    const chunks = chunked(JSON.stringify(invoiceBody()), random);
    const text = message(CREATE, [...OWN, "Transfer-Encoding: chunked"], chunks);
    return { fault: "right chunks", steps: say(text), expect: { served: 1 } };
  },
  (random) => {
    const both = random.shuffle(["Content-Length: 4", "Transfer-Encoding: chunked"]);
    return refused("both framings", message(CREATE, [...OWN, ...both], `0\r\n\r\n${hidden()}`));
  },
  (random) => {
    const secret = hidden();
    const length = `Content-Length: ${random.pick([0, 5, secret.length])}`;
    const coding = random.pick([
      ...[
        "Transfer-Encoding : chunked",
        "Transfer-Encoding: xchunked",
        "Transfer-Encoding:\tchunked",
      ],
      ...["Transfer-Encoding: chunked, identity", "Transfer-Encoding: identity, chunked, gzip"],
      ...[
        "Transfer-Encoding: \x0bchunked",
        "X: y\rTransfer-Encoding: chunked",
        "Transfer-Encoding: 'chunked'",
      ],
      ...[
        "Transfer-Encoding:\r\n chunked",
        "X: y\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: x",
      ],
    ]);
    const headers = random.shuffle([length, coding]);
    return refused("smuggled request", message(CREATE, [...OWN, ...headers], `0\r\n\r\n${secret}`));
  },
  (random) => {
    const secret = hidden();
    const lengths = random.pick([
      `0, ${secret.length}`,
      `+${secret.length}`,
      `${secret.length} `.repeat(2),
    ]);
    return refused(
      "smuggled request",
      message(CREATE, [...OWN, `Content-Length: ${lengths}`], secret),
    );
  },
  () => {
    const secret = hidden();
    const headers = ["Host: kopeck.test", `Content-Length: ${secret.length}`];
    const text = message("GET /healthz HTTP/1.1", headers, secret);
    return { fault: "smuggled request", steps: say(text + HEALTH), expect: { served: 2 } };
  },
  (random) => {
    const folded = random.pick(["X: a\r\n b", "X: a\r\n\tb", " X: a", "Content-Length:\r\n 2"]);
    return refused("obsolete folding", message(CREATE, ["Host: kopeck.test", folded], "{}"));
  },
  (random) => {
    const count = random.between(2, 12);
    const text = Array.from({ length: count }, () => random.pick([whole(), HEALTH])).join("");
    return { fault: "pipelining", steps: say(text), expect: { served: count } };
  },
  (random) => {
    const text = `${whole()}${random.pick(["NONSENSE\r\n\r\n", "GET / HTTP/1.1\r\nA B\r\n\r\n"])}${hidden()}`;
    return { fault: "pipelining after nonsense", steps: cut(text), expect: "either" };
  },
  (random) => {
    const text = whole();
    const sent = text.slice(0, random.between(1, text.length));
    const leave = random.pick(["close", "reset"] as const);
    return { fault: "early close", steps: [{ say: sent }, { leave }], expect: "either" };
  },
  (random) => {
    const bytes = [...whole()].map((one): Step[] => [
      { say: one },
      { waitMs: random.between(0, 3) },
    ]);
    return { fault: "byte by byte", steps: bytes.flat(), expect: { served: 1 } };
  },
  (random) =>
    refused(
      "broken request line",
      random.pick([
        ...[
          "NONSENSE\r\n\r\n",
          "GET\r\n\r\n",
          "GET HTTP/1.1\r\n\r\n",
          "GET / HTTP/9.9\r\n\r\n",
          "\0\0\0\0\r\n\r\n",
        ],
        ...["get / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1 x\r\n\r\n"],
        ...[
          "GET /\x00 HTTP/1.1\r\n\r\n",
          `GET /${"a".repeat(99_000)} HTTP/1.1\r\n\r\n`,
          "GET / HTP/1.1\r\n\r\n",
        ],
      ]),
    ),
  (random) =>
    refused(
      "broken header",
      message("GET /healthz HTTP/1.1", [
        random.pick([
          ...[
            "no colon",
            ": empty",
            "X Y: z",
            "X: a\0b",
            "X\0: a",
            "X: \x01",
            `X: ${"a".repeat(99_000)}`,
          ],
          ...["Content-Length: ", "\u00ff: a", "X: a\rb", "Host: a\r\n\r: b"],
        ]),
      ]),
    ),
  (random) => ({
    fault: "other protocol",
    steps: cut(
      random.pick([
        ...[
          "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
          "PROXY TCP4 1.1.1.1 2.2.2.2 1 2\r\nGET / HTTP/1.1\r\n\r\n",
        ],
        ...[
          "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
          "EHLO a\r\n",
          "*1\r\n$4\r\nPING\r\n",
          "\r\n\r\n\r\n",
        ],
        ...["CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n", "GET /\r\n", "SSH-2.0-x\r\n"],
        message("GET /healthz HTTP/1.1", [
          ...[
            "Host: a",
            "Connection: Upgrade, close",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
          ],
        ]),
        message("GET /healthz HTTP/1.1", [
          "Host: a",
          "Connection: Upgrade, HTTP2-Settings",
          "Upgrade: h2c",
        ]),
      ]),
    ),
    expect: "either",
  }),
  () => {
    const body = JSON.stringify(invoiceBody());
    const headers = [...OWN, "Expect: 100-continue", `Content-Length: ${body.length}`];
    const steps = [{ say: message(CREATE, headers) }, { waitMs: 20 }, { say: body }];
    return { fault: "expectation", steps, expect: { served: 1 } };
  },
  (random) => {
    const bytes = Buffer.from(whole());
    for (let more = random.between(1, 6); more > 0; more -= 1) {
      bytes[random.below(bytes.length)] = random.below(256);
    }
    return { fault: "flipped bytes", steps: [{ say: bytes }, { half: true }], expect: "either" };
  },
];

export const RAW_FAULTS: readonly string[] = [
  ...["wrong length", "two lengths", "chunked garbage", "right chunks", "both framings"],
  ...[
    "smuggled request",
    "obsolete folding",
    "pipelining",
    "pipelining after nonsense",
    "early close",
  ],
  ...["byte by byte", "broken request line", "broken header", "other protocol", "expectation"],
  "flipped bytes",
];

/** With fewer than this, some are missing. */
export const SHAPE_COUNT = MAKERS.length;

/** All of them in turn, each with chance of its own. */
export function shapeOf(index: number, random: Random): Shape {
  const make = MAKERS[index % MAKERS.length];
  if (make === undefined) throw new Error("no shape");
  return make(random);
}
