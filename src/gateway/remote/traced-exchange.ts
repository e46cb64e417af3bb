import { untraced, type Tracer } from '../../core/index.js';
import { exchange, type RemoteAnswer, type RemoteRequest } from './http-exchange.js';

interface Caller {
  /** As errors and logs call the backend. */
  readonly name: string;
  readonly tracer?: Tracer | undefined;
}

/**
 * The same as {@link exchange}, as a span that the backend can continue. The path is told as the label of the request:
 * addresses of backends hold e-mails and keys. @throws CallFailure
 */
export function traceExchange(
  { name, tracer = untraced }: Caller,
  request: RemoteRequest,
  timeout: number,
): Promise<RemoteAnswer> {
  if (tracer === untraced) return exchange(request, timeout);
  const { method, url, label } = request;
  const { hostname, port, protocol } = new URL(url);
  const facts = {
    'http.request.method': method,
    'server.address': hostname,
    'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
    'portal.gateway.call': label,
  };
  return tracer.step(
    { name: `${method} ${name}`, kind: 'client', facts },
    () => exchange({ ...request, headers: { ...request.headers, ...tracer.outgoing() } }, timeout),
    ({ status }) => ({ 'http.response.status_code': status, ...(status >= 400 && { 'error.type': String(status) }) }),
  );
}
