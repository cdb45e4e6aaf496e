// The page's own modules, for node. They are plain `.js` files, which older nodes take for modules only where a
// package.json says so; the page has none, so they are copied beside one.
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
