// Names become addresses here, and only addresses that may be connected to come out. Guards that no
// socket is opened to a non-public address (invariant 23): the socket gets the very addresses that were
// checked, so a name that changes its answer afterwards changes nothing.

import { Resolver, lookup as systemLookup } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { isLoopbackAddress, isPublicAddress } from "./address.ts";

/** Every address of a name; an empty list or a throw where it has none. */
type Resolve = (name: string) => Promise<readonly string[]>;

export interface AddressPolicy {
  readonly allowLoopback: boolean;
  /** Names and addresses that the operator vouches for, as a URL's hostname writes them. */
  readonly allowedHosts: readonly string[];
  readonly resolve?: Resolve;
}

/** A failure of which nothing but its own few words is told. */
export class KnownFailure extends Error {}

export function checkedLookup(policy: AddressPolicy) {
  const { resolve = resolveInDns() } = policy;
  const allowed = new Set(policy.allowedHosts);
  const check = (address: string): void => {
    if (isPublicAddress(address)) return;
    if (!(policy.allowLoopback && isLoopbackAddress(address))) {
      throw new KnownFailure("address not public");
    }
  };
  const addressesOf = async (name: string): Promise<readonly string[]> => {
    if (allowed.has(name)) {
      return (await systemLookup(name, { all: true })).map(({ address }) => address);
    }
    const addresses = isLocalhost(name) ? ["127.0.0.1", "::1"] : await resolve(name);
    // One bad address condemns the name: whoever mixes them in has no good reason to.
    for (const address of addresses) check(address);
    return addresses;
  };
  const lookup: LookupFunction = (name, { all }, done) => {
    addressesOf(name).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined) done(noAddress(), "", 0);
        else if (all) done(null, addresses.map(withFamily));
        else done(null, first, isIP(first));
      },
      (error: Error) => done(error, "", 0),
    );
  };
  return {
    lookup,
    /** For an address written out no look-up happens, so it is checked before. */
    checkLiteral(host: string): void {
      if (isIP(host) !== 0 && !allowed.has(host)) check(host);
    },
  };
}

function withFamily(address: string): { address: string; family: number } {
  return { address, family: isIP(address) };
}

function noAddress(): Error {
  return Object.assign(new Error("the name has no address"), { code: "ENOTFOUND" });
}

/** Such names never leave the machine (RFC 6761), whatever a name server says. */
function isLocalhost(name: string): boolean {
  return /(?:^|\.)localhost\.?$/.test(name);
}

const TRY_MS = 2_000;
const TRIES = 2;

/**
 * Asks the name servers directly. The system's own look-up would wait in one of four threads that the
 * whole process shares: four names whose servers never answer would hold up everybody's.
 */
function resolveInDns(): Resolve {
  const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
  return async (name) => {
    const [ipv4, ipv6] = await Promise.allSettled([
      resolver.resolve4(name),
      resolver.resolve6(name),
    ]);
    if (ipv4.status === "rejected" && ipv6.status === "rejected") throw ipv4.reason;
    return [ipv4, ipv6].flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  };
}
