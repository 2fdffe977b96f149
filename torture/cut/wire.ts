// PostgreSQL's wire protocol, as much of it as is needed to know where a transaction ends: frames, what
// travels together up to its Sync, and whether it is inside of a transaction.

/** A letter and a length that counts itself, then the content; the very first frame has no letter. */
export function frameReader(hasStartup: boolean): (bytes: Buffer) => Buffer[] {
  let rest = Buffer.alloc(0);
  let isStartup = hasStartup;
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    const frames: Buffer[] = [];
    for (;;) {
      const letter = isStartup ? 0 : 1;
      if (rest.length < letter + 4) return frames;
      const size = letter + rest.readInt32BE(letter);
      if (rest.length < size) return frames;
      frames.push(rest.subarray(0, size));
      rest = rest.subarray(size);
      isStartup = false;
    }
  };
}

export const letterOf = (frame: Buffer): string => String.fromCharCode(frame[0] ?? 0);

/** What the database does and answers as a whole. */
export interface Unit {
  readonly bytes: Buffer;
  /** Ends a transaction: a COMMIT, or a writing statement that is one by itself; else a step inside. */
  readonly kind: "commit" | "single" | "step" | "other";
}

/** Gathers a client's frames into units; nothing until one is whole. */
export function unitReader(): (frame: Buffer) => Unit | undefined {
  const texts = new Map<string, string>();
  let frames: Buffer[] = [];
  let text = "";
  let isInside = false;
  return (frame) => {
    frames.push(frame);
    switch (letterOf(frame)) {
      case "P": {
        const [name = "", statement = ""] = zeroEnded(frame, 5, 2);
        texts.set(name, statement);
        return undefined;
      }
      case "B": {
        const [, name = ""] = zeroEnded(frame, 5, 2);
        text = texts.get(name) ?? "";
        return undefined;
      }
      case "D":
      case "E":
        return undefined;
      case "Q":
        text = zeroEnded(frame, 5, 1)[0] ?? "";
        break;
      default:
        break;
    }
    const kind = kindOf(text.trim().toLowerCase(), isInside);
    if (/^begin\b/i.test(text)) isInside = true;
    if (/^(commit|rollback)\b/i.test(text)) isInside = false;
    const unit = { bytes: Buffer.concat(frames), kind };
    frames = [];
    text = "";
    return unit;
  };
}

function kindOf(text: string, isInside: boolean): Unit["kind"] {
  if (text === "commit") return "commit";
  if (text === "" || /^(begin|rollback)\b/.test(text)) return "other";
  if (isInside) return "step";
  return /\b(insert into|update|delete from)\b/.test(text) ? "single" : "other";
}

function zeroEnded(frame: Buffer, from: number, count: number): string[] {
  const texts: string[] = [];
  let start = from;
  for (let nth = 0; nth < count; nth += 1) {
    const end = frame.indexOf(0, start);
    texts.push(frame.toString("utf8", start, end));
    start = end + 1;
  }
  return texts;
}
