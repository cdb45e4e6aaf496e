// The steps of the course, in order. `node tests/page/lessons.mjs --draw` draws their positions and
// checks them.
//
// Each has a `game` as in an address, whose mover is the person; the text to `teach`, the `task`, a
// `hint`, and what is said when it is `done`; the `goal`, a key of GOALS, and where it `ends`, a key
// of ENDS.
export const LESSONS = [
  {
    id: "close", title: "Close a box", game: "2x2/000206030104", goal: "take", ends: "taken",
    teach: "Two players take turns to draw a line between two dots. Whoever draws the fourth side of a box owns it, "
      + "and moves again.",
    task: "You are Blue. Close the box that has three sides, then the next one.",
    hint: "Look at the upper left box. Only its right side is missing.",
    done: "Two boxes in one turn, and you would move again. Whoever has more boxes at the end wins.",
  },
  {
    id: "third", title: "Not the third side", game: "3x3/090n0g00010b020c", goal: "safe", ends: "answer",
    teach: "A box with three sides is a gift: the other player closes it at once. So do not draw the third side of "
      + "a box while you can avoid it.",
    task: "Draw a line that gives no box away.",
    hint: "Leave the boxes alone that have two sides already, such as the one in the upper left corner.",
    done: "A line like this is called safe: no box has three sides after it. Which of the safe lines is best comes "
      + "later.",
  },
  {
    id: "gift", title: "Take a gift", game: "3x3/030a070i0806020e0c00", goal: "careful", ends: "turn",
    teach: "A box on offer is nearly always worth taking. But after it you must move again, and should give nothing "
      + "away in return.",
    task: "Take the box that Orange has left you, then draw a safe line.",
    hint: "First the upper left box. Then a line that is no third side: look at the lower corners.",
    done: "You are a box ahead, and Orange has to move.",
  },
  {
    id: "last", title: "The last safe line", game: "3x3/090f0j0e0b000l0i0a0n0h0d", goal: "best", ends: "answer",
    teach: "Sooner or later the safe lines run out, and whoever is to move then has to give something away. It is "
      + "good to draw the last safe line yourself.",
    task: "One safe line is left. Draw it.",
    hint: "Every box with two sides is forbidden. Look for a line that touches no such box.",
    done: "Now Orange has to give boxes away, whatever it draws.",
  },
  {
    id: "chain", title: "A chain", game: "2x2/0008050201040b06", goal: "best", ends: "over",
    teach: "Boxes with two drawn sides can form a corridor, called a chain. Whoever is given its first box can take them "
      + "all, one after another.",
    task: "Orange has opened a chain of four. Take all of it.",
    hint: "Close the box that has three sides. The next box then has three sides, too.",
    done: "Four boxes in one turn. Most games are decided by chains.",
  },
  {
    id: "opening", title: "Do not open a chain", game: "3x3/020g0a0c040n0508030k0907", goal: "best", ends: "answer",
    teach: "Drawing any line of a chain opens it: the other player gets the whole chain. Here a chain of six boxes lies "
      + "below, and three more boxes above.",
    task: "Draw the line that opens nothing.",
    hint: "Only one box has fewer than two sides: the middle one of the top row. Its upper side opens nothing.",
    done: "No safe line is left, and Orange has to open something.",
  },
  {
    id: "shortest", title: "Open the shortest", game: "3x3/0a0g02040k030l080i0d0f0b", goal: "best", ends: "answer",
    teach: "No safe line is left, so you have to open something: a chain of one, three or five boxes.",
    task: "Give away as little as you can.",
    hint: "The chain of one is the box in the upper left corner.",
    done: "One box is a small price: now Orange has to open the next chain.",
  },
  {
    id: "decline", title: "Decline the last two", game: "3x3/0204010b0a09050j0n0c030706000d", goal: "best", ends: "answer",
    teach: "Orange has opened a chain of three, and you have taken one box. If you take the other two, you must "
      + "move, and open the chain of six. There is a better way: decline the last two boxes. Draw the line that "
      + "leaves both to Orange, who closes them with a single line and then has to move.",
    task: "Decline the last two boxes.",
    hint: "Do not close the middle box of the top row. Close the far end of the chain, so that both boxes miss only "
      + "the line between them.",
    done: "You have declined the last two. That costs you two boxes and keeps you in control: Orange closes both with one "
      + "line, a double-cross, and has to open the chain of six for you.",
  },
  {
    id: "control", title: "Keep control", game: "3x3/0a0f0b0g00020k0l080i0304010c", goal: "best", ends: "over",
    teach: "Taking everything loses control, because you have to move next. Take all but the last two boxes, and the "
      + "other player has to open the next chain. Only the last chain is taken whole.",
    task: "Orange has opened the chain of four. Win 7 to 2: play to the end.",
    hint: "Take two boxes of the four, and decline the other two with one line. When Orange opens the other chain, take all of "
      + "it.",
    done: "7 to 2, from a position with one chain for each: that is what control is worth.",
  },
  {
    id: "enough", title: "When to take all", game: "3x3/080h04010a0k0l03000g0i0m0709060f020c", goal: "best",
    ends: "over",
    teach: "Control is worth its price only if something big is left. Here is a chain of four, and after it nothing "
      + "but a single box.",
    task: "Get as many boxes as you can, to the end.",
    hint: "Two boxes left behind cost more than the single box in the lower corner is worth.",
    done: "Four boxes for one. Before you decline two boxes, check what control will win you.",
  },
  {
    id: "loop", title: "A loop: decline four", game: "3x4/0g0s0i0601030p040l0d000k0q050f0e0n0c0h0b0m", goal: "best",
    ends: "over",
    teach: "A chain whose ends meet is a loop. To keep control of it you have to decline four boxes, as two pairs. "
      + "Orange has opened the loop of four on the left, and a chain of six is left on the right.",
    task: "Keep control and play to the end.",
    hint: "Cut the four boxes into two pairs: draw the line opposite the one that Orange drew.",
    done: "You gave the whole loop away and won with the chain of six.",
  },
  {
    id: "middle", title: "A chain of two", game: "3x3/0300060m0j0a090e040f0n0i", goal: "best", ends: "answer",
    teach: "You have to open the chain of two in the upper left. If you open it at an end, Orange can decline both "
      + "boxes and keep control. There is a line after which Orange can only take them.",
    task: "Open the chain of two so that Orange cannot keep control.",
    hint: "Cut the two boxes apart: then no single line closes both.",
    done: "Opened in the middle, a chain of two costs two boxes and nothing more. Now Orange has to open a long "
      + "chain.",
  },
  {
    id: "count", title: "Count the long chains", game: "3x3/0f0206010k0n0d070i0a0g0c", goal: "best", ends: "answer",
    teach: "Chains of three or more boxes are long: only they give control. Count them to see who gets "
      + "it. With 16 dots, Blue, who began, wants an even number of long chains, and Orange an odd one. The player whose "
      + "count comes true has the parity.",
    task: "Three safe lines are left. Draw the one after which there are two long chains, not one.",
    hint: "One line cuts the boxes into a chain of three and a chain of six.",
    done: "Two long chains, of three and six boxes: you have the parity. Orange has to open the first, and you will be "
      + "in control.",
  },
  {
    id: "cut", title: "Cut a chain in two", game: "3x3/0f0l06030i00040e0j0n", goal: "best", ends: "answer",
    teach: "The column on the right and the middle of the board are about to join into one chain of six boxes. One "
      + "long chain is an odd number: Orange would be in control.",
    task: "Draw the line that keeps them apart, as two chains of three.",
    hint: "They would join at the bottom. Close the column off at its lower end.",
    done: "Two chains of three. Cutting a chain, or joining two, changes who will be in control.",
  },
  {
    id: "noloop", title: "A loop does not count", game: "3x3/05090j0h040f0l0g0c010n00", goal: "best", ends: "answer",
    teach: "Loops are not counted among the long chains. Two of the three safe lines lead to a loop of four here, "
      + "with only one long chain beside it.",
    task: "Draw the line that makes two long chains.",
    hint: "The loop would be in the lower right. Cut through it now, and it becomes a chain.",
    done: "A chain of four, a chain of five and no loop: an even number, as Blue wants.",
  },
  {
    id: "sacrifice", title: "A sacrifice", game: "3x3/000b0a010m0f02030k0g0j09", goal: "best", ends: "answer",
    teach: "Sometimes the count comes out wrong, and no safe line fixes it. Giving away a box at the right time can: the "
      + "other player takes it and has to move.",
    task: "Both safe lines lose. Give a single box away instead.",
    hint: "Which box can be given away alone? Look at the upper right.",
    done: "One box, and the count comes out right: you will win 6 to 3. The safe lines would have lost 3 to 6.",
  },
  {
    id: "ending", title: "Win an ending", game: "3x3/0i020l0j0104060g0n0a", goal: "win", ends: "over",
    teach: "Now all of it together: safe lines, counting, declining the last two. You play against a bot that makes "
      + "no mistake.",
    task: "Win from here.",
    hint: "Count the safe lines and the long chains after each of them. At the end, decline two boxes if there is "
      + "more to win.",
    done: "You have won against a bot that makes no mistake. Try the puzzles, or a game against Careful.",
  },
];
