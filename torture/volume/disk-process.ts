// A disk as a process of its own: disk-process.ts <bytes>, with the kernel's FUSE device as descriptor 3.
// Its file "image" is the disk, "switch" takes commands and gives back the answer to the last one.

import { randomOf } from "../random.ts";
import { serveFiles } from "./fuse.ts";
import { type CutStyle, openPlatter } from "./platter.ts";

export type SwitchCommand =
  | { readonly turn: "on" }
  | { readonly turn: "off"; readonly style: CutStyle; readonly seed: number };

const FUSE_DEVICE = 3;

const platter = openPlatter(Number(process.argv[2]));
let isOn = true;
let lastAnswer = "";

/** Without power nothing is read, written or flushed any more, whoever asks. */
function needsPower(): void {
  if (!isOn) throw new Error("the power is off");
}

function obey(command: SwitchCommand): object {
  if (command.turn === "on") {
    isOn = true;
    return {};
  }
  needsPower();
  isOn = false;
  return platter.cut(command.style, randomOf(command.seed));
}

serveFiles(FUSE_DEVICE, [
  {
    name: "image",
    bytes: platter.bytes,
    read(offset, length) {
      needsPower();
      return platter.read(offset, length);
    },
    write(offset, data) {
      needsPower();
      platter.write(offset, data);
    },
    flush() {
      needsPower();
      platter.flush();
    },
  },
  {
    name: "switch",
    bytes: 0,
    read: (offset, length) => Buffer.from(lastAnswer).subarray(offset, offset + length),
    write(_offset, data) {
      lastAnswer = JSON.stringify(obey(JSON.parse(data.toString("utf8")) as SwitchCommand));
    },
    flush() {},
  },
]);
