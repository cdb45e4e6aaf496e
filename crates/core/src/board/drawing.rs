//! The text drawing of a position, for people.

use std::fmt;

use super::Position;

/// Draws dots, drawn edges and owners. A box shows the number of the seat that owns it, or `#` if
/// it is closed and has no owner. The form `{:#}` also numbers the rows and columns of dots: `Hr,c`
/// runs to the right of dot `r,c`, and `Vr,c` down from it.
///
/// ```
/// use doublecross_core::board::Position;
/// let position: Position = "1x2 H0,0 H1,0 V0,0 V0,1 H0,1".parse()?;
/// assert_eq!(position.to_string(), "+---+---+\n| 1 |    \n+---+   +\n");
/// assert_eq!(format!("{position:#}"), "    0   1   2\n0   +---+---+\n    | 1 |    \n1   +---+   +\n");
/// # Ok::<(), doublecross_core::board::TextError>(())
/// ```
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let board = self.board();
        let is_drawn = |edge| self.drawn().contains(edge);
        let has_numbers = f.alternate();
        if has_numbers {
            let numbers: Vec<String> = (0..=board.cols()).map(|col| format!("{col:<4}")).collect();
            writeln!(f, "    {}", numbers.concat().trim_end())?;
        }
        for row in 0..=board.rows() {
            if has_numbers {
                write!(f, "{row:<4}")?;
            }
            for col in 0..board.cols() {
                let drawn = board.horizontal(row, col).is_some_and(is_drawn);
                write!(f, "+{}", if drawn { "---" } else { "   " })?;
            }
            writeln!(f, "+")?;
            if row == board.rows() {
                return Ok(());
            }
            if has_numbers {
                f.write_str("    ")?;
            }
            for col in 0..=board.cols() {
                let drawn = board.vertical(row, col).is_some_and(is_drawn);
                write!(f, "{}", if drawn { '|' } else { ' ' })?;
                if col < board.cols() {
                    let box_index = row * board.cols() + col;
                    let mark = match self.owner(box_index) {
                        Some(seat) => char::from(b'0' + seat as u8),
                        None if self.state().is_closed(box_index) => '#',
                        None => ' ',
                    };
                    write!(f, " {mark} ")?;
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
