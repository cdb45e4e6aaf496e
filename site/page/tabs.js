// The tabs of the page: which one is selected, and the keys that move between them.

const buttons = () => [...document.querySelectorAll("[role=tab]")];

/** Returns true if there is a tab of this name. */
export const isTab = (name) => buttons().some((tab) => tab.dataset.tab === name);

/** Calls `select` with the name of a tab that a person chooses. */
export function listenToTabs(select) {
  const tabs = buttons();
  for (const tab of tabs) tab.addEventListener("click", () => select(tab.dataset.tab));
  document.getElementById("tabs").addEventListener("keydown", (event) => {
    const at = tabs.findIndex((tab) => tab.getAttribute("aria-selected") === "true");
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = tabs[(to + tabs.length) % tabs.length];
    select(next.dataset.tab);
    next.focus();
  });
}

/** Marks a tab as the selected one. */
export function showTab(name) {
  for (const tab of buttons()) {
    tab.setAttribute("aria-selected", String(tab.dataset.tab === name));
    tab.tabIndex = tab.dataset.tab === name ? 0 : -1;
  }
}
