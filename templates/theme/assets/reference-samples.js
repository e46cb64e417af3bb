import { cSharp, go, java, kotlin, rust, swift } from './reference-samples-compiled.js';
import { curl, javaScript, node, php, powerShell, python, ruby } from './reference-samples-scripts.js';

/** Name of a language → what writes a request of `requestOf` in it. Every string goes through `reference-quoting.js`. */
export const SAMPLES = {
  ...{ curl, JavaScript: javaScript, 'Node.js': node, Python: python, PHP: php, Ruby: ruby, Go: go, Java: java },
  ...{ Kotlin: kotlin, 'C#': cSharp, Swift: swift, Rust: rust, PowerShell: powerShell },
};

const REMEMBERED = 'portal-sample-language';

/** The language that a reader chose before; null without one. */
export function rememberedLanguage() {
  try {
    return localStorage.getItem(REMEMBERED);
  } catch {
    // Storage is switched off.
    return null;
  }
}

export function rememberLanguage(name) {
  try {
    localStorage.setItem(REMEMBERED, name);
  } catch {
    // Remembered as long as the page is open.
  }
}
