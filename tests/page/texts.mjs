// Checks that every text of the page stands in site/texts/, that each is used, and that none is missing.
import { readdirSync, readFileSync } from "node:fs";
import { assert, Report } from "./report.mjs";
import { site } from "./site.mjs";

const { texts } = await site("texts.js");
const folder = new URL("../../site/", import.meta.url);
const read = (name) => readFileSync(new URL(name, folder), "utf8");
const page = read("index.html");
const names = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".js") && !/^texts\b/.test(name));
const modules = names.map((name) => [name, read(name)]);
const styles = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".css"));

/** What looks like a text and is none. */
const NO_TEXTS = [
  /^(Arrow(Up|Down|Left|Right)|Page(Up|Down)|Home|End|Enter|Escape|Files|AbortError)$/, // Names of the browser's.
  /^doublecross( page|\.)$/, // The name of the program in exported files, and the beginning of the browser's keys.
  /\w-§/, // A list of classes.
];

/** Comments and regular expressions, which hold no texts. */
const NO_CODE = /\/\/.*|\/\*[^]*?\*\/|\/(?:\\.|\[(?:\\.|[^\]\n\\])*\]|[^/\\\n[])+\/[a-z]*(?=[.,;)\s])/y;
const STRING = /"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'/y;

/** Returns the strings and templates of a module as `{text, before}` with the code before them; "§" stands for a value. */
function literalsOf(source) {
  const found = [];
  let at = 0;
  const take = (pattern) => {
    pattern.lastIndex = at;
    const match = pattern.exec(source);
    if (match) at = pattern.lastIndex;
    return match;
  };
  const add = (text, start) => found.push({ text, before: source.slice(Math.max(0, start - 40), start) });
  const template = () => {
    const start = at++;
    let text = "";
    while (source[at] !== "`") {
      if (source.startsWith("${", at)) {
        at += 2;
        code("}");
        text += "§";
      } else {
        text += source[at];
      }
      at += 1;
    }
    at += 1;
    add(text, start);
  };
  const code = (end) => {
    for (let depth = 0; at < source.length;) {
      const start = at;
      const string = take(STRING);
      if (string) add(string[1] ?? string[2], start);
      else if (source[at] === "`") template();
      else if (!take(NO_CODE)) {
        if (source[at] === end && depth === 0) return;
        depth += { "{": 1, "}": -1 }[source[at]] ?? 0;
        at += 1;
      }
    }
  };
  code(null);
  return found;
}

const SENTENCE = /\p{L}{2,}[^\p{L}§]{0,3} §?\p{L}|\p{L}{2,}[^\p{L}"]? §|§ \p{L}{2,}|\p{L}[.:!?…]$/u;
const SHOWN = /(textContent|title|alt)( =|:) $|"(aria-label|aria-valuetext)"[:,] $|(placeholder|label): $|Error\($/;
const CODE = /(class|style|transform|viewBox|fill|easing|points|"stroke-dasharray"): [^,{]*$|matchMedia\($|closest(\?\.)?\($|querySelector(All)?\($|matches\($/;

/** Returns true if a literal looks like a text that a person reads. */
function isText({ text, before }) {
  if (!/\p{L}{2}/u.test(text) || NO_TEXTS.some((pattern) => pattern.test(text)) || CODE.test(before)) return false;
  return SENTENCE.test(text) || /^\p{Lu}\p{Ll}+/u.test(text) || SHOWN.test(before);
}

const report = new Report();

await report.check("no module holds a text", () => {
  const all = modules.flatMap(([name, source]) => literalsOf(source).map((literal) => ({ name, ...literal })));
  assert.ok(all.length > 1000, `${all.length} literals`);
  assert.deepEqual(all.filter(isText).map(({ name, text }) => `${name}: ${text}`), []);
});

await report.check("no style sheet holds a text", () => {
  for (const name of styles) assert.doesNotMatch(read(name), /content: [^;]*"[^";]*\p{L}/u, name);
});

await report.check("index.html holds no text but what is read without the modules", () => {
  const rest = page.replace(/<!--[^]*?-->|<head>[^]*?<\/head>|<(noscript|pre)>[^]*?<\/\1>|<kbd>.<\/kbd>/g, "");
  assert.deepEqual(rest.split(/<[^>]*>/).filter((text) => /\p{L}/u.test(text)), []);
  assert.deepEqual(rest.match(/ (aria-label|aria-description|title|alt|placeholder)="[^"]*"/g), null);
});

await report.check("every text that is used is there, and every text is used", () => {
  const inPage = [...page.matchAll(/ data-(?:text|label|title)="([^"]*)"/g)].map(([, name]) => `texts.${name}`);
  const inModules = [...modules, ["texts.js", read("texts.js")]].flatMap(([name, source]) => {
    assert.doesNotMatch(source, /(?<!export )(const|let) (\{[^}]*)?\btexts\b(?!:)[^.]/, `${name} has other texts of that name`);
    return source.match(/(?<!\/)\btexts\.[\w.]+/g) ?? [];
  });
  const used = new Set();
  for (const reference of [...inPage, ...inModules]) {
    let [value, path] = [texts, ""];
    for (const key of reference.split(".").slice(1)) {
      if (typeof value !== "object" || Array.isArray(value)) break;
      assert.ok(Object.hasOwn(value, key), `${reference} is missing`);
      [value, path] = [value[key], `${path}.${key}`];
    }
    assert.ok(typeof value !== "object" || path.lastIndexOf(".") > 0, `${reference} is a whole group`);
    used.add(path);
  }
  const pathsIn = (value, path) => (typeof value !== "object" || Array.isArray(value) || used.has(path) ? [path]
    : Object.entries(value).flatMap(([key, inner]) => pathsIn(inner, `${path}.${key}`)));
  assert.deepEqual(pathsIn(texts, "").filter((path) => !used.has(path)), []);
});

report.end();
