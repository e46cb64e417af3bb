import { connect } from 'node:net';

/** Sends bytes that no client library would; resolves with all that came back once the server has closed. */
export function exchange(port: number, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    let received = '';
    socket.on('data', (chunk) => (received += chunk.toString('latin1')));
    socket.on('close', () => resolve(received));
    socket.on('error', (error: NodeJS.ErrnoException) => (error.code === 'ECONNRESET' ? undefined : reject(error)));
  });
}

export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** @throws when the bytes are not exactly one answer: a second one would be to a smuggled request. */
export function onlyAnswer(text: string): RawAnswer {
  const answers = text.split(/(?=HTTP\/1\.[01] \d{3} )/);
  const [answer = ''] = answers;
  if (answers.length !== 1 || !answer.startsWith('HTTP/1.')) throw new Error(`not one answer:\n${text}`);
  const [head = '', ...body] = answer.split('\r\n\r\n');
  const [line = '', ...fields] = head.split('\r\n');
  const headers = fields.map((field): [string, string] => {
    const colon = field.indexOf(':');
    return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
  });
  return { status: Number(line.split(' ')[1]), headers: Object.fromEntries(headers), body: body.join('\r\n\r\n') };
}
