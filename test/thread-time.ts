// How much of a processor's time something takes on this thread: what else the machine does meanwhile is not in it.

export function threadMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** The longest that this thread was busy without a turn for anybody else, from now until it is asked. */
export function watchTurns() {
  let longest = 0;
  let last = process.threadCpuUsage();
  const look = (): void => {
    const { user, system } = process.threadCpuUsage(last);
    longest = Math.max(longest, user + system);
    last = process.threadCpuUsage();
  };
  const timer = setInterval(look, 10);
  return {
    longestMs(): number {
      clearInterval(timer);
      look();
      return longest / 1_000;
    },
  };
}
