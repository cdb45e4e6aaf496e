//! Games that were typed as several arguments.

use doublecross_core::board::Board;
use doublecross_core::shell::shell_word;

/// Returns the message about a game whose moves stand behind its board as arguments of their own, or `None` if there is
/// none among `arguments`, the program's own name apart.
pub(crate) fn split_game(arguments: impl Iterator<Item = String>) -> Option<String> {
    let mut words: Vec<String> = Vec::new();
    let (mut board, mut first_move): (Option<usize>, Option<String>) = (None, None);
    for argument in arguments {
        match board {
            Some(board) if is_move(&argument) => {
                words[board] += &format!(" {argument}");
                first_move.get_or_insert(argument);
            }
            _ => {
                if is_game(&argument) {
                    board = Some(words.len());
                }
                words.push(argument);
            }
        }
    }
    let words: Vec<String> = words.iter().map(shell_word).collect();
    Some(format!(
        "{} is not a position: a game is one argument, in quotes (doublecross {})",
        shell_word(first_move?),
        words.join(" ")
    ))
}

/// Returns `true` for a board, and for a board with moves behind it.
fn is_game(word: &str) -> bool {
    word.split(' ').next().is_some_and(|board| board.parse::<Board>().is_ok())
}

/// Returns `true` for a word with the form of a move, as in H0,0, or of players' moves, as in b11d9 and a6-b6.
fn is_move(word: &str) -> bool {
    if let [b'a'..=b'z', b'0'..=b'9', ..] = word.as_bytes() {
        return word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b','));
    }
    let number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let place = word.strip_prefix(['H', 'V', 'h', 'v']);
    place.and_then(|place| place.split_once(',')).is_some_and(|(row, col)| number(row) && number(col))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_moves_are_put_behind_their_board() {
        let command = |words: &str| {
            let message = split_game(words.split('|').map(String::from))?;
            Some(message.split_once("(doublecross ")?.1.trim_end_matches(')').to_string())
        };
        for (words, expected) in [
            ("solve|3x3|H0,0", "solve '3x3 H0,0'"),
            ("solve|--moves|3x3 V1,2|H0,0|--seconds|5|H0,1", "solve --moves '3x3 V1,2 H0,0 H0,1' --seconds 5"),
            ("solve|2x2|b5a4|c2", "solve '2x2 b5a4 c2'"),
            ("solve|2x2|H0,0|3x3|H1,1|-q", "solve '2x2 H0,0' '3x3 H1,1' -q"),
        ] {
            assert_eq!(command(words).as_deref(), Some(expected));
        }
        for words in ["solve|3x3", "solve|H0,0|3x3", "solve|2x2 H0,0|2x2:0x1", "match|greedy|level:3"] {
            assert_eq!(command(words), None, "{words}");
        }
    }
}
