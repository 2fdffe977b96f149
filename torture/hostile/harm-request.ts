// Harm done to a request around what it says: bytes, headers, method, path, secret.

import { gzipSync } from "node:zlib";
import { OTHER_SHOP, OTHER_USER } from "../../test/cast.ts";
import type { Random } from "../random.ts";
import { bodyOf } from "./draft.ts";
import type { Harm } from "./harm-content.ts";
import {
  ODD_CONTENT_TYPES,
  ODD_HEADERS,
  ODD_METHODS,
  oddText,
  PROTOTYPE_NAMES,
} from "./odd-values.ts";
import { encoded } from "./tree.ts";

const BODY_LIMIT = 64 * 1024;

export const REQUEST_HARMS = {
  "wrong encoding": withBody((body, random) => {
    const text = body.toString("utf8");
    const at = random.below(body.length + 1);
    const inserted = (...bytes: number[]): Buffer =>
      Buffer.concat([body.subarray(0, at), Buffer.of(...bytes), body.subarray(at)]);
    return random.pick([
      () => Buffer.from(text, "utf16le"),
      () => Buffer.from(text, "utf16le").swap16(),
      () => Buffer.concat([Buffer.of(0xff, 0xfe), Buffer.from(text, "utf16le")]),
      () => Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), body]),
      () => inserted(0xff),
      () => inserted(0xc0, 0xaf),
      () => inserted(0xed, 0xa0, 0x80),
      () => inserted(0xf5, 0x80, 0x80, 0x80),
      () => inserted(0),
      () => Buffer.concat([body, Buffer.of(0xd1)]),
      () => Buffer.from(text, "latin1"),
    ])();
  }),
  "claimed compression": (draft, random) => {
    if (draft.operation.method === "GET") return false;
    draft.headers.push([
      "content-encoding",
      random.pick(["gzip", "br", "deflate", "identity", "x"]),
    ]);
    if (random.chance(0.5)) draft.body = gzipSync(bodyOf(draft));
    return true;
  },
  "torn body": withBody((body, random) => {
    const cut = body.subarray(0, random.below(body.length));
    const flipped = Buffer.from(body);
    const at = random.below(flipped.length);
    if (flipped.length > 0) flipped[at] = (flipped[at] ?? 0) ^ (1 << random.below(8));
    return random.pick([cut, flipped, Buffer.concat([body, body]), Buffer.alloc(0)]);
  }),
  "oversized body": withBody((body, random) => {
    const size = random.pick([BODY_LIMIT, BODY_LIMIT + 1, 3 * BODY_LIMIT]);
    return Buffer.concat([body, Buffer.alloc(Math.max(0, size - body.length), " ")]);
  }),
  "wrong content type": ({ headers, operation }, random) => {
    if (operation.method === "GET") return false;
    const index = headers.findIndex(([name]) => name === "content-type");
    const types = random.chance(0.1) ? [] : [random.pick(ODD_CONTENT_TYPES)];
    headers.splice(index, 1, ...types.map((type): [string, string] => ["content-type", type]));
    return true;
  },
  "odd header": ({ headers }, random) => {
    for (let more = random.between(1, 3); more > 0; more -= 1) {
      const [name, value] = random.pick(ODD_HEADERS);
      headers.push([name, value]);
    }
    return true;
  },
  "huge header": ({ headers }, random) => {
    if (random.chance(0.5))
      headers.push(["x-filler", "a".repeat(random.pick([8_000, 20_000, 90_000]))]);
    else {
      const count = random.pick([90, 400, 2_500]);
      for (let index = 0; index < count; index += 1) headers.push([`x-${index}`, "a".repeat(20)]);
    }
    return true;
  },
  "huge query": (draft, random) => {
    draft.query = random.pick([
      () => `a=${"b".repeat(random.pick([2_000, 15_000, 60_000]))}`,
      () => Array.from({ length: 1_200 }, (_, index) => `a${index}=1`).join("&"),
      () => "a[]=1&".repeat(1_500),
      () => `a${"[b]".repeat(2_000)}=1`,
      () => "&=".repeat(3_000),
    ])();
    return true;
  },
  "odd query": (draft, random) => {
    const field = draft.operation.fields.map(({ name }) => name).at(0) ?? "limit";
    draft.query = random.pick([
      ...[`${field}=%`, `${field}=%zz`, `${field}=%ff`, `${field}=%00`, `${field}`, `=${field}`],
      ...[`${field}=1&${field}=2`, `${field}[]=1`, `${field}[a]=1`, `${field}%5B%5D=1`, "?", "#"],
      ...[`${random.pick(PROTOTYPE_NAMES)}=1`, "__proto__[admin]=1", "a=1;b=2", "+=+", "%26=%3D"],
      ...[
        `${field}=+1`,
        `${field}=1e3`,
        `${field}=0x1`,
        `${field}=${encoded(oddText(random)).slice(0, 9_000)}`,
      ],
    ]);
    return true;
  },
  "odd method": (draft, random) => {
    draft.method = random.pick(ODD_METHODS.filter((method) => method !== draft.operation.method));
    return true;
  },
  "odd path": (draft, random) => {
    const { path } = draft;
    const half = path.lastIndexOf("/");
    draft.path = random.pick([
      ...[
        `${path}/`,
        `/${path}`,
        `${path}/..`,
        `${path}/.`,
        `/.${path}`,
        `${path}%00`,
        `${path}%20`,
      ],
      ...[`/%2e%2e${path}`, `/a/..${path}`, `${path}/%2e%2e/%2e%2e/etc/passwd`, `${path};a=b`],
      ...[path.replaceAll("/", "%2f"), path.replaceAll("/", "%252f"), path.replaceAll("/", "\\")],
      ...[
        path.toUpperCase(),
        `${path.slice(0, half)}/${"a".repeat(9_000)}`,
        `${path}%`,
        `${path}%f0`,
      ],
      ...[
        path.replace(/[a-z]/, (one) => `%${one.charCodeAt(0).toString(16)}`),
        `${path}#a`,
        "*",
        "",
      ],
      ...[
        `http://kopeck.test${path}`,
        `http://evil.example${path}`,
        `//evil.example${path}`,
        `${path}?`,
      ],
      ...[
        `${path}\u00e9`,
        `${path}%EF%BC%8F`,
        `${path} x`,
        `${path}\t`,
        "/".repeat(4_000),
        `${path}%c0%af`,
      ],
    ]);
    return true;
  },
  "odd value in the path": (draft, random) => {
    const { operation, fields } = draft;
    if (operation.inPath.length === 0) return false;
    const name = random.pick(operation.inPath);
    const whole = String(fields[name] ?? "none");
    const other = random.pick([
      ...[
        whole.toUpperCase(),
        `${whole} `,
        whole.slice(1),
        `{${whole}}`,
        `${whole}\n`,
        `${whole}\0`,
      ],
      oddText(random).slice(0, 3_000),
    ]);
    draft.path = operation.path.replace(/\{(\w+)\}/g, (_, one: string) =>
      one === name ? encoded(other) : encoded(String(fields[one] ?? "none")),
    );
    return true;
  },
  "odd secret": ({ headers, operation }, random) => {
    if (operation.secret === "none") return false;
    const index = headers.findIndex(([name]) => /^(?:x-api|authorization)/.test(name));
    const [name = "", value = ""] = headers[index] ?? [];
    const others = [
      ...["", " ", "x", "Bearer", "Bearer ", "Basic YTpi", `Bearer ${"x".repeat(7_000)}`, "\u00ff"],
      ...[
        value.toLowerCase(),
        value.slice(1),
        `${value}x`,
        `${value}, ${value}`,
        "x".repeat(9_000),
      ],
      ...[OTHER_SHOP.key, OTHER_USER.secret, random.pick(PROTOTYPE_NAMES), "' or 1=1 --"],
    ];
    const wrong: [string, string] = [name, random.pick(others)];
    const how = random.weighted({ none: 1, beside: 1, instead: 4 });
    if (how === "beside") headers.push(wrong);
    else headers.splice(index, 1, ...(how === "none" ? [] : [wrong]));
    return true;
  },
} satisfies Record<string, Harm>;

function withBody(change: (body: Buffer, random: Random) => Buffer): Harm {
  return (draft, random) => {
    if (draft.operation.method === "GET" && random.chance(0.9)) return false;
    draft.body = change(bodyOf(draft), random);
    return true;
  };
}
