// The theme: light, dark or the system's. The choice is kept in the browser's storage if there is one.
import { settingText } from "../scores/stored-value.js";
import { texts } from "../texts.js";

const NEXT = { auto: "light", light: "dark", dark: "auto" };

let theme = kept();
show();
addEventListener("storage", () => {
  theme = kept();
  show();
});
document.getElementById("theme").addEventListener("click", () => {
  theme = NEXT[theme];
  settingText("theme", theme);
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
  const name = settingText("theme");
  return NEXT[name] ? name : "auto";
}
