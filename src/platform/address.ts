// Which addresses are public, loopback, or of one visitor. Outgoing requests reach public ones only.

import { BlockList, isIP } from "node:net";

/** An address that requests may go to: http or https, with no name and password in it. */
export function httpUrlOf(text: string): URL | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  return url.username === "" && url.password === "" ? url : undefined;
}

/** IANA's registry of special IPv4 addresses, multicast and the reserved end. */
const SPECIAL_IPV4 = [
  "0.0.0.0/8", // this network
  "10.0.0.0/8", // private
  "100.64.0.0/10", // shared by carriers
  "127.0.0.0/8", // loopback
  "168.63.129.16/32", // a cloud's host, reachable from inside only
  "169.254.0.0/16", // link-local, and the metadata of clouds
  "172.16.0.0/12", // private
  "192.0.0.0/24", // protocol assignments
  "192.0.2.0/24", // documentation
  "192.88.99.0/24", // relays of 6to4
  "192.168.0.0/16", // private
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, and broadcast
];

/** Outside this nothing of IPv6 is public: not loopback, mapped, NAT64, discard, local, multicast. */
const GLOBAL_IPV6 = ["2000::/3"];

const SPECIAL_IPV6 = [
  "2001::/23", // protocol assignments: Teredo, benchmarks, ORCHID
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4: an IPv4 address, perhaps a private one, inside
  "3ffe::/16", // an old test network
  "3fff::/20", // documentation
];

// A list of its own for each family: a list of both takes every IPv4 address for a part of ::/96.
const specialIpv4 = listOf("ipv4", SPECIAL_IPV4);
const globalIpv6 = listOf("ipv6", GLOBAL_IPV6);
const specialIpv6 = listOf("ipv6", SPECIAL_IPV6);
const loopbackIpv4 = listOf("ipv4", ["127.0.0.0/8"]);

export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !specialIpv4.check(address, "ipv4");
  // A zone (fe80::1%eth0) belongs to addresses of one link, never to public ones.
  if (isIP(address) !== 6 || address.includes("%")) return false;
  return globalIpv6.check(address, "ipv6") && !specialIpv6.check(address, "ipv6");
}

export function isLoopbackAddress(address: string): boolean {
  return isIP(address) === 4 ? loopbackIpv4.check(address, "ipv4") : address === "::1";
}

/**
 * What one connection to the net has of addresses, as a text to count by: an IPv4 address is itself,
 * however it is written; of IPv6 everybody is given a network of 64 bits, whose addresses cost nothing.
 */
export function addressBlock(ip: string): string {
  if (isIP(ip) !== 6) return ip;
  const groups = ipv6Groups(ip);
  const [high = 0, low = 0] = groups.slice(6);
  // A socket for both families shows an IPv4 address inside ::ffff:0:0/96.
  if (groups.slice(0, 6).join() === "0,0,0,0,0,65535") {
    return [high >> 8, high & 255, low >> 8, low & 255].join(".");
  }
  const network = groups.slice(0, 4).map((group) => group.toString(16));
  return `${network.join(":")}::/64`;
}

/** The block of a public address; any other says only that a proxy or the own network stands between. */
export function publicBlock(ip: string): string | null {
  const block = addressBlock(ip);
  return isPublicAddress(isIP(block) === 4 ? block : ip) ? block : null;
}

function ipv6Groups(ip: string): number[] {
  // A URL writes each address in one way; a zone is no part of the address.
  const { hostname } = new URL(`http://[${ip.replace(/%.*/, "")}]`);
  const [head = [], tail = []] = hostname
    .slice(1, -1)
    .split("::")
    .map((half) => half.split(":").filter((group) => group !== ""));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => "0");
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16));
}

function listOf(family: "ipv4" | "ipv6", subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network = "", prefix = ""] = subnet.split("/");
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}
