import type { Progress } from './ui.js';

/**
 * A clack spinner that becomes a bar once the total is known; without a terminal, a line at the start, per message and
 * at the end.
 */
export async function showProgress<T>(
  isInteractive: boolean,
  output: NodeJS.WritableStream,
  title: string,
  run: (progress: Progress) => Promise<T>,
): Promise<T> {
  const shown = isInteractive ? await animate(title) : showPlainly(output, title);
  try {
    const result = await run(shown.progress);
    shown.end('done');
    return result;
  } catch (error) {
    shown.end('failed');
    throw error;
  }
}

interface Shown {
  readonly progress: Progress;
  end(outcome: 'done' | 'failed'): void;
}

async function animate(title: string): Promise<Shown> {
  const { spinner } = await import('@clack/prompts');
  const indicator = spinner();
  indicator.start(title);
  return {
    progress: {
      message: (text) => indicator.message(`${title}: ${text}`),
      advance: (done, total) => indicator.message(`${title} ${bar(done, total)} ${done}/${total}`),
    },
    end: (outcome) => (outcome === 'done' ? indicator.stop(title) : indicator.error(title)),
  };
}

function bar(done: number, total: number): string {
  const width = 24;
  const filled = total <= 0 ? width : Math.min(width, Math.floor((done / total) * width));
  return '█'.repeat(filled) + '░'.repeat(width - filled);
}

// One line per tenth of the total, so that log files stay short.
function showPlainly(output: NodeJS.WritableStream, title: string): Shown {
  let tenths = 0;
  output.write(`${title} …\n`);
  return {
    progress: {
      message: (text) => void output.write(`${title}: ${text}\n`),
      advance: (done, total) => {
        const reached = total <= 0 ? 10 : Math.floor((done / total) * 10);
        if (reached > tenths) output.write(`${title}: ${done}/${total}\n`);
        tenths = Math.max(tenths, reached);
      },
    },
    end: (outcome) => void output.write(`${title}: ${outcome}\n`),
  };
}
