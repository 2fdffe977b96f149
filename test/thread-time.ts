// How much of a processor's time something takes on this thread: what else the machine does meanwhile is not in it.

export function threadMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
