// Is this address public? Guards that a request which somebody else chose the address of never reaches
// this machine or its network: everything that the registries of special addresses name is refused.

import { BlockList, isIP } from "node:net";

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

/** What is not public inside it. */
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

function listOf(family: "ipv4" | "ipv6", subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network = "", prefix = ""] = subnet.split("/");
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}
