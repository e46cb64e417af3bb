// The portal as it runs in production, in a process of its own.
import { createPortal } from '../../dist-test/src/portal.js';
import { answerSamples, readTask } from './measured-process.mjs';
import { portalConfig } from './settings.mjs';

const { settings, databaseUrl, more } = readTask();
const portal = createPortal({ config: portalConfig(settings, databaseUrl, more) });
const server = await portal.listen();
answerSamples(server.address.port);
