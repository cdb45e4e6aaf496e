//! A part of a generation as bytes: some of its items, as a worker sends them and a kill finds them
//! saved.
//!
//! A part is little-endian: the magic `DXPART02`, the id of the orders, the generation (u64), the
//! number of items (u32), the items, and a checksum. An item is its number, the number of its
//! samples (u32), its costs (seven numbers, u64; times in microseconds), and its samples.

use std::time::Duration;

use crate::Sample;
use crate::data::bytes::{Unparsed, seal, write_sample};
use crate::data::costs::Costs;
use crate::data::played_item::{Origin, PlayedItem};
use doublecross_core::board::Board;

const MAGIC: &[u8; 8] = b"DXPART02";

/// The bytes of an item without samples.
const ITEM_BYTES: usize = 4 + 4 + 7 * 8;

/// The most samples of one item.
const MAX_SAMPLES: usize = 4096;

/// The largest count and the most microseconds of one item, so that no sum of them overflows.
const MAX_COST: u64 = 1 << 40;

impl PlayedItem {
    /// Returns the number of bytes that the item has in a part.
    pub fn bytes(&self) -> usize {
        let sample = |sample: &Sample| {
            sample.state.board().edge_bytes() + 5 + 3 * sample.policy.len() + 2 * sample.edge_margins.len()
        };
        ITEM_BYTES + self.samples.iter().map(sample).sum::<usize>()
    }
}

/// Some items of a generation. Their bytes do not say who played them.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The id of the orders.
    pub orders: u64,
    /// The generation.
    pub generation: u64,
    /// The items.
    pub items: Vec<PlayedItem>,
}

impl Part {
    /// Returns the generation of a part, which says what board it is on.
    ///
    /// # Errors
    /// Returns an error if the bytes are no part. They may be damaged nevertheless.
    pub fn generation_of(bytes: &[u8]) -> Result<u64, &'static str> {
        let mut unparsed = Unparsed(bytes.strip_prefix(MAGIC).ok_or("it does not begin with DXPART02")?);
        unparsed.number(8)?;
        unparsed.number(8)
    }

    /// Returns the part as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(self.orders.to_le_bytes());
        bytes.extend(self.generation.to_le_bytes());
        bytes.extend((self.items.len() as u32).to_le_bytes());
        for PlayedItem { number, samples, costs, .. } in &self.items {
            bytes.extend(number.to_le_bytes());
            bytes.extend((samples.len() as u32).to_le_bytes());
            let Costs { searches, evaluations, computed, total, network, solver, leaves } = *costs;
            let times = [total, network, solver, leaves].map(|time| time.as_micros() as u64);
            for number in [searches, evaluations, computed].iter().chain(&times) {
                bytes.extend(number.to_le_bytes());
            }
            for sample in samples {
                write_sample(&mut bytes, sample);
            }
        }
        seal(&mut bytes);
        bytes
    }

    /// Reads a part of a generation on this board, with `most` items in all.
    ///
    /// # Errors
    /// Returns the fault of bytes that are no such part.
    pub fn from_bytes(bytes: &[u8], board: Board, most: u32) -> Result<Part, &'static str> {
        let mut unparsed = Unparsed::sealed(bytes, MAGIC, "it does not begin with DXPART02")?;
        let (orders, generation) = (unparsed.number(8)?, unparsed.number(8)?);
        let count = unparsed.count(4, ITEM_BYTES)?;
        let mut items = Vec::with_capacity(count);
        for _ in 0..count {
            let (number, samples) = (unparsed.number(4)? as u32, unparsed.number(4)? as usize);
            if number >= most || samples > MAX_SAMPLES {
                return Err("it holds an item that the generation does not have");
            }
            let mut cost = || match unparsed.number(8) {
                Ok(cost) if cost > MAX_COST => Err("a cost is too large"),
                cost => cost,
            };
            let (searches, evaluations, computed) = (cost()?, cost()?, cost()?);
            let mut time = || cost().map(Duration::from_micros);
            let (total, network, solver, leaves) = (time()?, time()?, time()?, time()?);
            let costs = Costs { searches, evaluations, computed, total, network, solver, leaves };
            let samples = (0..samples).map(|_| unparsed.sample(board)).collect::<Result<_, _>>()?;
            items.push(PlayedItem { number, samples, costs, origin: Origin::Here });
        }
        unparsed.end()?;
        Ok(Part { orders, generation, items })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MarginTarget;
    use doublecross_core::board::{Edge, State};

    #[test]
    fn a_part_is_read_back_and_damage_is_found() {
        let board = Board::new(2, 2).unwrap();
        let policy = Sample::quantize([(Edge::new(3), 0.25), (Edge::new(5), 0.75)]);
        let sample =
            Sample { state: State::new(board), margin: MarginTarget::Within(-2, 0), policy, edge_margins: Vec::new() };
        let costs = Costs { searches: 3, evaluations: 70, total: Duration::from_micros(1234), ..Costs::default() };
        let items = vec![
            PlayedItem { number: 4, samples: vec![sample; 3], costs, origin: Origin::Here },
            PlayedItem { number: 7, ..PlayedItem::default() },
        ];
        let part = Part { orders: 5, generation: 2, items };
        let bytes = part.to_bytes();
        assert_eq!(bytes.len(), 8 + 8 + 8 + 4 + 8 + part.items.iter().map(PlayedItem::bytes).sum::<usize>());
        assert_eq!(Part::from_bytes(&bytes, board, 8), Ok(part.clone()));
        assert!(Part::from_bytes(&bytes, board, 7).is_err());
        assert!(Part::from_bytes(&bytes, Board::new(1, 1).unwrap(), 8).is_err());
        for at in 0..bytes.len() {
            assert!(Part::from_bytes(&bytes[..at], board, 8).is_err());
            let mut damaged = bytes.clone();
            damaged[at] ^= 4;
            assert!(Part::from_bytes(&damaged, board, 8).is_err(), "byte {at}");
        }
        assert_ne!(part.items[0].digest(), part.items[1].digest());
    }
}
