import { CommandFailedError } from '../errors.js';

const HIGHEST_PORT = 65_535;

/** Explains a system error of `listen`. Other errors are returned unchanged. */
export function explainListenFailure(error: unknown, { host, port }: { host: string; port: number }): unknown {
  if (!(error instanceof Error)) return error;
  const failed = (message: string, fix: string) => new CommandFailedError(message, fix, { cause: error });
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE': {
      const other = port < HIGHEST_PORT ? port + 1 : port - 1;
      const fix = `stop what uses it, or take another port with portal serve --port ${other} (or SERVER_PORT)`;
      return failed(`Port ${port} of ${host} is in use.`, fix);
    }
    case 'EACCES':
      return failed(
        `This user may not listen on port ${port}.`,
        'take a port from 1024 on, and let a proxy stand in front',
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return failed(
        `${host} is no address of this machine.`,
        'correct --host (or SERVER_HOST): 127.0.0.1 for this machine alone, 0.0.0.0 for all',
      );
    default:
      return error;
  }
}
