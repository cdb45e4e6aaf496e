// The theme: light, dark or the system's. The choice is kept in the browser's storage if there is
// one.
import { texts } from "../texts.js";

const KEY = "doublecross.theme";
const NEXT = { auto: "light", light: "dark", dark: "auto" };

let theme = kept();
show();
addEventListener("storage", () => {
  theme = kept();
  show();
});
document.getElementById("theme").addEventListener("click", () => {
  theme = NEXT[theme];
  keep();
  show();
});

function show() {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  const button = document.getElementById("theme");
  button.textContent = `◐ ${texts.page.themes[theme]}`;
  button.title = texts.page.themeIs(texts.page.themes[theme]);
  button.setAttribute("aria-label", button.title);
}

function kept() {
  try {
    const name = localStorage.getItem(KEY);
    return NEXT[name] ? name : "auto";
  } catch {
    return "auto";
  }
}

function keep() {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // The choice then lasts as long as the page.
  }
}
