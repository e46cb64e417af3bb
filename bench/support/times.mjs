/** @param {number[]} times milliseconds @returns within which 95 of 100 are, to a tenth */
export function p95Of(times) {
  return Math.round([...times].sort((a, b) => a - b)[Math.floor(times.length * 0.95)] * 10) / 10;
}
