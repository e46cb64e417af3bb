/**
 * jest-light-runner 0.8 sends its configuration to all processes as soon as the first of them asks. One that has its first task
 * but has not asked yet drops it, then asks in vain and waits for ever (seen on a busy machine). Here it is kept until then.
 */
const REQUEST = 'jest-light-runner-get-worker-data';
const ANSWER = 'jest-light-runner-worker-data';

if (process.send) {
  const send = process.send.bind(process);
  const emit = process.emit.bind(process);
  let early;
  // Not a listener: with one, Node would no longer keep what comes before tinypool listens.
  process.emit = (name, ...rest) => {
    if (name === 'message' && rest[0]?.type === ANSWER) early = rest;
    return emit(name, ...rest);
  };
  process.send = (message, ...rest) => {
    if (message !== REQUEST || !early) return send(message, ...rest);
    setImmediate(() => emit('message', ...early));
    return true;
  };
}
