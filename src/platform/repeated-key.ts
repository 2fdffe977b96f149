// A JSON text that says a field of its own twice. The last one would count, and what was meant nobody knows: for
// whoever tells of money, and must not contradict themselves.

/** A text, and the colon behind one that is a key; what opens and closes. */
const JSON_PARTS = /"[^"\\]*(?:\\.[^"\\]*)*"(?<colon>\s*:)?|[{}[\]]/g;

/** Whether it does; the text is JSON. Fields of what stands within it are not looked at. */
export function repeatsKey(text: string): boolean {
  const keys = new Set<unknown>();
  let depth = 0;
  for (const { 0: part, groups } of text.matchAll(JSON_PARTS)) {
    if (part === "{" || part === "[") depth += 1;
    else if (part === "}" || part === "]") depth -= 1;
    else if (depth === 1 && groups?.["colon"] !== undefined) {
      const { length } = groups["colon"];
      const key: unknown = JSON.parse(part.slice(0, -length));
      if (keys.has(key)) return true;
      keys.add(key);
    }
  }
  return false;
}
