import type { ShortStyle } from '../../templates/index.js';

export interface Bar {
  /** When the time that it stands for begins. */
  readonly start: Date;
  readonly value: number;
  /** How much of the value is drawn in red, on top. */
  readonly bad?: number;
}

interface ChartOptions {
  /** How many times are written below the chart; a divisor of the number of bars. */
  readonly ticks: number;
  /** How these are written, and those of the bars. */
  readonly tickStyle: ShortStyle;
  readonly barStyle: ShortStyle;
}

const [WIDTH, HEIGHT] = [720, 160];
/** So that one among many is seen. */
const LOWEST = 2;
/** What the scale may end with, times a power of ten. */
const ENDS = [1, 1.2, 1.5, 2, 3, 4, 5, 6, 8, 10];

/** Places of the bars in an SVG that the server draws, by the partial `ui.bars`. */
export function barChart<B extends Bar>(values: readonly B[], { ticks, tickStyle, barStyle }: ChartOptions) {
  const top = scaleEnd(Math.max(0, ...values.map(({ value }) => value)));
  const step = WIDTH / Math.max(1, values.length);
  const heightOf = (count: number) => (count === 0 ? 0 : round(Math.max(LOWEST, (count / top) * HEIGHT)));
  const bars = values.map((bar, index) => {
    const [good, bad] = [heightOf(bar.value - (bar.bad ?? 0)), heightOf(bar.bad ?? 0)];
    return {
      ...bar,
      ...{ left: round(index * step), x: round((index + 0.1) * step), width: round(step * 0.8) },
      blue: good > 0 ? { y: round(HEIGHT - good), height: good } : null,
      red: bad > 0 ? { y: round(Math.max(0, HEIGHT - good - bad)), height: bad } : null,
    };
  });
  const distance = Math.max(1, Math.floor(bars.length / ticks));
  return {
    ...{ bars, top, half: top / 2, step: round(step), width: WIDTH, height: HEIGHT, middle: HEIGHT / 2 },
    ...{ tickStyle, barStyle, ticks: bars.filter((_, index) => index % distance === 0).map(({ start }) => start) },
  };
}

/** Its half is a whole number, too. */
function scaleEnd(most: number): number {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, most))));
  const ends = ENDS.map((factor) => Math.round(factor * power));
  return ends.find((end) => end >= most && end % 2 === 0) ?? 10 * power;
}

function round(number: number): number {
  return Math.round(number * 10) / 10;
}
