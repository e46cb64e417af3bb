import { base, long } from './jest.config.mjs';

export default { ...base, testMatch: long };
