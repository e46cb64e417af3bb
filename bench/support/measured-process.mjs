import { monitorEventLoopDelay } from 'node:perf_hooks';

/** What this server was started for; see `startServer` in servers.mjs. */
export function readTask() {
  return JSON.parse(process.env.BENCH_TASK ?? '{}');
}

/**
 * Tells the parent that the server listens, then answers each of its questions with what this process used since the last
 * one. Ends with the parent, however that ends.
 */
export function answerSamples(port) {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  let cpu = process.cpuUsage();
  process.on('message', () => {
    const used = process.cpuUsage(cpu);
    cpu = process.cpuUsage();
    process.send({
      cpuMs: (used.user + used.system) / 1000,
      // The resolution is part of what the monitor reports.
      loopDelayP99Ms: Math.max(0, delay.percentile(99) / 1e6 - 10),
      rssMiB: process.memoryUsage.rss() / 1024 ** 2,
    });
    delay.reset();
  });
  process.on('disconnect', () => process.exit(0));
  process.send({ port });
}
