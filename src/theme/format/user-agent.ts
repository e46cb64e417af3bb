const BROWSERS = [
  ['Edge', /\bEdgA?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|CriOS)\//],
  ['Safari', /\bSafari\//],
  ['curl', /^curl\//],
] as const;

const SYSTEMS = [
  ['Android', /\bAndroid\b/],
  ['iOS', /\b(?:iPhone|iPad)\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
] as const;

/** `Firefox · Linux`: what somebody recognises their device by; the text itself, cut, when nothing is known in it. */
export function describeUserAgent(text: string): string {
  const known = [BROWSERS, SYSTEMS].flatMap((table) => table.find(([, sign]) => sign.test(text))?.[0] ?? []);
  return known.length > 0 ? known.join(' · ') : text.slice(0, 60);
}
