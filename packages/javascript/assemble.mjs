// Assembles the package in a folder: `node assemble.mjs PROGRAM FOLDER`. PROGRAM is a built `doublecross`, which exports the
// pretrained bots. `npm pack FOLDER` makes the package of it.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The bots, each with the checkpoint that plays it. */
const BOTS = { "3x3": "3x3", "4x4": "4x4", "5x5": "5x5", others: "any" };
/** Simulations and solver nodes of a move in an arena. Every other call has a budget of its own. */
const BUDGET = ["--sims", "200", "--solver-nodes", "50000"];

if (process.argv.length !== 4) {
  console.error("usage: node assemble.mjs PROGRAM FOLDER");
  process.exit(2);
}
const [program, folder] = process.argv.slice(2).map((path) => resolve(path));
const sources = fileURLToPath(new URL(".", import.meta.url));
const root = join(sources, "../..");

const programVersion = execFileSync(program, ["--version"], { encoding: "utf8" }).split(/\s/)[1];
const { version } = JSON.parse(readFileSync(join(sources, "package.json"), "utf8"));
if (version !== programVersion) throw new Error(`package.json has version ${version}, the program ${programVersion}`);

mkdirSync(join(folder, "bots"), { recursive: true });
const packed = (name) => /\.(js|d\.ts|json|md)$/.test(name);
for (const name of readdirSync(sources).filter(packed)) copyFileSync(join(sources, name), join(folder, name));
for (const name of ["LICENSE-APACHE", "LICENSE-MIT"]) copyFileSync(join(root, name), join(folder, name));

const scratch = mkdtempSync(join(tmpdir(), "bots-"));
try {
  for (const [name, checkpoint] of Object.entries(BOTS)) {
    const exported = join(scratch, name);
    const from = join(root, "checkpoints", checkpoint);
    execFileSync(program, ["export", from, "--to", exported, "--form", "wasm", ...BUDGET], { stdio: ["ignore", "ignore", "ignore"] });
    copyFileSync(join(exported, "bot.wasm"), join(folder, "bots", `${name}.wasm`));
  }
  // The page has a small module for bots without a network.
  execFileSync(program, ["serve", "--export", join(scratch, "page")], { stdio: ["ignore", "ignore", "ignore"] });
  copyFileSync(join(scratch, "page/bots/levels.wasm"), join(folder, "bots/levels.wasm"));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
