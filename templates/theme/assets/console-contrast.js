// How well text in the brand colour can be read, while the colour is chosen: what the server says of the stored one.
const input = document.querySelector('[data-contrast]');
const PAGES = { light: '#ffffff', dark: '#151e2d' };
const TARGET = { light: 0, dark: 255 };
const ENOUGH = 4.5;
const WANTED = 5.6;

function channelsOf(colour) {
  return [1, 3, 5].map((start) => Number.parseInt(colour.slice(start, start + 2), 16));
}

function luminance(channels) {
  const [red, green, blue] = channels.map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one, other) {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

function readable(channels, scheme) {
  let now = channels;
  for (let step = 0; step < 40 && contrast(now, channelsOf(PAGES[scheme])) < WANTED; step += 1) {
    now = now.map((channel) => Math.round(channel + (TARGET[scheme] - channel) * 0.06));
  }
  return now;
}

function show() {
  for (const line of document.querySelectorAll('.console-contrast [data-scheme]')) {
    const { scheme } = line.dataset;
    const own = channelsOf(input.value);
    const ratio = contrast(own, channelsOf(PAGES[scheme]));
    line.querySelector('[data-own]').textContent = `${ratio.toFixed(1)} : 1`;
    line.querySelector('[data-shown]').textContent =
      `${contrast(readable(own, scheme), channelsOf(PAGES[scheme])).toFixed(1)} : 1`;
    line.querySelector('[data-good]').hidden = ratio < ENOUGH;
    line.querySelector('[data-bad]').hidden = ratio >= ENOUGH;
  }
}

input?.addEventListener('input', show);
