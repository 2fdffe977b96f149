// What puts load on a gateway: one small interface, wrk where it is installed, else autocannon. Guards
// that a figure is never that of failures: an answer that is no success ends the benchmark.

import { openAutocannon } from "./autocannon.ts";
import type { Lived, Lives, Load, LoadDriver, Loaded } from "./load-driver.ts";
import { openWrk } from "./wrk.ts";

export interface LoadGenerator {
  readonly name: string;
  drive(load: Load): Promise<Loaded>;
  live(lives: Lives): Promise<Lived>;
}

export function openLoad(directory: string, autocannon: boolean): LoadGenerator {
  const wrk = autocannon ? undefined : openWrk(directory);
  const driver: LoadDriver = wrk ?? openAutocannon();
  return {
    name: driver.name,
    async drive(load) {
      let loaded = await driver.drive(load);
      // The shortest rounds may be over before a first answer comes.
      for (let { seconds } = load; hasNoneYet(loaded) && seconds < PATIENCE_SECONDS; ) {
        seconds *= 4;
        loaded = await driver.drive({ ...load, seconds });
      }
      const [first] = load.lines;
      const what = `${first?.method} ${first?.path} at ${load.url}`;
      if (loaded.failures > 0) throw failed(what, loaded, loaded.answered);
      if (loaded.answered === 0) throw new Error(`${what}: nothing was answered`);
      return loaded;
    },
    async live(lives) {
      const lived = await driver.live(lives);
      if (lived.failures > 0) throw failed(`payments at ${lives.url}`, lived, lived.finished);
      return lived;
    },
  };
}

const PATIENCE_SECONDS = 10;

function hasNoneYet({ answered, failures }: Loaded): boolean {
  return answered === 0 && failures === 0;
}

function failed(what: string, { failures, firstFailure }: Loaded | Lived, of: number): Error {
  const first = firstFailure ?? "no answer: the connection failed, or it did not happen again";
  return new Error(`${what}: ${failures} of ${of} failed; the first: ${first}`);
}
