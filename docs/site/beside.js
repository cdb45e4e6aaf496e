// The page of the game beside the text: a button in the bar opens it, and drawings of positions in the text can be opened
// there.
/* global path_to_root */
(() => {
  /** Returns the frame with the page, which is made when it is first needed. */
  function frame() {
    let found = document.getElementById("beside");
    if (!found) {
      found = document.createElement("iframe");
      found.id = "beside";
      found.title = "The game";
      document.body.append(found);
    }
    return found;
  }

  /** Shows the page, at the game of a fragment if one is given. */
  function open(fragment = "") {
    // A new address alone would not load the page again.
    frame().src = `${path_to_root}play/index.html?${Date.now()}${fragment}`;
    frame().hidden = false;
    document.body.classList.add("beside");
  }

  function close() {
    frame().hidden = true;
    document.body.classList.remove("beside");
  }

  /**
   * Returns the fragment of a drawing such as
   *
   *     +---+   +
   *     |
   *     +   +---+
   *
   * or null if the text is no drawing of one whole board.
   */
  function fragmentOf(text) {
    const lines = text.replace(/\n+$/, "").split("\n");
    const rows = (lines.length - 1) / 2;
    const cols = (lines[0].length - 1) / 4;
    if (![rows, cols].every((side) => Number.isInteger(side) && side >= 1 && side <= 9)) return null;
    const [drawn, vertical] = [[], (rows + 1) * cols];
    for (const [at, line] of lines.entries()) {
      const isDots = at % 2 === 0;
      const row = Math.floor(at / 2);
      const form = isDots ? `(\\+(---|   | . )){${cols}}\\+` : "[| a-z](...[| a-z])*.{0,3}";
      if (!new RegExp(`^${form}$`).test(line) || line.length > 4 * cols + 1) return null;
      for (let col = 0; col <= cols; col++) {
        if (isDots && col < cols && line.slice(4 * col + 1, 4 * col + 4) === "---") drawn.push(row * cols + col);
        if (!isDots && line[4 * col] === "|") drawn.push(vertical + row * (cols + 1) + col);
      }
    }
    return `#${rows}x${cols}/${drawn.map((edge) => edge.toString(36).padStart(2, "0")).join("")}`;
  }

  const button = document.createElement("button");
  button.type = "button";
  button.className = "icon-button";
  button.textContent = "▦ Play";
  button.title = "Play beside the text";
  button.addEventListener("click", () => (document.body.classList.contains("beside") ? close() : open()));
  document.querySelector(".right-buttons")?.prepend(button);

  for (const code of document.querySelectorAll("pre > code")) {
    const fragment = fragmentOf(code.textContent);
    if (fragment === null) continue;
    const link = document.createElement("button");
    link.type = "button";
    link.className = "play-this";
    link.textContent = "Play this position";
    link.addEventListener("click", () => open(fragment));
    code.parentElement.after(link);
  }
})();
