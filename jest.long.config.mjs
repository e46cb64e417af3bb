import { base, long, reporters } from './jest.config.mjs';

export default { ...base, reporters: reporters({ minutes: 15 }), testMatch: long };
