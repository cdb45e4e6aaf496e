//! The text of a lemma: one line of a log.

use thiserror::Error;

use doublecross_core::board::State;
use doublecross_core::solver::{Bounds, Lemma};

/// The error of a line that is not a lemma.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LineError {
    /// The line has too few or too many parts.
    #[error("expected `POSITION LOWER..UPPER NODES CHECKSUM`")]
    Form,
    /// The checksum is not that of the line.
    #[error("the line is damaged: its checksum is {expected:08x}")]
    Checksum {
        /// The checksum of the line.
        expected: u32,
    },
    /// The position cannot be read, or has boxes on offer.
    #[error("expected a position without boxes on offer: {reason}")]
    Position {
        /// The fault.
        reason: String,
    },
    /// The bounds are not bounds of a margin of the position.
    #[error("no margin of {boxes} open boxes lies from {lower} to {upper}")]
    Bounds {
        /// The number of open boxes.
        boxes: usize,
        /// The lower bound.
        lower: i32,
        /// The upper bound.
        upper: i32,
    },
}

/// Formats a lemma as a line without a line feed: the position, the bounds, the number of nodes and
/// a checksum.
///
/// ```
/// use doublecross_proof::{format_lemma, parse_lemma};
/// use doublecross_core::solver::{Bounds, Lemma};
/// let lemma = Lemma { state: "2x2".parse()?, bounds: Bounds::new(2, 4), nodes: 30 };
/// assert_eq!(format_lemma(&lemma), "2x2:0x0 2..4 30 005129f3");
/// assert_eq!(parse_lemma(&format_lemma(&lemma))?, lemma);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn format_lemma(lemma: &Lemma) -> String {
    let Lemma { state, bounds: Bounds { lower, upper }, nodes } = lemma;
    let text = format!("{state} {lower}..{upper} {nodes}");
    format!("{text} {:08x}", checksum(&text))
}

/// Parses a line that [`format_lemma`] made.
///
/// # Errors
/// Returns an error if the line is damaged, or is not a lemma.
pub fn parse_lemma(line: &str) -> Result<Lemma, LineError> {
    let (text, check) = line.rsplit_once(' ').ok_or(LineError::Form)?;
    let mut parts = text.split(' ');
    let (Some(position), Some(bounds), Some(nodes), None) = (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(LineError::Form);
    };
    let expected = checksum(text);
    if check != format!("{expected:08x}") {
        return Err(LineError::Checksum { expected });
    }
    let state: State = position
        .parse()
        .map_err(|error: doublecross_core::board::TextError| LineError::Position { reason: error.to_string() })?;
    if !state.is_capture_free() {
        return Err(LineError::Position { reason: format!("{state} has some") });
    }
    let (lower, upper) = bounds.split_once("..").ok_or(LineError::Form)?;
    let (lower, upper) = (lower.parse().map_err(|_| LineError::Form)?, upper.parse().map_err(|_| LineError::Form)?);
    let boxes = state.open_boxes();
    let is_margin = |bound: i32| {
        bound.unsigned_abs() as usize <= boxes && (bound.unsigned_abs() as usize + boxes).is_multiple_of(2)
    };
    if !is_margin(lower) || !is_margin(upper) || lower > upper {
        return Err(LineError::Bounds { boxes, lower, upper });
    }
    let nodes = nodes.parse().map_err(|_| LineError::Form)?;
    Ok(Lemma { state, bounds: Bounds::new(lower, upper), nodes })
}

/// Returns the CRC-32 of a text.
fn checksum(text: &str) -> u32 {
    crc32fast::hash(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use doublecross_core::board::{Board, Edges};
    use proptest::prelude::*;

    fn sealed(text: &str) -> String {
        format!("{text} {:08x}", checksum(text))
    }

    #[test]
    fn lines_that_are_no_lemmas_are_refused() {
        for line in [
            "",
            "2x2:0x0 2..4 30",
            &sealed("2x2:0x0 2..4 30 7"),
            &sealed("2x2:0x0 2-4 30"),
            &sealed("2x2:0x0 2..4 -1"),
            &sealed("2x2:0x0 2..4 x"),
        ] {
            assert!(matches!(parse_lemma(line), Err(LineError::Form)), "{line}");
        }
        for line in ["2x2:0x0 2..4 30 00000000", "2x2:0x0 2..4 30 005129F3"] {
            assert!(matches!(parse_lemma(line), Err(LineError::Checksum { expected: 0x0051_29f3 })), "{line}");
        }
        for text in ["10x10:0x0 2..4 30", "2x2:0x45 2..4 30"] {
            assert!(matches!(parse_lemma(&sealed(text)), Err(LineError::Position { .. })), "{text}");
        }
        for bounds in ["1..4", "2..6", "4..2", "-2147483648..2"] {
            let error = parse_lemma(&sealed(&format!("2x2:0x0 {bounds} 30")));
            assert!(matches!(error, Err(LineError::Bounds { boxes: 4, .. })), "{bounds}: {error:?}");
        }
    }

    proptest! {
        #[test]
        fn lemmas_survive_as_text(word: u64, nodes: u64, low in 0usize..20, wide in 0usize..20) {
            let board = Board::new(4, 5).unwrap();
            let drawn = Edges::from_bytes(&word.to_le_bytes()).intersection(board.all());
            let state = State::from_drawn(board, drawn).offer().rest;
            let boxes = state.open_boxes() as i32;
            let lower = -boxes + 2 * (low as i32).min(boxes);
            let bounds = Bounds::new(lower, (lower + 2 * wide as i32).min(boxes));
            let lemma = Lemma { state, bounds, nodes };
            prop_assert_eq!(parse_lemma(&format_lemma(&lemma)), Ok(lemma));
        }

        /// No change of a byte goes unnoticed.
        #[test]
        fn a_changed_byte_is_found(at in 0usize..24, byte: u8) {
            let line = format_lemma(&Lemma { state: "2x2".parse().unwrap(), bounds: Bounds::new(2, 4), nodes: 30 });
            let mut bytes = line.clone().into_bytes();
            prop_assume!(bytes[at] != byte);
            bytes[at] = byte;
            if let Ok(text) = String::from_utf8(bytes) {
                prop_assert!(parse_lemma(&text).is_err(), "{text}");
            }
        }

        #[test]
        fn any_text_is_read_without_a_panic(text in ".{0,60}") {
            let _ = parse_lemma(&text);
            let _ = parse_lemma(&sealed(&text));
        }
    }
}
