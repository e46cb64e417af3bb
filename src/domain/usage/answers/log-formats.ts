import { isNothing, readNumber, type CallFields } from './reported-call.js';

const LOG_FORMATS = ['nginx', 'caddy', 'envoy', 'portal'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

type LogFields = Readonly<Record<string, unknown>>;

interface LogReader {
  /** Names that a line of this format has. */
  readonly marks: readonly (readonly string[])[];
  /** null if the line is not about a call. */
  read(line: LogFields): CallFields | null;
}

/** Lines of JSON as docs/usage.md has proxies write them. */
const readers: Readonly<Record<LogFormat, LogReader>> = {
  /** What `POST /gateway/usage` takes. */
  portal: {
    marks: [['key_id', 'time']],
    read: (line) => line,
  },
  /** Names are those of nginx's variables. */
  nginx: {
    marks: [
      ['msec', 'status'],
      ['time_iso8601', 'status'],
    ],
    read: ({ msec, time_iso8601: time, request_time: seconds, bytes_sent: sent, body_bytes_sent: body, ...line }) => ({
      ...callOf(line),
      time: msec ?? time,
      status: line.status,
      ms: toMilliseconds(seconds),
      bytes: sent ?? body,
    }),
  },
  caddy: {
    marks: [['ts', 'logger']],
    read: ({ msg, ts, status, duration, size, ...line }) =>
      msg === 'handled request'
        ? { ...callOf(line), time: ts, status, ms: toMilliseconds(duration), bytes: size }
        : null,
  },
  /** Names are those of Envoy's operators. */
  envoy: {
    marks: [['start_time', 'response_code']],
    read: ({ start_time: time, response_code: status, duration, bytes_sent: bytes, ...line }) => ({
      ...callOf(line),
      ...{ time, status, ms: duration, bytes },
    }),
  },
};

/** The format that a line is of; null: none that is known. */
export function formatOf(line: LogFields): LogFormat | null {
  const has = (names: readonly string[]) => names.every((name) => Object.hasOwn(line, name));
  return LOG_FORMATS.find((format) => readers[format].marks.some(has)) ?? null;
}

/** The call of a line, with the portal's field names; null if there is none. */
export function readLogLine(format: LogFormat, line: LogFields): CallFields | null {
  return readers[format].read(line);
}

function callOf({ portal_key_id: id, portal_product: product }: LogFields): Pick<CallFields, 'key_id' | 'product'> {
  return { key_id: id, product };
}

/** Anything but a number stays as it is, so that the line is reported as invalid. */
function toMilliseconds(seconds: unknown): unknown {
  return isNothing(seconds) ? null : (readNumber(seconds) ?? NaN) * 1000;
}
