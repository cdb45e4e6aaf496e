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

  /** Returns the fragment of a board of `rows` x `cols` boxes with these edges drawn, which are given by number. */
  const fragmentOf = (rows, cols, drawn) =>
    `#${rows}x${cols}/${drawn.map((edge) => edge.toString(36).padStart(2, "0")).join("")}`;

  /** The dots of a row of a drawing, with an edge, a mark or nothing between two of them. */
  const DOTS = /\+(?:(?:---| {3}| . )\+)+/g;

  /**
   * Returns the fragments of the drawings in a text, of which several may stand side by side:
   *
   *     +---+   +      +---+---+
   *     |              |       |
   *     +   +---+      +---+---+
   */
  function drawings(text) {
    const lines = text.replace(/\n+$/, "").split("\n");
    return [...lines[0].matchAll(DOTS)].flatMap(({ index: left, 0: { length } }) => {
      const isDots = (line) => new RegExp(`^${DOTS.source}$`).test((line ?? "").slice(left, left + length));
      let rows = 0;
      while (isDots(lines[2 * rows + 2])) rows += 1;
      const cols = (length - 1) / 4;
      if (rows < 1 || rows > 9 || cols > 9) return [];
      const drawn = [];
      for (let row = 0; row <= rows; row++) {
        const [dots, boxes] = [lines[2 * row], lines[2 * row + 1] ?? ""];
        for (let col = 0; col < cols; col++) {
          if (dots.slice(left + 4 * col + 1, left + 4 * col + 4) === "---") drawn.push(row * cols + col);
        }
        for (let col = 0; row < rows && col <= cols; col++) {
          if (boxes[left + 4 * col] === "|") drawn.push((rows + 1) * cols + row * (cols + 1) + col);
        }
      }
      return fragmentOf(rows, cols, drawn);
    });
  }

  /** Returns the fragment of the first position in a text that is given by its mask, as in `3x3:0x3fbec`. */
  function masks(text) {
    const found = /\b([1-9])x([1-9]):0x([0-9a-f]+)/.exec(text);
    if (!found) return [];
    const [rows, cols] = [Number(found[1]), Number(found[2])];
    const edges = (rows + 1) * cols + rows * (cols + 1);
    const mask = BigInt(`0x${found[3]}`);
    return [fragmentOf(rows, cols, [...Array(edges).keys()].filter((edge) => (mask >> BigInt(edge)) & 1n))];
  }

  const button = document.createElement("button");
  button.type = "button";
  button.className = "icon-button";
  button.textContent = "▦ Play";
  button.title = "Play beside the text";
  button.addEventListener("click", () => (document.body.classList.contains("beside") ? close() : open()));
  document.querySelector(".right-buttons")?.prepend(button);

  for (const code of document.querySelectorAll("pre > code")) {
    const isCommand = code.classList.contains("language-console");
    const fragments = isCommand ? masks(code.textContent) : drawings(code.textContent);
    const links = fragments.map((fragment, at) => {
      const link = document.createElement("button");
      link.type = "button";
      link.className = "play-this";
      link.textContent = at ? "Play the one beside it" : "Play this position";
      link.title = "Its lines are drawn in the order of their numbers, so that seats and boxes may be the other player's.";
      link.addEventListener("click", () => {
        open(fragment);
        // The text is narrower now, and so has moved.
        code.closest("pre").scrollIntoView({ block: "center" });
      });
      return link;
    });
    code.closest("pre").after(...links);
  }
})();
