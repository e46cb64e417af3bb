import { compareAnswers, prepare } from '../scenarios.mjs';
import { load, median } from './load.mjs';

const WARM_UP_SECONDS = 1;

/**
 * Loads two servers in turn, several rounds, each beginning with the other one: what else the machine does meets both.
 * @returns medians of each server, and of the ratio within the rounds
 */
export async function measurePair(name, servers, { rounds, seconds, compares }) {
  const sides = [];
  for (const server of servers) sides.push({ server, load: await prepare(name, server, server), rounds: [] });
  if (compares) await compareAnswers(name, ...sides);
  for (const { server, load: work } of sides) await load(server, work, WARM_UP_SECONDS);
  for (let round = 0; round < rounds; round += 1) {
    for (const side of round % 2 === 0 ? sides : [...sides].reverse()) {
      side.rounds.push(await load(side.server, side.load, seconds));
    }
  }
  const [ours, other] = sides.map((side) => summary(side.rounds));
  const ratios = sides[0].rounds.map(({ perSecond }, round) => perSecond / sides[1].rounds[round].perSecond);
  return { ours, other, ratio: median(ratios), cpuRatio: ours.cpuMsPerRequest / other.cpuMsPerRequest };
}

function summary(rounds) {
  const names = Object.keys(rounds[0]);
  return Object.fromEntries(names.map((name) => [name, median(rounds.map((round) => round[name]))]));
}
