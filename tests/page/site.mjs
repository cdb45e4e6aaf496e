// Imports the page's modules in node. Older versions of node treat `.js` files as modules only
// beside a package.json of that type, which the page does not have, so that they are copied beside
// one, and those of the package for JavaScript to where the page serves them.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const folder = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

const copy = mkdtempSync(join(tmpdir(), "page-modules-"));
process.once("exit", () => rmSync(copy, { recursive: true, force: true }));
cpSync(folder("site"), copy, { recursive: true });
for (const name of ["bot.js", "geometry.js", "rules.js", "svg.js"]) {
  cpSync(join(folder("packages/javascript"), name), join(copy, "doublecross", name));
}
writeFileSync(join(copy, "package.json"), '{"type":"module"}');

export const site = (name) => import(pathToFileURL(join(copy, name)).href);
