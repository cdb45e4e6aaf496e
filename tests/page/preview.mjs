// Makes site/preview.png, the picture that other sites show beside a link to the page: `node preview.mjs`. Needs Chromium.
import { readFileSync, writeFileSync } from "node:fs";
import { deflateSync } from "node:zlib";
import { Chromium } from "./chromium.mjs";
import { site } from "./site.mjs";

const { boardSvg, THEMES } = await site("doublecross/svg.js");

/** A position of a game between a Counter and a Careful. */
const GAME = "5x5 H2,1 V2,0 H2,4 H4,2 V3,3 V4,2 V3,0 V3,4 H2,3 H1,0 V1,4 V1,2 V2,4 H4,0 V0,1 H5,4 V0,3 H5,1 V1,0 H5,3 V0,5 H1,2 H4,4"
  + " H3,1 V0,4 V4,0 H0,1 V3,1 H3,0 H0,0 V0,0 V4,5 V4,4 H1,4 V1,5 H0,4 V2,5 V3,5 H3,4 H2,0 V1,1 H1,1 V0,2 H0,2 V2,2 V2,1 V1,3";

const page = new URL("../../site/", import.meta.url);
const [wordmark] = /<svg class="wordmark".*?<\/svg>/s.exec(readFileSync(new URL("index.html", page), "utf8"));
const { ink, lines } = THEMES.light;

const MOST_COLORS = 128;

/** The board alone, without the names below it. */
const board = boardSvg(GAME).replace(/width="\d+" height="\d+" viewBox="[^"]*"/, 'width="630" height="630" viewBox="0 0 572 572"');

const STYLE = `
  body { margin: 0; display: flex; align-items: center; background: #fff; color: ${ink}; font: 600 38px/1.4 system-ui, sans-serif; }
  svg { flex: none; }
  main { padding: 0 20px 0 10px; }
  .wordmark { width: 520px; fill: none; stroke-width: 2.6; stroke-linecap: round; stroke-linejoin: round; overflow: visible; }
  .line-0 { stroke: ${lines[0]}; }
  .line-1 { stroke: ${lines[1]}; }`;
const BODY = `${board}<main>${wordmark}<p>Play, analyze and watch<br>Dots and Boxes</p></main>`;

/** Returns the size of a picture in the page, its most frequent colors, and for each pixel the nearest of them. */
async function indexed(picture, most) {
  const image = Object.assign(new Image(), { src: `data:image/png;base64,${picture}` });
  await image.decode();
  const { width, height } = image;
  const pen = Object.assign(document.createElement("canvas"), { width, height }).getContext("2d");
  pen.drawImage(image, 0, 0);
  const { data } = pen.getImageData(0, 0, width, height);
  const pixels = Array.from({ length: width * height }, (_, at) => data.slice(4 * at, 4 * at + 3).join());
  const counts = new Map();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const colors = [...counts].sort((a, b) => b[1] - a[1]).slice(0, most).map(([pixel]) => pixel.split(",").map(Number));
  const nearest = (pixel) => {
    const distances = colors.map((color) => pixel.split(",").reduce((sum, part, at) => sum + (part - color[at]) ** 2, 0));
    return distances.indexOf(Math.min(...distances));
  };
  for (const pixel of counts.keys()) counts.set(pixel, nearest(pixel));
  return { width, height, colors, pixels: pixels.map((pixel) => counts.get(pixel)) };
}

/** Returns a picture with at most 256 colors as the bytes of a PNG file, which are fewer than a browser makes. */
function pngOf({ width, height, colors, pixels }) {
  const chunk = (name, bytes) => {
    const body = Buffer.concat([Buffer.from(name), Buffer.from(bytes)]);
    let sum = -1;
    for (const byte of body) {
      sum ^= byte;
      for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
    }
    return Buffer.concat([word(body.length - 4), body, word(~sum >>> 0)]);
  };
  const word = (number) => Buffer.from([24, 16, 8, 0].map((shift) => (number >>> shift) & 255));
  const rows = Array.from({ length: height }, (_, row) => [0, ...pixels.slice(row * width, (row + 1) * width)]);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), chunk("IHDR", [...word(width), ...word(height), 8, 3, 0, 0, 0]),
    chunk("PLTE", colors.flat()), chunk("IDAT", deflateSync(Buffer.from(rows.flat()), { level: 9 })), chunk("IEND", []),
  ]);
}

const browser = await Chromium.start();
try {
  await browser.setViewport(1200, 630);
  await browser.goto("about:blank");
  await browser.evaluate(`document.head.innerHTML = ${JSON.stringify(`<style>${STYLE}</style>`)};
    document.body.innerHTML = ${JSON.stringify(BODY)}`);
  const picture = await browser.evaluate(`(${indexed})(${JSON.stringify(await browser.picture(false))}, ${MOST_COLORS})`);
  writeFileSync(new URL("preview.png", page), pngOf(picture));
} finally {
  await browser.stop();
}
process.exit(0);
