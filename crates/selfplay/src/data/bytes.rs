//! Samples as bytes, as they stand in shards and in the parts that workers hand in, and a reader
//! that never reads past their end.
//!
//! All numbers are little-endian. A sample is its drawn edges, what is known of the margin (0: that
//! of the game's end, 1: proved, 2: proved bounds), the lowest and the highest margin, the number of
//! policy entries and the edge and weight of each, then the number of known edge
//! values and the edge and margin of each.

use crate::{MarginTarget, Sample};
use doublecross_core::board::{Board, Edge, Edges, MAX_EDGES, State};
use doublecross_core::net::checksum;

/// The fault of bytes with a sample that no game can give.
pub(crate) const IMPOSSIBLE: &str = "a sample is impossible on its board";

/// The kinds of margins in samples.
const PLAYED: u8 = 0;
const EXACT: u8 = 1;
const WITHIN: u8 = 2;

/// Appends a sample.
pub(crate) fn write_sample(bytes: &mut Vec<u8>, sample: &Sample) {
    sample.state.drawn().write(sample.state.board(), bytes);
    let kind = match sample.margin {
        MarginTarget::Played(_) => PLAYED,
        MarginTarget::Exact(_) => EXACT,
        MarginTarget::Within(..) => WITHIN,
    };
    let (lower, upper) = sample.margin.range();
    bytes.extend([kind, lower as u8, upper as u8, sample.policy.len() as u8]);
    for (edge, weight) in &sample.policy {
        bytes.push(edge.index() as u8);
        bytes.extend(weight.to_le_bytes());
    }
    bytes.push(sample.edge_margins.len() as u8);
    for (edge, margin) in &sample.edge_margins {
        bytes.extend([edge.index() as u8, *margin as u8]);
    }
}

/// Appends the checksum of all bytes, by which [`Unparsed::sealed`] knows that they are whole.
pub(crate) fn seal(bytes: &mut Vec<u8>) {
    bytes.extend(checksum(bytes).to_le_bytes());
}

/// Bytes that have not been parsed yet.
pub(crate) struct Unparsed<'a>(pub &'a [u8]);

impl<'a> Unparsed<'a> {
    /// Returns what stands between the magic bytes, without which the fault is `foreign`, and the checksum.
    pub fn sealed(bytes: &'a [u8], magic: &[u8], foreign: &'static str) -> Result<Unparsed<'a>, &'static str> {
        let rest = bytes.strip_prefix(magic).ok_or(foreign)?;
        let (body, sum) = rest.split_last_chunk::<8>().ok_or("it is cut short")?;
        if checksum(&bytes[..bytes.len() - 8]).to_le_bytes() != *sum {
            return Err("the checksum does not match");
        }
        Ok(Unparsed(body))
    }

    /// Checks that all bytes were parsed.
    pub fn end(self) -> Result<(), &'static str> {
        if self.0.is_empty() { Ok(()) } else { Err("it is too long") }
    }

    /// Takes so many bytes.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], &'static str> {
        let (head, tail) = self.0.split_at_checked(count).ok_or("it is cut short")?;
        self.0 = tail;
        Ok(head)
    }

    /// Takes a number of so many bytes.
    pub fn number(&mut self, bytes: usize) -> Result<u64, &'static str> {
        Ok(self.take(bytes)?.iter().rev().fold(0, |number, &byte| number << 8 | byte as u64))
    }

    /// Takes a count of things that have at least `least` bytes each, of which there are not more
    /// than the bytes that are left can hold.
    pub fn count(&mut self, bytes: usize, least: usize) -> Result<usize, &'static str> {
        let count = self.number(bytes)?;
        if count.saturating_mul(least as u64) <= self.0.len() as u64 {
            Ok(count as usize)
        } else {
            Err("it is cut short")
        }
    }

    /// Takes the index of an edge.
    fn edge(&mut self) -> Result<Edge, &'static str> {
        let index = self.number(1)? as usize;
        if index < MAX_EDGES { Ok(Edge::new(index)) } else { Err("a sample names an edge that no board has") }
    }

    /// Takes a state of this board.
    pub fn state(&mut self, board: Board) -> Result<State, &'static str> {
        let drawn = Edges::from_bytes(self.take(board.edge_bytes())?);
        State::checked(board, drawn).ok_or(IMPOSSIBLE)
    }

    /// Takes a sample.
    pub fn sample(&mut self, board: Board) -> Result<Sample, &'static str> {
        let state = self.state(board)?;
        let (kind, lower, upper) = (self.number(1)? as u8, self.number(1)? as u8 as i8, self.number(1)? as u8 as i8);
        let margin = match kind {
            PLAYED if lower == upper => MarginTarget::Played(lower),
            EXACT if lower == upper => MarginTarget::Exact(lower),
            WITHIN if lower < upper => MarginTarget::Within(lower, upper),
            _ => return Err(IMPOSSIBLE),
        };
        let entries = self.number(1)?;
        let mut policy = Vec::new();
        for _ in 0..entries {
            policy.push((self.edge()?, self.number(2)? as u16));
        }
        let mut edge_margins = Vec::new();
        let entries = self.number(1)?;
        for _ in 0..entries {
            edge_margins.push((self.edge()?, self.number(1)? as u8 as i8));
        }
        let sample = Sample { state, margin, policy, edge_margins };
        if sample.is_possible() { Ok(sample) } else { Err(IMPOSSIBLE) }
    }
}
