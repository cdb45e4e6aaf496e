// Imports the page's modules in node. Older versions of node treat `.js` files as modules only
// beside a package.json of that type, which the page does not have, so that they are copied beside
// one.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const SITE = fileURLToPath(new URL("../../src/page/site/", import.meta.url));

const copy = mkdtempSync(join(tmpdir(), "page-modules-"));
process.once("exit", () => rmSync(copy, { recursive: true, force: true }));
cpSync(SITE, copy, { recursive: true });
writeFileSync(join(copy, "package.json"), '{"type":"module"}');

export const site = (name) => import(pathToFileURL(join(copy, name)).href);
