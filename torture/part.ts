// A part of the torture: one way of trying to break the gateway. What it did is counted by names that
// are given beforehand, so that a fault that was never inflicted, or a state that was never reached,
// fails the run instead of passing silently.

import type { Random } from "./random.ts";

export interface Part {
  readonly name: string;
  /** One line: what is tried. */
  readonly about: string;
  /** What is done to the gateway. Each must have been done at least once. */
  readonly faults: readonly string[];
  /** What is done in a full run only. */
  readonly faultsOfFull?: readonly string[];
  /** Where it must have got to. Each at least once. */
  readonly states: readonly string[];
  /** Why this machine cannot run it, with what to install; nothing where it can. */
  missing?(): string | undefined;
  /** Nothing in it hangs on how long something takes: it goes on beside the others and gives way to them. */
  readonly yields?: "always" | "in a quick run";
  /** Run only where it is asked for by its name. */
  readonly byName?: true;
  /** Ends by itself; what it throws is a failed run. */
  run(trial: Trial): Promise<void>;
}

export interface Trial {
  readonly full: boolean;
  readonly seed: number;
  readonly random: Random;
  /** How many of its unit the part does; a number that was asked for on the command line wins. */
  size(quick: number, full: number): number;
  /** For files of the part's own; removed at its end. Anybody may pass through it. */
  readonly directory: string;
  /** A fault inflicted or a state reached, by a name that the part has given. */
  count(name: string, by?: number): void;
  /** What must never happen has happened. The part may go on and find more. */
  violation(what: string): void;
  /** A figure for the report. */
  fact(name: string, value: string | number): void;
  /** Progress. */
  say(line: string): void;
  /** Undone at the part's end, the last one first, also where it failed. */
  later(undo: () => unknown): void;
}

/** The same trial for a stage of a part, which is closed before the part's end. */
export function stageOf(trial: Trial): Trial & { close(): Promise<void> } {
  const stack = new AsyncDisposableStack();
  const close = () => stack.disposeAsync();
  trial.later(close);
  return { ...trial, close, later: (undo) => stack.defer(async () => void (await undo())) };
}
