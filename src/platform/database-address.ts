// A database's address, which may name several servers as libpq writes them:
// postgresql://user:password@one:5432,two:5433/database. Guards that no password of it is ever shown.

/** Of each server alone; one where there is one. */
export function addressesOf(url: string): string[] {
  const parts = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s.exec(url);
  if (parts === null) return [url];
  const [, before = "", hosts = "", after = ""] = parts;
  return hosts.split(",").map((host) => `${before}${host}${after}`);
}

/** What of it may stand in a log. */
export const hostOf = (address: string): string => URL.parse(address)?.host ?? "";

/** Two names of libpq for one that takes writes. */
const WRITABLE = ["read-write", "primary"];

/** What is wrong with it, as the rest of a sentence; nothing where it is as it should be. */
export function wrongInAddress(url: string): string | undefined {
  const addresses = addressesOf(url).map((address) => URL.parse(address));
  const isOne = addresses.length === 1;
  const areRight = addresses.every(
    (address) =>
      ["postgres:", "postgresql:"].includes(address?.protocol ?? "") &&
      (isOne || address?.hostname !== ""),
  );
  if (!areRight) return "must look like postgresql://user:password@host:5432/database";
  const wanted = addresses[0]?.searchParams.get("target_session_attrs") ?? "read-write";
  if (isOne || WRITABLE.includes(wanted)) return undefined;
  return `names several servers, and the one that takes writes is used: target_session_attrs must be read-write`;
}
