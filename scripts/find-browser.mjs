import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome'];

/** The Chromium of this machine. @throws {Error} saying how to get one */
export function findBrowser() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const found = folders.flatMap((folder) => BROWSERS.map((name) => join(folder, name))).find(isProgram);
  if (found === undefined) throw new Error('there is no Chromium: apt-get install chromium');
  return found;
}

function isProgram(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
