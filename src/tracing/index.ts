export { isListening, openTracer } from './open-tracer.js';
