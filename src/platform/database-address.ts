// A database's address: postgresql://user:password@host:5432/database. Guards that no password of it is shown.

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
export function wrongInAddress(text: string): string | undefined {
  const { hosts, rest } = partsOf(text);
  if (hosts.includes(",") && !SPLIT.test(rest)) {
    return "must name one host: a proxy or a pooler in front of several servers leads to the primary";
  }
  const url = URL.parse(text);
  const isRight = ["postgres:", "postgresql:"].includes(url?.protocol ?? "");
  // The driver takes what does not begin as an address for a part of another one.
  if (!isRight || text !== text.trim() || SPLIT.test(rest)) {
    return "must look like postgresql://user:password@host:5432/database, with @ / ? # and % of a password written as %40 %2F %3F %23 %25";
  }
  const asked = url?.searchParams;
  if (asked?.has("ssl")) return "has ssl in it: say it by sslmode";
  if (TLS.includes(asked?.get("sslmode") ?? "disable")) return undefined;
  return `has an sslmode that is none of ${TLS.join(", ")}`;
}

function partsOf(text: string) {
  const [, hosts = "", rest = ""] =
    /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?([^/?#@]*)(.*)$/s.exec(text) ?? [];
  return { hosts, rest };
}
