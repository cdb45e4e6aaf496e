// All texts of the page in English, by its parts. A translation is another file like this one, with the same keys, which
// ../texts.js chooses. A text with values is a function that returns whole sentences, or a phrase that others are given, such
// as a lead, "Blue by 3", or an edge. Seats are 0 for Blue and 1 for Orange. Texts of index.html may hold HTML.

const COLORS = ["Blue", "Orange"];
const YOU = "You";
const NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];

const number = (value, options) => value.toLocaleString("en", options);
const numberWord = (value) => NUMBERS[value] ?? String(value);
const capital = (text) => text[0].toUpperCase() + text.slice(1);
const count = (value, one, many = `${one}s`) => `${number(value)} ${value === 1 ? one : many}`;
const boxes = (value) => count(value, "box", "boxes");
/** A number of boxes within a sentence: "a box", "3 boxes". */
const some = (value) => (value === 1 ? "a box" : `${value} boxes`);
const lead = (margin, digits = 0) => {
  const size = Math.abs(margin).toFixed(digits);
  return Number(size) === 0 ? "a tie" : `${COLORS[margin > 0 ? 0 : 1]} by ${size}`;
};
const level = (at) => `level ${at} (${LEVELS[at - 1][0]})`;
const day = (date, options) => date.toLocaleDateString("en-US", options);

/** The names and the descriptions of the levels for people, the weakest first. */
const LEVELS = [
  ["First-timer", "takes most boxes, overlooks some, and often gives boxes away"],
  ["Collector", "takes every box, but now and then gives one away without need"],
  ["Careful", "gives no box away while it can avoid it, then opens any long chain"],
  ["Saver", "opens the shortest chain, but takes every box and so loses control"],
  ["Controller", "leaves boxes to keep control, but often takes too much"],
  ["Counter", "always keeps control, and counts the long chains once few safe edges are left"],
  ["Planner", "counts the long chains to come from the middle of the game on, roughly"],
  ["Strategist", "counts the long chains early, and plays the end without a mistake"],
  ["Expert", "has a feeling for every position, looks a little ahead, and knows the end"],
  ["Master", "searches far ahead, and is exact long before the end"],
];

