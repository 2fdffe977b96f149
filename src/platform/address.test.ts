// Which addresses are public, at the edges of the ranges that are not, and which are one person's. That
// nothing inside those ranges is connected to is shown by outgoing.test.ts.

import assert from "node:assert/strict";
import { it } from "node:test";
import { addressBlock, isLoopbackAddress, isPublicAddress } from "./address.ts";

it("an address just beside a special range is public", () => {
  const addresses = [
    "1.0.0.0",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "192.0.3.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "203.0.112.255",
    "203.0.114.0",
    "223.255.255.255",
    "8.8.8.8",
    "2001:200::1",
    "2001:4860:4860::8888",
    "2606:4700:4700::1111",
    "2001:db7:ffff::1",
    "2001:db9::1",
    "2003::1",
    "2a00:1450:4001::1",
    "3ffd::1",
  ];
  assert.deepEqual(
    addresses.filter((address) => !isPublicAddress(address)),
    [],
  );
});

it("an address that is none is not public", () => {
  for (const text of ["", "x", "1.2.3", "1.2.3.4.5", "fe80::1%eth0", "2606::1%1", "8.8.8.8 "]) {
    assert.equal(isPublicAddress(text), false, text);
  }
});

it("an address of the loopback is told from others", () => {
  assert.ok(["127.0.0.1", "127.9.9.9", "::1"].every(isLoopbackAddress));
  assert.ok(!["128.0.0.1", "0.0.0.0", "::", "10.0.0.1", "::2", "x"].some(isLoopbackAddress));
});

it("an address counts as one with the other addresses that the same person has", () => {
  const blocks: readonly (readonly [string, string])[] = [
    ["203.0.113.7", "203.0.113.7"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["::FFFF:cb00:7107", "203.0.113.7"],
    ["0:0:0:0:0:ffff:203.0.113.8", "203.0.113.8"],
    ["2001:db8:1:2::1", "2001:db8:1:2::/64"],
    ["2001:DB8:0001:2:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"],
    ["2001:db8:1:2:3:4:203.0.113.7", "2001:db8:1:2::/64"],
    ["2001:db8:1:3::1", "2001:db8:1:3::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["1::", "1:0:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["", ""],
    ["unknown", "unknown"],
  ];
  for (const [address, block] of blocks) assert.equal(addressBlock(address), block, address);
});
