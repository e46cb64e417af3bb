import { compareAnswers, prepare } from '../scenarios.mjs';
import { load, median } from './load.mjs';

const WARM_UP_SECONDS = 1;

/**
 * Loads two servers in turn, several rounds, each beginning with the other one: what else the machine does meets both.
 * @returns medians of each server, and of the ratios within the rounds
 */
export async function measurePair(name, servers, { rounds, seconds, compares }) {
  const sides = [];
  for (const server of servers) sides.push({ server, load: await prepare(name, server, server), rounds: [] });
  if (compares) await compareAnswers(name, ...sides);
  for (const side of sides) side.firstMs = await timeFirst(side);
  for (const { server, load: work } of sides) await load(server, work, WARM_UP_SECONDS);
  for (let round = 0; round < rounds; round += 1) {
    for (const side of round % 2 === 0 ? sides : [...sides].reverse()) {
      side.rounds.push(await load(side.server, side.load, seconds));
    }
  }
  const [ours, other] = sides.map((side) => ({ ...summary(side.rounds), firstMs: side.firstMs }));
  const within = (ratioOf) => median(sides[0].rounds.map((round, index) => ratioOf(round, sides[1].rounds[index])));
  return {
    ours,
    other,
    ratio: within((us, them) => us.perSecond / them.perSecond),
    /** The same from the processor time of the servers, which neighbours on the machine disturb less. */
    cpuRatio: within((us, them) => them.cpuMsPerRequest / us.cpuMsPerRequest),
  };
}

/** Milliseconds of the first answer, apart from the others: it may count a table whose total is then kept for a while. */
async function timeFirst({ server, load: { requests } }) {
  const [{ path, ...request }] = requests;
  const began = performance.now();
  await (await fetch(server.url + path, request)).arrayBuffer();
  return performance.now() - began;
}

function summary(rounds) {
  const names = Object.keys(rounds[0]);
  return Object.fromEntries(names.map((name) => [name, median(rounds.map((round) => round[name]))]));
}
