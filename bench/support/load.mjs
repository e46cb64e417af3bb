import autocannon from 'autocannon';

/**
 * Loads a server for a while and tells requests per second, p99 in ms and what the server used.
 * @throws when an answer was not 2xx or a request failed: such a run measures nothing
 */
export async function load(server, { requests, connections }, seconds) {
  await server.sample();
  const { start, finish, errors, timeouts, non2xx, latency, ...result } = await autocannon({
    url: server.url,
    connections,
    duration: seconds,
    requests,
    setupClient: apart(requests, connections),
  });
  const used = await server.sample();
  const answered = result['2xx'];
  if (errors + timeouts + non2xx > 0 || answered === 0) {
    throw new Error(`${server.kind} ${requests[0].path}: ${non2xx} answers were not 2xx, ${errors} requests failed`);
  }
  return {
    perSecond: answered / ((finish - start) / 1000),
    p99: latency.p99,
    cpuMsPerRequest: used.cpuMs / answered,
    loopDelayP99Ms: used.loopDelayP99Ms,
    rssMiB: used.rssMiB,
  };
}

// Each connection begins at another request: side by side, all but the first would profit from what it has just caused.
function apart(requests, connections) {
  let client = 0;
  return (connection) => {
    const start = Math.floor((requests.length * client) / connections);
    client += 1;
    connection.setRequests([...requests.slice(start), ...requests.slice(0, start)]);
  };
}

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
