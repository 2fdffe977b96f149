// Loaded after the last test of a process: a test that failed half-way may have left a gateway open, which would
// hold the whole run. What closes by itself, as a connection that was kept for the next request, has the time to.

setTimeout(() => {
  const open = process.getActiveResourcesInfo().join(", ");
  process.stderr.write(`Still open a minute after the last test: ${open}\n`);
  process.exit(1);
}, 60_000).unref();
