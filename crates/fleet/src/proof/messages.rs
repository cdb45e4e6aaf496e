//! The messages of a proof's machines, beside lemmas as lines.

use serde::{Deserialize, Serialize};

use crate::protocol::messages::{Id, Limited, MAX_BANNED, read, write};
use doublecross_core::board::{Board, State};
use doublecross_core::solver::Lemma;
use doublecross_proof::{Question, format_lemma, parse_lemma};

/// The most bytes of a batch of lemmas, below what the server takes.
pub const BATCH_BYTES: usize = 384 << 10;

/// The most assignments that are broadcast as not wanted any more.
pub const MAX_CLOSED: usize = 256;

/// The coordinator's broadcast.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProofNow {
    /// The number of the proof. It changes when lemmas that were shared are taken back, so that
    /// workers forget what they know.
    pub proof: Id,
    /// The board.
    pub board: String,
    /// The first batch of lemmas on the server. Those before it were lost, and came again behind.
    pub first_batch: u32,
    /// The number of batches so far.
    pub batches: u32,
    /// The number of nodes from which results are handed in.
    pub least_nodes: u64,
    /// The numbers of the last assignments that are not wanted any more.
    pub closed: Vec<u64>,
    /// `true` once the proof has ended.
    pub has_ended: bool,
    /// The names of workers that nothing is taken from any more.
    pub banned: Vec<String>,
}

/// A question for one worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assignment {
    /// The proof.
    pub proof: Id,
    /// The number of the assignment.
    pub number: u64,
    /// The state of the question.
    pub state: String,
    /// The target of the question.
    pub target: i32,
    /// The budget, in nodes.
    pub nodes: u64,
}

/// The head of what a worker hands in, before its lemmas.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportHead {
    /// The proof.
    pub proof: Id,
    /// The number of the assignment.
    pub number: u64,
    /// The nodes of the assignment so far.
    pub nodes: u64,
    /// The answer, if it is known.
    pub answer: Option<bool>,
    /// `true` for the last report of an assignment.
    pub is_last: bool,
}

impl Limited for ProofNow {
    fn check(&self) -> Result<(), &'static str> {
        let is_sound =
            self.board.parse::<Board>().is_ok() && self.banned.len() <= MAX_BANNED && self.closed.len() <= MAX_CLOSED;
        if is_sound { Ok(()) } else { Err("expected a board, and at most 1000 banned workers and 256 assignments") }
    }
}

impl Limited for Assignment {
    fn check(&self) -> Result<(), &'static str> {
        self.question().map(drop).ok_or("expected a position without boxes on offer")
    }
}

impl Limited for ReportHead {
    fn check(&self) -> Result<(), &'static str> {
        Ok(())
    }
}

impl Assignment {
    /// Returns the question, or `None` if the state is none.
    pub fn question(&self) -> Option<Question> {
        let state: State = self.state.parse().ok()?;
        state.is_capture_free().then_some(Question { state, target: self.target })
    }
}

/// Returns `true` if these bytes are the broadcast of a proof that has not ended.
pub fn is_proof(bytes: &[u8]) -> bool {
    read::<ProofNow>(bytes).is_ok_and(|now| !now.has_ended)
}

/// Writes lemmas as lines.
pub fn lemma_lines(lemmas: &[Lemma]) -> String {
    lemmas.iter().map(|lemma| format_lemma(lemma) + "\n").collect()
}

/// Reads lines of lemmas of a board.
///
/// # Errors
/// Returns an error if one is none.
pub fn read_lemmas(bytes: &[u8], board: Board) -> Result<Vec<Lemma>, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
    let read = |line: &str| match parse_lemma(line) {
        Ok(lemma) if lemma.state.board() == board => Ok(lemma),
        Ok(lemma) => Err(format!("{} is not a position of {board}", lemma.state)),
        Err(error) => Err(error.to_string()),
    };
    text.lines().map(read).collect()
}

/// Writes a report.
pub fn report(head: &ReportHead, lemmas: &[Lemma]) -> Vec<u8> {
    let mut bytes = write(head);
    bytes.push(b'\n');
    bytes.extend(lemma_lines(lemmas).into_bytes());
    bytes
}

/// Reads a report.
///
/// # Errors
/// Returns an error if it is none, or has a line that is not a lemma of the board.
pub fn read_report(bytes: &[u8], board: Board) -> Result<(ReportHead, Vec<Lemma>), String> {
    let end = bytes.iter().position(|&byte| byte == b'\n').ok_or("expected a line and lemmas")?;
    Ok((read(&bytes[..end])?, read_lemmas(&bytes[end + 1..], board)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use doublecross_core::solver::Bounds;
    use proptest::prelude::*;

    #[test]
    fn reports_are_read_back() {
        let board = Board::new(2, 2).unwrap();
        let head = ReportHead { proof: Id(1), number: 2, nodes: 3, answer: Some(true), is_last: false };
        let lemma = Lemma { state: State::new(board), bounds: Bounds::new(2, 4), nodes: 30 };
        let bytes = report(&head, &[lemma, lemma]);
        assert_eq!(read_report(&bytes, board), Ok((head.clone(), vec![lemma, lemma])));
        assert!(read_report(&bytes, Board::new(2, 3).unwrap()).unwrap_err().contains("not a position of 2x3"));
        assert!(read_report(&bytes[..bytes.len() - 2], board).is_err());
        let assignment = |state: &str| Assignment { proof: Id(1), number: 2, state: state.into(), target: 0, nodes: 9 };
        assert!(read::<Assignment>(&write(&assignment("2x2:0x1"))).is_ok());
        assert!(read::<Assignment>(&write(&assignment("2x2:0x45"))).is_err());
        assert!(read::<Assignment>(&write(&assignment("../x"))).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_message_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = (read::<ProofNow>(&bytes), read::<Assignment>(&bytes), read_report(&bytes, Board::new(4, 5).unwrap()));
        }
    }
}