export const english = {
  language: "en",
  number,

  page: {
    title: "doublecross", sections: "Sections of the page",
    play: "Play", learn: "Learn", watch: "Watch", arena: "Arena", training: "Training", scores: "Scores",
    soundOn: "♪ on", soundOff: "♪ off", soundIsOn: "Sound: on", soundIsOff: "Sound: off",
    themes: { auto: "auto", light: "light", dark: "dark" }, themeIs: (theme) => `Theme: ${theme}`, help: "Help", helpTitle: "Help (?)",
    noBots: (reason) => `No bots are available (${reason}), but two people can play.`,
    partMissing: (reason) => `This part of the page cannot be loaded: ${reason}. The page tries again.`,
    botMissing: (reason) => `A bot cannot be loaded: ${reason}. The page tries again every few seconds.`,
    notPasted: (reason) => `What was pasted is not a game: ${reason}.`,
    notOpened: (reason) => `This game cannot be opened, its moves are damaged: ${reason}.`, noPuzzle: "there is no puzzle of that day",
    badAddress: (reason) => `The game in this address cannot be opened: ${reason}. The address stays as it is until you move.`,
  },

  help: {
    title: "Dots and Boxes", close: "Close",
    rules: "Two players take turns drawing a line between two neighboring dots. A player who closes a box owns it and <b>must move again</b>. When all lines are drawn, the player with more boxes wins.",
    control: "A row of boxes that can be taken one after another is a <b>chain</b> or, if its ends meet, a <b>loop</b>. Late in the game every move opens one for the opponent. A player who declines the last two boxes of a chain, or the last four of a loop, <b>keeps control</b>: the opponent takes them and has to open the next one. A line that closes two boxes is a <b>double-cross</b>.",
    keys: "Keys", tab: "Tab", enter: "Enter", space: "Space", ctrl: "Ctrl",
    toBoard: "to the board, and past it", arrows: "move between undrawn lines", draw: "draw the line", undo: "undo, redo",
    hint: "hint", moveNow: "make the bot move now", analysis: "analysis on and off", newGame: "new game",
    paste: "open a copied game, as in <code>5x5 b11d9</code>, or a link to one", thisHelp: "this help",
    note: "Games with a hint, an undo or analysis are listed under Scores, but do not count.",
  },

  bots: {
    levels: LEVELS,
    /** The names of the other bots, some with a description. */
    named: {
      random: ["Random", "draws any edge"], greedy: ["Greedy", "takes boxes and avoids giving them away"],
      chains: ["Chains", "counts chains and keeps control"], policy: ["Policy only", "the network without search"],
      easy: ["Easy"], medium: ["Medium"], strong: ["Strong"], strongest: ["Strongest"],
    },
    budget: (simulations, nodes) => `${number(simulations)} simulations, ${nodes ? `${number(nodes)} solver nodes` : "no solver"}`,
    noSolver: (name) => `${name}, no solver`, alone: (name) => `${name}: network alone, no solver`,
    withSolver: (simulations) => `the network with a search of ${simulations} simulations and the exact solver`,
    withoutSolver: (simulations) => `the network with a search of ${simulations} simulations, without the exact solver`,
    networks: "Your networks", allLevels: "Levels", others: "Other bots",
    none: "there is no bot on this page", failed: (reason) => `the bot failed: ${reason}`,
    workerFailed: (reason) => `the bot's worker failed: ${reason}`, noWorker: "its worker could not be started",
    noServer: "the server of the page cannot be reached",
  },

  board: {
    colors: COLORS, boxesOfBlue: "Blue's boxes", boxesOfOrange: "Orange's boxes",
    label: (rows, cols) => `Board of ${rows} by ${cols} boxes. Arrow keys move between undrawn lines.`,
    box: (row, col, seat) => `Box in row ${row}, column ${col}, ${COLORS[seat]}'s`,
    edge: ({ horizontal, row, col }) => `${horizontal ? "horizontal" : "vertical"} line, row ${row}, column ${col}`,
    drawn: (edge, seat) => `${edge}, drawn by ${COLORS[seat]}`, undrawn: (edge, cost) => `${edge}, undrawn${cost ? `, ${cost}` : ""}`,
    move: (seat, edge) => `${COLORS[seat]}: ${edge}`,
    best: "best", worse: "a little worse", boxWorse: "a box worse", muchWorse: "much worse",
    asGood: (isProved) => (isProved ? "as good as any, proved" : "as good as any"),
    costs: (cost, isProved) => (isProved ? `costs ${boxes(cost)}, proved` : `costs about ${cost.toFixed(1)} boxes`),
    shape: (length, isLoop) => `${isLoop ? "Loop" : "Chain"} of ${length}`, doubleCross: "double-cross!",
  },

  play: {
    welcome: "Draw a line between two dots. Whoever closes a box owns it and moves again; most boxes win.",
    rematch: "Rematch", toReview: "Review", toBoard: "Look at the board",
    start: "Start", pause: "Pause", goOn: "Go on", hint: "Hint", hintTitle: "Hint (h)", undo: "Undo", undoTitle: "Undo (u)",
    redo: "Redo", redoTitle: "Redo (r)", moveNow: "Move now", moveNowTitle: "Move now (m)", share: "Share",
    first: "To the beginning", back: "Back one move", at: "Move shown", forward: "Forward one move", last: "To the end",
    board: "Board", otherBoard: "Another board", other: "Other", withNetwork: "With a network of its own", otherBoards: "Other boards",
    opponent: "Opponent", begins: "Who begins", you: YOU, yourOpponent: "Your opponent", person: "Person",
    anotherPerson: "Another person", twoHere: "two people at this screen", stars: (won, most) => `${won} of ${most} stars`,
    course: "New to the game? Take the course", network: "Levels and analysis by",
    untrained: "The network was trained on other boards, and plays this one by what it learned there.",
    newGame: "New game", newGameTitle: "New game (n)", change: "Change", close: "Close",
    twoBots: (blue, orange, board) => `${blue} against ${orange} on ${board}`,
    against: (name, board) => `Against ${name} on ${board}`, twoPeople: (board) => `Two people on ${board}`,
    /** The end of the name of a player whose game was recorded. */
    recorded: " (recorded)",
    waits: (name) => `${name} begins: press Start.`, cannotPlay: (name, reason) => `${name} cannot play: ${reason}.`,
    winner: (name) => (name === null ? "A tie" : name === YOU ? "You win" : `${name} wins`),
    result: (name, most, least) => `${name === null ? "A tie," : name === YOU ? "You win" : `${name} wins`} ${most} to ${least}.`,
    /** `run` is the winner's longest one, `doubles` the numbers of double-crosses of the players by their names. */
    endOf: ({ margin, runs, names, doubles }) => {
      const run = margin === 0 ? `Longest runs: ${runs[0]} and ${runs[1]} boxes`
        : `by ${boxes(Math.abs(margin))}, with a longest run of ${runs[Number(margin < 0)]}`;
      const crossed = doubles[0] + doubles[1] ? `; double-crosses: ${names[0]} ${doubles[0]}, ${names[1]} ${doubles[1]}` : "";
      return `${run}${crossed}.`;
    },
    loading: (name) => `${name} is loading …`, thinking: (name) => `${name} is thinking …`,
    stopped: "The game was stopped.", afterMove: (at, length) => `After move ${at} of ${length}.`, afterMoves: (at, status) => `After ${at} moves. ${status}`,
    yourTurn: (isAgain) => (isAgain ? "Your turn again." : "Your turn."),
    toMove: (seat, isAgain) => `${COLORS[seat]} to move${isAgain ? " again" : ""}.`, hintIs: (edge) => `Hint: ${edge}.`,
    draws: (seat, edge) => `${COLORS[seat]} draws ${edge}.`,
    takes: (seat, taken) => `${COLORS[seat]} takes ${boxes(taken)}${taken === 2 ? " by a double-cross" : ""}.`,
    scores: ([blue, orange]) => `Blue ${blue}, Orange ${orange}.`, movesAgain: (seat) => `${COLORS[seat]} moves again.`,
    balance: (blue, orange, isExact) => `Boxes at the end${isExact ? "" : ", expected"}: Blue ${blue}, Orange ${orange}`,
  },

  watch: {
    title: "Bot against bot", blue: "Blue", orange: "Orange", board: "Board", start: "Start a game", speed: "Pause between moves",
    recorded: "Recorded games", open: "Open a match log", game: "Game", take: "Play this position yourself",
    unreadable: (file, reason) => `${file} cannot be read: ${reason}`,
    games: (file, games) => `${file}: ${count(games, "game")}.`, firstOnly: (most) => `The first ${most} are listed.`,
    tooLarge: "it has more than 64 MB",
    line: (at, reason) => `line ${at} (${reason})`, leftOut: (lines) => `Left out: ${lines.join("; ")}.`,
    notObject: "not an object", noMoves: "no list of moves",
  },

  analysis: {
    title: "Analysis", titleOfKey: "Analysis (a)", likely: "Likely next moves", playOut: "Play them out", stop: "Stop",
    deepen: "Think longer", more: "More", finals: "How it may end", pointAt: "Point at a line to see what it costs.",
    holdOn: "Hold a line to see what it costs. A short tap draws it.", thinking: "Thinking …",
    spent: (simulations, nodes) => `${number(simulations)} simulations, up to ${number(nodes)} solver nodes.`,
    deeper: (simulations, nodes) => `Thinking deeper … (${number(simulations)} simulations, up to ${number(nodes)} solver nodes)`,
    ofEdge: (edge, cost, margin, isExact) =>
      `${edge}: ${cost}. ${isExact ? "It ends with" : "It may end with"} ${lead(margin, isExact ? 0 : 1)}.`,
    singles: (singles) => `${count(singles, "single box", "single boxes")} with two lines.`,
    value: (margin, isExact) => (isExact ? `Proved: ${lead(margin)}.` : `Probably ${lead(margin, 1)}.`),
    proved: "With best play of both, as the exact solver has proved.",
    between: (low, high) => `Proved: between ${lead(low)} and ${lead(high)}.`,
    sure: "Fairly sure.", unsure: "A bit unsure.", open: "Wide open.",
    share: (margin, share) => `${lead(margin)}: ${(100 * share).toFixed(1)} %`,
    chart: "Probability of each final margin: Orange's lead to the left, Blue's lead to the right",
    offered: (offered) => `${boxes(offered)} can be taken now.`,
    safe: (safe) => (safe ? `${count(safe, "safe line")} left.` : "No safe line is left."),
    control: (seat) =>
      `With best play, ${COLORS[1 - seat]} has to open the first long chain or loop, so ${COLORS[seat]} will be in control.`,
    controlOpen: "Who will be in control is not known yet.",
    group: (length, isLoop, isLong) => `${isLoop ? "Loop" : isLong ? "Chain" : "Short chain"} of ${length}`,
    notExamined: (group) => `${group}: not examined yet.`,
    /** `cost` is null where a move is as good as any. */
    opening: (group, cost, inMiddle) =>
      `${group}: ${inMiddle ? "to open it in the middle" : "to open it"} ${cost ?? "is as good as any move"}.`,
  },

  mistakes: {
    took: (last) => `Took too much: declining the last ${numberWord(last)} boxes keeps control.`,
    leftForControl: (left) => `Left ${left} boxes for control, but taking all was better.`,
    left: (left) => `Left ${some(left)} that could be taken.`,
    leftTooMany: (left, enough) => `Left ${left} boxes for control where ${enough} are enough.`,
    leftFree: (left) => `Left ${some(left)} that could be taken for nothing.`,
    missed: (last) => `Missed the line that declines the last ${numberWord(last)} boxes and keeps control.`,
    half: (rival) => `Opened a chain of 2 at its end: the middle line keeps ${COLORS[rival]} from control.`,
    /** What is given away: a chain or loop, or else a number of boxes. */
    gift: (sort, number) => (sort ? `a ${sort} of ${number}` : some(number)),
    gave: (gift) => `Gave away ${gift} although a safe line was left.`,
    gaveMore: (gift, less) => `Gave away ${gift} where ${less} would do.`,
    opened: (sort, number, other, less) => `Opened the ${sort} of ${number} instead of the ${sort === other ? "one" : other} of ${less}.`,
    /** What was better. */
    otherOpening: "another opening", otherSafe: "another safe line",
    giving: (gift) => `giving away ${gift}`, givingFirst: (gift) => `giving away ${gift} first`,
    parity: (rival, isSure) => `${isSure ? "Lost" : "Probably lost"} parity: now ${COLORS[rival]} will be in control.`,
    parityTo: (better) => `Probably lost parity: ${better} was better.`,
    /** A mistake without a name; `better` may be null. */
    slip: (cost, isExact, better) => {
      const size = isExact ? some(cost) : `about ${cost.toFixed(1)} boxes`;
      return better ? `${capital(better)} was better, by ${size}.` : `Cost ${size}.`;
    },
  },

  reasons: {
    leaves: (left, rival) => `You leave ${boxes(left)} to ${COLORS[rival]}.`,
    leavesMore: (left, rival) => `You leave ${boxes(left)} to ${COLORS[rival]}, and give more away.`,
    third: "This is the third side of a box.", thirdGives: "This is the third side of a box, which gives it away.",
    gives: (gift) => `This gives ${gift} boxes away.`,
    /** How a gift is taken, which was there before for `wasHere`, by so many lines. */
    giftTaken: (rival, { gift, wasHere, lines, isOver }) => {
      const takes = gift === 1 ? `closes ${wasHere ? "it" : "the box"}`
        : lines === 1 ? "closes both with one line" : `takes ${gift > 2 ? `all ${gift}` : "both"} in a row`;
      return `${COLORS[rival]} ${takes}${isOver ? "." : " and moves again."}`;
    },
    tooMuch: "That takes too much: you can no longer keep control.",
    mustMove: (taken) => `You take ${boxes(taken)}, but now you have to move and give something away.`,
    openLater: "This gives nothing away yet, but in the end you will have to open the first long chain.",
    answered: (rival) => `This gives nothing away yet, but ${COLORS[rival]} has a good answer.`,
    opensLoop: (length) => `This opens the loop of ${length}.`, opensChain: (length) => `This opens the chain of ${length}.`,
    keepsControl: (seat, taken, left) => `${COLORS[seat]} ${taken ? `takes ${taken}, ` : ""}declines the last ${left} and keeps control.`,
    takes: (seat, taken) => `${COLORS[seat]} takes ${boxes(taken)}.`,
    takesAll: (seat, taken) => `${COLORS[seat]} takes ${taken === 1 ? "it" : taken === 2 ? "both" : `all ${taken}`}.`,
    /** `winner` is a seat, or null for a tie. */
    ending: ({ winner, person, most, least, cost }) => {
      const end = winner === null ? "the game ends in a tie"
        : winner === person ? `you win only ${most} to ${least}` : `${COLORS[winner]} wins ${most} to ${least}`;
      return `From here, with best play, ${end}. That costs you ${boxes(cost)}.`;
    },
  },

  review: {
    title: "Review", moves: "Moves", ofGame: "Moves of the game", run: "Review this game", stop: "Stop", playOn: "Play on from here",
    previous: "‹ Mistake", next: "Next mistake ›", retry: "Try again",
    takes: (taken) => `takes ${taken}`, goTo: "Go to the position after this move",
    cost: (cost, isExact) => (isExact ? `Cost exactly ${boxes(cost)}` : `Cost about ${cost.toFixed(1)} boxes`),
    lesson: (seat, mistake, better) => `${COLORS[seat]}: ${mistake} Better was ${better}.`, chart: "Blue's final margin after each move",
    point: (at, margin, isExact) => `After move ${at}: ${lead(margin, isExact ? 0 : 1)}`,
    accuracy: ([blue, orange]) => {
      const of = (color, { best, moves, lost }) => `${color} found ${best} of ${count(moves, "best move")}, and mistakes cost ${boxes(lost)} in all`;
      return `${of("Blue", blue)}; ${of("Orange", orange)}.`;
    },
    soFar: (accuracy, exact, moves, isRunning) =>
      `${isRunning ? "Still running" : "Stopped"}: ${exact} of ${count(moves, "move")} exact. So far, ${accuracy}`,
    summary: (accuracy, estimates, moves) => {
      const known = estimates ? `Costs with ≈ are estimates, ${estimates} of ${moves}.` : "All costs are exact.";
      return `${accuracy} A cost is the number of boxes that the player has less at the end. ${known}`;
    },
    anotherTry: "Another try", again: "Show again", light: "Show a best line", end: "Back to the review",
    ask: (seat) => `What is better here for ${COLORS[seat]}?`, right: "Right. No line is better.",
  },

  learn: {
    ways: "Ways to learn", answer: "Answer", solver: "Solver", parts: { course: "Course", daily: "Daily puzzle", rush: "Puzzle rush" },
    buttons: {
      next: "Next step", retry: "Try again", again: "Show again", start: "Start", hint: "Hint", light: "Show a right line",
      solve: "Show the solution", "play-out": "See how it goes on", restart: "Back to the start", back: "Back to the list",
      load: "Load again",
    },
    refuted: "This would follow.", solved: "Solved.", playedOut: "This is how it can go on.", wrong: "Wrong.", right: "Right.",
    goOn: "Right. Go on.", checking: "Checking …", unchecked: (reason) => `This cannot be checked: ${reason}.`,
    unsolved: "the position could not be solved", lit: (edge) => `A right line is lit up: ${edge}.`,
    steps: "All steps", step: (at, title) => `${at}. ${title}`, toPuzzles: "To the puzzles", isDone: ", done",
    progress: (done, all) => `${done} of ${all} done. Take them in any order.`,
    couldWin: (done, won, lost, most, least) => `${done} You won ${won} to ${lost}. The best lines win ${most} to ${least}.`,
    themes: {
      take: "There are boxes on offer. Think about which of them you want.",
      control: "Think of control: it may pay to leave boxes to the other player.",
      safe: "One safe line is better than the others. Count the long chains.",
      sacrifice: "A box given away at the right time changes who is in control.",
      open: "You have to open something. Think about what, and where.", other: "Count the long chains.",
    },
    difficulty: (at) => `Difficulty: ${level(at)}.`,
    puzzle: (seat, lines) => {
      const task = lines === 1 ? "Only one line wins. Find it." : `${capital(numberWord(lines))} lines win equally. Find one.`;
      return `You are ${COLORS[seat]}. ${task}`;
    },
    solution: (edge, worth) => `The solution is the ${edge}. ${worth}`, rightIs: (worth) => `Right. ${worth}`,
    /** `most` is what every other line loses at least by, or 0 where one ties. */
    worth: (lines, margin, most) => {
      const like = lines === 2 ? "the other equivalent line" : `the other ${numberWord(lines - 1)} equivalent lines`;
      const others = lines === 1 ? "Every other line loses" : "All others lose";
      return `With best play, it wins by ${boxes(margin)}${lines === 1 ? "" : `, like ${like}`}. `
        + `${most ? `${others} by ${most} or more.` : "No other line gets more than a tie."}`;
    },
    loadingPuzzles: "Loading the puzzles …", noPuzzles: (reason) => `The puzzles cannot be loaded: ${reason}.`,
    notPuzzles: "it is not a puzzle file of this page", noSoundPuzzle: "there is no sound puzzle in it",
    daily: "Puzzle of the day", ofDay: (date, isToday) => `Puzzle of ${isToday ? "the day, " : ""}${date}`,
    day: (date, hasYear) => day(date, { day: "numeric", month: "long", year: hasYear ? "numeric" : undefined, timeZone: "UTC" }),
    earlier: "‹ Previous day", later: "Next day ›",
    streak: (days) => (days ? `Solved ${count(days, "day")} in a row.` : "A new puzzle every day."),
    daySolved: "You have solved this one.", dayShown: "You have seen the solution of this one.",
    share: "Share", shareLabel: "Text to share", copy: "Copy", copied: "Copied.", copyHere: "Copy the text from here.",
    shared: (date, mistakes) => {
      const how = ["on the first try", "on the second try", "on the third try"][mistakes] ?? `after ${mistakes} mistakes`;
      return `doublecross puzzle, ${date}: solved ${how}`;
    },
    rush: "Puzzle rush",
    rushRules: (most) => "Puzzles come one after another: a few of each level, from easy to hard, then the rest. "
      + `Find a line that wins each of them. The rush ends after ${most} mistakes.`,
    timed: "Against the clock: 3 minutes", timeLeft: (time) => `${time} left`,
    missed: "Missed puzzles", missedOne: "A missed puzzle",
    missedItem: (at, seat, hardness) => `${at}. ${COLORS[seat]} to move, ${level(hardness)}`,
    bestScores: (free, timed) => `Best score: ${free}. Against the clock: ${timed}.`,
    playAgain: "Play again", pressStart: "Press Start to begin.",
    rushOver: (score, isRecord) => `The rush is over: ${count(score, "puzzle")} solved.${isRecord ? " Your best so far!" : ""}`,
    rushScore: (score, missed, most) => `${score} solved, ${count(missed, "mistake")} of ${most}`, rushPuzzle: (at) => `Puzzle ${at}`,
    lessons: {
      close: {
        title: "Close a box", task: "You are Blue. Close the box that has three sides, then the next one.",
        teach: "Two players take turns to draw a line between two dots. Whoever draws the fourth side of a box owns it, and moves again.",
        hint: "Look at the upper left box. Only its right side is missing.",
        done: "Two boxes in one turn, and you would move again. Whoever has more boxes at the end wins.",
      },
      third: {
        title: "Not the third side", task: "Draw a line that gives no box away.",
        teach: "A box with three sides is a gift: the other player closes it at once. So do not draw the third side of a box while you can avoid it.",
        hint: "Leave the boxes alone that have two sides already, such as the one in the upper left corner.",
        done: "A line like this is called safe: no box has three sides after it. Which of the safe lines is best comes later.",
      },
      gift: {
        title: "Take a gift", task: "Take the box that Orange has left you, then draw a safe line.",
        teach: "A box on offer is nearly always worth taking. But after it you must move again, and should give nothing away in return.",
        hint: "First the upper left box. Then a line that is no third side: look at the lower corners.",
        done: "You are a box ahead, and Orange has to move.",
      },
      last: {
        title: "The last safe line", task: "One safe line is left. Draw it.",
        teach: "Sooner or later the safe lines run out, and whoever is to move then has to give something away. It is good to draw the last safe line yourself.",
        hint: "Every box with two sides is forbidden. Look for a line that touches no such box.",
        done: "Now Orange has to give boxes away, whatever it draws.",
      },
      chain: {
        title: "A chain", task: "Orange has opened a chain of four. Take all of it.",
        teach: "Boxes with two drawn sides can form a corridor, called a chain. Whoever is given its first box can take them all, one after another.",
        hint: "Close the box that has three sides. The next box then has three sides, too.",
        done: "Four boxes in one turn. Most games are decided by chains.",
      },
      opening: {
        title: "Do not open a chain", task: "Draw the line that opens nothing.",
        teach: "Drawing any line of a chain opens it: the other player gets the whole chain. Here a chain of six boxes lies below, and three more boxes above.",
        hint: "Only one box has fewer than two sides: the middle one of the top row. Its upper side opens nothing.",
        done: "No safe line is left, and Orange has to open something.",
      },
      shortest: {
        title: "Open the shortest", task: "Give away as little as you can.",
        teach: "No safe line is left, so you have to open something: a chain of one, three or five boxes.",
        hint: "The chain of one is the box in the upper left corner.",
        done: "One box is a small price: now Orange has to open the next chain.",
      },
      decline: {
        title: "Decline the last two", task: "Decline the last two boxes.",
        teach: "Orange has opened a chain of three, and you have taken one box. If you take the other two, you must move, and open the chain of six. There is a better way: decline the last two boxes. Draw the line that leaves both to Orange, who closes them with a single line and then has to move.",
        hint: "Do not close the middle box of the top row. Close the far end of the chain, so that both boxes miss only the line between them.",
        done: "You have declined the last two. That costs you two boxes and keeps you in control: Orange closes both with one line, a double-cross, and has to open the chain of six for you.",
      },
      control: {
        title: "Keep control", task: "Orange has opened the chain of four. Win 7 to 2: play to the end.",
        teach: "Taking everything loses control, because you have to move next. Take all but the last two boxes, and the other player has to open the next chain. Only the last chain is taken whole.",
        hint: "Take two boxes of the four, and decline the other two with one line. When Orange opens the other chain, take all of it.",
        done: "7 to 2, from a position with one chain for each: that is what control is worth.",
      },
      enough: {
        title: "When to take all", task: "Get as many boxes as you can, to the end.",
        teach: "Control is worth its price only if something big is left. Here is a chain of four, and after it nothing but a single box.",
        hint: "Two boxes left behind cost more than the single box in the lower corner is worth.",
        done: "Four boxes for one. Before you decline two boxes, check what control will win you.",
      },
      loop: {
        title: "A loop: decline four", task: "Keep control and play to the end.",
        teach: "A chain whose ends meet is a loop. To keep control of it you have to decline four boxes, as two pairs. Orange has opened the loop of four on the left, and a chain of six is left on the right.",
        hint: "Cut the four boxes into two pairs: draw the line opposite the one that Orange drew.",
        done: "You gave the whole loop away and won with the chain of six.",
      },
      middle: {
        title: "A chain of two", task: "Open the chain of two so that Orange cannot keep control.",
        teach: "You have to open the chain of two in the upper left. If you open it at an end, Orange can decline both boxes and keep control. There is a line after which Orange can only take them.",
        hint: "Cut the two boxes apart: then no single line closes both.",
        done: "Opened in the middle, a chain of two costs two boxes and nothing more. Now Orange has to open a long chain.",
      },
      count: {
        title: "Count the long chains", task: "Three safe lines are left. Draw the one after which there are two long chains, not one.",
        teach: "Chains of three or more boxes are long: only they give control. Count them to see who gets it. With 16 dots, Blue, who began, wants an even number of long chains, and Orange an odd one. The player whose count comes true has the parity.",
        hint: "One line cuts the boxes into a chain of three and a chain of six.",
        done: "Two long chains, of three and six boxes: you have the parity. Orange has to open the first, and you will be in control.",
      },
      cut: {
        title: "Cut a chain in two", task: "Draw the line that keeps them apart, as two chains of three.",
        teach: "The column on the right and the middle of the board are about to join into one chain of six boxes. One long chain is an odd number: Orange would be in control.",
        hint: "They would join at the bottom. Close the column off at its lower end.",
        done: "Two chains of three. Cutting a chain, or joining two, changes who will be in control.",
      },
      noloop: {
        title: "A loop does not count", task: "Draw the line that makes two long chains.",
        teach: "Loops are not counted among the long chains. Two of the three safe lines lead to a loop of four here, with only one long chain beside it.",
        hint: "The loop would be in the lower right. Cut through it now, and it becomes a chain.",
        done: "A chain of four, a chain of five and no loop: an even number, as Blue wants.",
      },
      sacrifice: {
        title: "A sacrifice", task: "Both safe lines lose. Give a single box away instead.",
        teach: "Sometimes the count comes out wrong, and no safe line fixes it. Giving away a box at the right time can: the other player takes it and has to move.",
        hint: "Which box can be given away alone? Look at the upper right.",
        done: "One box, and the count comes out right: you will win 6 to 3. The safe lines would have lost 3 to 6.",
      },
      ending: {
        title: "Win an ending", task: "Win from here.",
        teach: "Now all of it together: safe lines, counting, declining the last two. You play against a bot that makes no mistake.",
        hint: "Count the safe lines and the long chains after each of them. At the end, decline two boxes if there is more to win.",
        done: "You have won against a bot that makes no mistake. Try the puzzles, or a game against Careful.",
      },
    },
  },

  arena: {
    title: "Arena", own: "Bots of your own", add: "Add .wasm files",
    about: "Choose or drop modules that doublecross export --form wasm has written. A module stays in this tab: it is neither sent nor stored. It plays in workers of its own, where it gets positions, can only compute and reaches nothing else.",
    rules: "Every bot plays every other one. Games come in pairs, which begin with the same random lines that put no box on offer, with the bots' seats swapped. A bot that fails, is late or chooses a line that cannot be drawn commits a fault: the first undrawn line is drawn for it; and one that fails or is late three times in a game is not asked again in it.",
    remove: (name) => `Remove ${name}`, notAdded: (file, reason) => `${file} is not added: ${reason}.`,
    board: "Board", games: "Games between each two", opening: "Random lines at the start", seconds: "Seconds for a move",
    start: "Start", stop: "Stop", chooseTwo: "Choose at least two bots.", progress: "Games that are over",
    done: (done, total) => `${done} of ${count(total, "game")}`, toPlay: (total) => `${count(total, "game")} to play.`,
    broken: (reason) => `The match cannot go on: ${reason}. Games that are over count.`,
    isOver: (total) => `The match is over: ${count(total, "game")}.`,
    stopped: (done, total) => `Stopped after ${done} of ${count(total, "game")}. They count.`,
    results: "Results", resultsOn: (board, games) => `Results on ${board}: ${count(games, "game")}`,
    elo: "Elo is above the mean of these bots, with half its 95 % interval. Choose a result to watch its games. Results last as long as this page is open; doublecross leaderboard reads a saved log.",
    save: "Save the log", clear: "Clear", sureToClear: "Delete all results of the arena?",
    repeated: (repeated, all) => `${count(repeated, "game")} of ${all} repeat others, and count once.`,
    strangers: (groups) =>
      `Bots that never met, even through others, cannot be compared: ${groups.map((names) => names.join(", ")).join("; ")}.`,
    trouble: (name, trouble) => `The first failure of ${name}: ${trouble}.`,
    ladder: "Ladder", cross: "Points of each bot, row against column", bot: "Bot",
    /** The heads of the ladder's columns, each with a description or without one. */
    heads: {
      elo: ["Elo", "Elo points above the mean"], half: ["±", "half the 95 % interval"], games: ["Games"], won: ["Won"],
      tied: ["Tied"], lost: ["Lost"], faults: ["Faults", "moves that the bot failed to choose"],
    },
    watch: (name, opponent, points) => `${name} against ${opponent}: ${points}. Watch these games`,
    tooLarge: "it has more than 256 MB", notWasm: "it is not a WebAssembly module",
    needs: (name) => `it needs "${name}", and a bot gets nothing from this page`,
    exportsNo: (name) => `it exports no "${name}", so it is not an exported bot`,
    noLine: (answer) => `it answered no line that can be drawn: ${answer}`, failedOften: (times) => `it failed ${times} times`,
    late: (seconds) => `it did not answer within ${seconds} s`, failed: (reason) => `it failed: ${reason}`,
  },

  training: {
    title: "Training", runs: "Runs",
    about: "A network learns Dots and Boxes by playing against itself, one generation of games after another. The curves show whether a run still improves, and which of several runs plays best.",
    compare: "Compare runs by", add: "Add progress.jsonl files", none: "<b>No training run is shown yet.</b> To see one:",
    openFile: "Open a run's file <code>progress.jsonl</code> above, or several files to compare them.",
    startRun: "Or start a run and follow it while it learns. On a small board it takes a few minutes:",
    noScores: "<b>These runs have no suite scores.</b> Losses can fall without better play: only scores and games show how well a network plays. A run is scored if its config sets <code>suite.positions</code> above 0, like those in <code>configs/</code>.",
    method: "Dots are measurements; a ring is the best score so far. Lines are smoothed: each point lies on the straight line that best fits the nearest tenth of the measurements, at least five. A run is still improving if the later half of its measurements, at least five, improves by more than chance would in 95 of 100 cases. Compare scores only between runs of the same board and suite.",
    axes: { generation: "Generations", games: "Games played", time: "Time" },
    units: { generation: "generations", games: "games", minutes: "minutes", hours: "hours" },
    atGeneration: (value) => `at generation ${number(Math.round(value))}`,
    afterGames: (value) => `after ${number(Math.round(value))} games`,
    afterTime: (value, unit) => `after ${number(Number(value.toPrecision(4)))} ${unit}`,
    percent: (value) => `${(100 * value).toFixed(1)}\u00a0%`, boxes: (value) => `${value.toFixed(2)}\u00a0boxes`,
    /** The part of a score that is of the whole suite. */
    all: "all positions", others: "others", higher: "Higher is better.", lower: "Lower is better.",
    suite: "Scores on solved positions", suitePart: (part) => `Scores: ${part}`,
    suiteAbout: "Measured on the run's suite: positions that it never learns from, whose best edges and results the exact solver has proved. They are the best measure of its play.",
    /** The topic stands for the title within a sentence. */
    scores: {
      search_optimal: { title: "Chooses a best edge after searching", topic: "best edges after searching", about: "How often the edge that it plays after a search is one of the best. Higher is better." },
      policy_optimal: { title: "Chooses a best edge at first sight", topic: "best edges at first sight", about: "How often the network's first choice, without a search, is one of the best edges. Higher is better." },
      sign_agreement: { title: "Knows who gets more of the boxes left", topic: "who gets more of the boxes left", about: "How often it expects the right player to win the rest of the game. Higher is better." },
      margin_error: { title: "Error of the expected result", topic: "the expected result", about: "How far the result that it expects is from the exact one, on average. Lower is better." },
    },
    groups: {
      losses: { title: "Losses", about: "How far the network is from what it learns in each generation. Losses fall as it learns, but they rise when its games get harder: go by the scores first." },
      speed: { title: "Speed", about: "How fast the run works. Speed depends on the machine and says nothing about the network's play." },
    },
    curves: {
      policy_loss: { title: "Loss of its choice of edges", about: "How unlikely it found the edges that its searches chose, in nats. Lower is better." },
      margin_loss: { title: "Loss of its expected results", about: "How unlikely it found the results of its games, in nats. Lower is better." },
      edge_loss: { title: "Loss of its value of each edge", about: "Mean squared error of its value of each edge, on solved positions. Lower is better." },
      margin_error: { title: "Error of the expected result in its own games", about: "How far the result that it expected in its newest games is from the proved one. Lower is better." },
      games_per_second: { title: "Games per second", about: "Games that the run plays against itself." },
      evaluations_per_second: { title: "Positions evaluated per second", about: "Positions that its searches ask the network about." },
    },
    field: "Its field in progress.jsonl", latest: "latest", noValue: "no value", marks: "The arrow keys move a mark along the curve.",
    best: (score, generation) => `best ${score} at generation ${number(generation)}`,
    /** `best` may be null; a `trend` is as trendOf returns it: 1, -1, 0 or null. */
    curve: ({ first, from, last, to, best, trend, over }) => {
      const change = trend === null ? "too few scores to tell whether it improves" : trend === 1 ? "still improving"
        : `${trend === 0 ? "no clear change" : "getting worse"} over the last ${over}`;
      return `from ${first} at generation ${from} to ${last} at generation ${to}, ${best ? `${best}, ` : ""}${change}.`;
    },
    time: (seconds) => {
      const minutes = Math.round(seconds / 60);
      const hours = Math.floor(minutes / 60);
      if (seconds < 90) return `${Math.round(seconds)} s`;
      if (hours < 1) return `${minutes} min`;
      return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
    },
    /** `games` and `time` may be null. */
    reached: (generation, games, time) => {
      const amounts = [games === null ? null : count(games, "game"), time].filter((amount) => amount !== null);
      return `Generation ${number(generation)}${amounts.length ? ` after ${amounts.join(" and ")}` : ""}.`;
    },
    loading: "Loading …",
    waiting: "Waiting for the first generation. Once the run has begun, it takes seconds on a small board and minutes on a large one.",
    /** `best` is null if the latest score is the best one. */
    latestScore: (score, topic, best, generation) => {
      const end = best === null ? "its best so far" : `best so far ${best} at generation ${number(generation)}`;
      return `Latest score ${score} (${topic}), ${end}.`;
    },
    /** `rising` are the topics of other scores that improve. */
    trend: (trend, over, rising) => {
      const also = rising.length ? `, but still improving: ${rising.join(", ")}` : "";
      if (trend === null) return "Too few scores to tell whether it improves.";
      if (trend === 1) return "It is still improving.";
      return `${trend === 0 ? "No clear change in" : "It got worse over"} its last ${over} scores${also}.`;
    },
    unscored: "It has no suite scores.",
    ownGames: (error, trend, over) => {
      const change = trend === null ? "too few generations to see a change" : trend === 1 ? "still improving"
        : `${trend === 0 ? "no clear change in" : "getting worse over"} the last ${over} generations`;
      return `In its own games it misses the result by ${error.toFixed(2)} boxes: ${change}.`;
    },
    unreadable: (reason) => `It cannot be read: ${reason}. The page tries again every few seconds.`,
    gone: (reason) => `It can no longer be read: ${reason}. What was read before is still shown. `
      + "The page tries again every few seconds.",
    /** `numbers` are those of the damaged lines, of which some may be left out. */
    damaged: (numbers, lines, generations) => {
      const where = lines === 1 ? `Line ${numbers} is damaged and left out` : `${lines} lines are damaged and left out (${numbers})`;
      const shown = `${count(generations, "generation")} of the other lines ${generations === 1 ? "is" : "are"} shown`;
      return `${where}; the ${shown}.`;
    },
    torn: "The file ends within a line. That line is left out.",
    followed: "followed", fromFile: "from a file", nameOf: (letter) => `Name of run ${letter}`, giveName: "Give it a name",
    remove: "Remove", removeRun: (name) => `Remove ${name}`, removed: (name) => `${name} was removed.`,
    tooLarge: "it has more than 16 MB", noGeneration: "it has no line with the figures of a generation",
    notShown: (file, reason) => `${file} cannot be shown: ${reason}.`,
  },

  scores: {
    title: "Your games against the bots", opponent: "Opponent", name: "Your name", high: "High scores", games: "Games", more: "More",
    data: "Your data",
    dataNote: "This browser alone keeps your games, comments, settings, course and puzzles. Export them to keep a copy, or to take them to another browser. An import adds to what is here, and replaces nothing.",
    export: "Export as a file", import: "Import a file", clear: "Delete the games",
    note: "Games with a hint, an undo or analysis, and games from a given position, are listed but do not count.",
    all: "All", shown: (shown, all) => `${shown} of ${count(all, "game")}`, none: "No games yet.", open: "Open", notKept: "not kept",
    heads: ["Date", "Opponent", "Board", "Color", "You – bot", "Time", "Help", "Comment", "Game"],
    helps: { hint: "hint", undo: "undo", analysis: "analysis", position: "position" },
    highHeads: ["Bot", "Board", "Games", "Won", "Lost", "Tied", "Share won", "Mean margin", "Best game"],
    /** Words beside numbers in narrow windows: before a mean margin and help, after the others. */
    words: { won: " won", lost: " lost", tied: " tied", mean: "mean ", help: "help: " },
    date: (date) => day(date, { dateStyle: "medium" }), dateAndTime: (date) => date.toLocaleString("en-US"),
    openGame: (bot, board, date) => `Open the game against ${bot} on ${board}, ${date}`,
    comment: "Comment", commentOn: (bot, board, date) => `Comment on the game against ${bot} on ${board}, ${date}`,
    bestGames: (score, bot, board) => `${score}: best games against ${bot} on ${board}`,
    added: (names) => `Added: ${names.join(", ")}.`, nothingNew: "Nothing was added: what the file holds is here already.",
    nothingAdded: "Nothing was added.", leftOut: (parts) => `Left out: ${parts.join("; ")}.`,
    deleted: "The games were deleted.", notImported: (file, reason) =>
      `${file} cannot be imported: ${reason}. Choose a file that was exported here.`,
    sureToClear: (games, damaged) => `Delete ${count(games, "game")} with results, moves and comments`
      + `${damaged ? `, and ${count(damaged, "damaged text")} kept aside` : ""}? `
      + "Course, puzzles and settings stay. Export first to keep a copy.",
  },

  stored: {
    /** What is stored, in the plural, by its keys. */
    what: {
      results: "games", name: "settings of the name", course: "steps done", daily: "daily puzzles", rush: "best scores",
      sound: "settings of sound",
    },
    settings: { settings: "settings", game: "the game under way", sound: "sound", theme: "theme" },
    damaged: (what, reason, name) => `The ${what} in this browser cannot be read: ${reason}. They are kept aside as "${name}".`,
    /** `done` is "read", "stored" or "deleted". */
    refused: (what, done, reason) => `The ${what} cannot be ${done} in this browser: ${reason}.`,
    blocked: "this browser blocks storage", tooMany: "too many damaged ones are kept aside",
    someLeft: "Some damaged results are left out.",
    someAside: "Results that could not be read are kept aside: export them as a file, or delete the games.",
    dropped: (games) =>
      `The moves of ${count(games, "old game")} were dropped: this browser has no room for more. Their results are kept.`,
    leftOut: (what, reason) => `${what}: ${reason}`, damagedParts: (parts) => count(parts, "damaged part"),
    noRoom: (games) => `the moves of ${count(games, "old game")}, for which this browser has no room`,
    notJson: "it is not JSON", tornJson: "it is not JSON, or a part of it is missing", isDamaged: "it is damaged",
    notExported: "it was not exported by this page", newer: "it was exported by a newer page (reload this one)",
    noStored: "it has no list of what was stored", tooLarge: "it is too large",
    noSteps: "it has no list of steps", noDays: "it has no days", noScores: "it has no scores", badScore: "a score is not a number",
    notList: "it is not a list", notText: "it is not a text",
  },

  share: {
    title: "Share this game", link: "Link", asText: "Moves as text", moves: "Edges", cells: "Cells", copy: "Copy", save: "Save",
    png: "Image (PNG)", svg: "Image (SVG)", animation: "Animation (SVG)", log: "Match log", close: "Close", system: "Share …",
    /** What can be copied, by the ids of the fields. */
    subjects: { "share-link": "the link", "share-moves": "the moves", "share-cells": "the cells" },
    copyLabel: (subject) => `Copy ${subject}`, copied: (subject) => `Copied ${subject}.`,
    notCopied: (subject) => `This browser does not let the page copy: copy ${subject} from the field.`,
    picture: ([blue, orange], scores) => `The position: ${blue} ${scores[0]}, ${orange} ${scores[1]}`,
    noPicture: (reason) => `This browser cannot draw the picture (${reason}). Save it as SVG instead.`, noPng: "no PNG",
    game: "Dots and Boxes", noSystem: (reason) => `The system cannot share this (${reason}). Copy the link instead.`,
    /** The name of a player without one. */
    nobody: "unknown",
    noHash: "it does not begin with #", torn: "a part of it is missing or changed",
    noPlayer: (part) => `"${part}" names no player: write blue=NAME or orange=NAME`, twice: (seat) => `it names ${seat} twice`,
    notName: (text) => `"${text}" is not a name: a part of it is missing or changed`,
    longName: (most, name) => `a player's name is longer than ${most} characters: "${name}"`, emptyName: "a player's name is empty",
  },
};
