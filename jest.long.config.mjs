import { base, long, reporters } from './jest.config.mjs';

export default { ...base, reporters: reporters({ minutes: 14 }), testMatch: long };
