import { BufferTarget, CanvasSource, Output, WebMOutputFormat } from 'mediabunny';

/** In a page of Chromium: frames from the server of this page become a WebM, which is sent back to it. */
window.encodeFilm = async ({ times, width, height, title, comment }) => {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d', { alpha: false });
  const output = new Output({ format: new WebMOutputFormat(), target: new BufferTarget() });
  const source = new CanvasSource(canvas, {
    codec: 'vp9',
    bitrate: 1_200_000,
    keyFrameInterval: 5,
    contentHint: 'text',
  });
  output.addVideoTrack(source);
  output.setMetadataTags({ title, comment });
  await output.start();
  for (const [index, at] of times.entries()) {
    const picture = await createImageBitmap(await (await fetch(`/${index}.jpg`)).blob());
    context.drawImage(picture, 0, 0, width, height);
    picture.close();
    // The last frame stays for a second.
    await source.add(at, (times[index + 1] ?? at + 1) - at);
  }
  await output.finalize();
  await fetch('/', { method: 'POST', body: output.target.buffer });
};
