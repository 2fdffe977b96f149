#!/usr/bin/env -S node --max-semi-space-size=8
// Starts Kopeck on a runtime that can run it. Plain JavaScript, so that an older runtime gets this far
// and can say in one line what it lacks. The flag above keeps the young heap small: 167 MB instead of 275
// under load, at the same speed; it cannot be set later.

import crypto from "node:crypto";
import module from "node:module";
import v8 from "node:v8";

const refuse = (line) => {
  process.stderr.write(`kopeck: ${line}\n`);
  process.exit(1);
};
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 24 || (major === 24 && minor < 7)) {
  refuse(
    `Node.js 24.7 or newer is needed, this is ${process.versions.node}. "npm start" finds the one that "npm ci" brings along.`,
  );
}
// One that was built with an OpenSSL of the system's before 3.2 lacks it; passwords are hashed with it.
if (crypto.argon2 === undefined) {
  refuse(`this Node.js has no argon2 (OpenSSL ${process.versions.openssl}; 3.2 or newer has it).`);
}
// The old heap may double before it is collected, instead of growing by a third: that takes both of two
// processors for some 100 ms, every 4 s at 3,000 orders a second, and was what their p99 consisted of.
v8.setFlagsFromString("--heap-growing-percent=100");
// Compiled code is kept between starts: 0.7 s of loading become 0.45 s. A thread looks for it by the name
// in its environment only.
const { directory } = module.enableCompileCache?.() ?? {};
if (directory !== undefined) process.env.NODE_COMPILE_CACHE ??= directory;
await import("../src/main.ts");
