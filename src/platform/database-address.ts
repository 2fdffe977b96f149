// A database's address, which may name several servers as libpq writes them:
// postgresql://user:password@one:5432,two:5433/database. Guards that no password of it is ever shown.

/** Of each server alone; one where there is one. */
export function addressesOf(url: string): string[] {
  const { before, hosts, after } = partsOf(url);
  return hosts.split(",").map((host) => `${before}${host}${after}`);
}

function partsOf(url: string) {
  const parts = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s.exec(url);
  const [, before = "", hosts = url, after = ""] = parts ?? [];
  return { before, hosts, after };
}

/** What of it may stand in a log. */
export const hostOf = (address: string): string => URL.parse(address)?.host ?? "";

/** Two names of libpq for one that takes writes. */
const WRITABLE = ["read-write", "primary"];

/** Whether the connection is one of TLS, and whether the server has to prove who it is: libpq's words and one more. */
const WITH_PROOF = ["allow", "prefer", "require", "verify-ca", "verify-full"];
const TLS = ["disable", ...WITH_PROOF, "no-verify"];

/**
 * As the driver takes it: it means the strictest by all of these, and warns of it at length. A word of another
 * program's that may mean less is never taken for less.
 */
export function withProof(address: string): string {
  const weaker = WITH_PROOF.slice(0, -1).join("|");
  return address.replace(new RegExp(`(?<=[?&]sslmode=)(?:${weaker})(?=&|$)`), "verify-full");
}

/** A password that was not encoded: its first part would be taken for a host, be asked for and be shown. */
const SPLIT = /^[^?]*@|^\?[^=]*@/;

/** What is wrong with it, as the rest of a sentence; nothing where it is as it should be. */
export function wrongInAddress(url: string): string | undefined {
  const addresses = addressesOf(url).map((address) => URL.parse(address));
  const isOne = addresses.length === 1;
  const areRight = addresses.every(
    (address) =>
      ["postgres:", "postgresql:"].includes(address?.protocol ?? "") &&
      (isOne || address?.hostname !== ""),
  );
  // The driver takes what does not begin as an address for a part of another one.
  if (!areRight || url !== url.trim() || SPLIT.test(partsOf(url).after)) {
    return "must look like postgresql://user:password@host:5432/database, with @ / ? # and % of a password written as %40 %2F %3F %23 %25";
  }
  const asked = addresses[0]?.searchParams;
  if (asked?.has("ssl")) return "has ssl in it: say it by sslmode";
  if (!TLS.includes(asked?.get("sslmode") ?? "disable")) {
    return `has an sslmode that is none of ${TLS.join(", ")}`;
  }
  const wanted = asked?.get("target_session_attrs") ?? "read-write";
  if (isOne || WRITABLE.includes(wanted)) return undefined;
  return `names several servers, and the one that takes writes is used: target_session_attrs must be read-write`;
}
