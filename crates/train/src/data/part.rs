//! A part of a generation: some of its items, played, as a worker hands them in.
//!
//! A part is little-endian: the magic `DXPART01`, the id of the orders, the generation (u64), the
//! number of items (u32), the items, and a checksum. An item is its number, the number of its
//! samples (u32), its costs (seven numbers, u64; times in microseconds), and its samples.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use crate::data::bytes::{Unparsed, write_sample};
use crate::data::costs::Costs;
use crate::selfplay::game::Player;
use crate::selfplay::session::Session;
use crate::{Orders, Sample};
use doublecross_core::board::Board;
use doublecross_core::net::checksum;

const MAGIC: &[u8; 8] = b"DXPART01";

/// The bytes of an item without samples.
const ITEM_BYTES: usize = 4 + 4 + 7 * 8;

/// The most samples of one item.
const MAX_SAMPLES: usize = 4096;

/// The largest count and the most microseconds of one item, so that no sum of them overflows.
const MAX_COST: u64 = 1 << 40;

/// The samples of an item, and its cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Played {
    /// The samples.
    pub samples: Vec<Sample>,
    /// The cost.
    pub costs: Costs,
}

impl Played {
    /// Returns the number of bytes that the item has in a part.
    pub fn bytes(&self) -> usize {
        let sample = |sample: &Sample| {
            sample.state.board().edge_bytes() + 4 + 3 * sample.policy.len() + 2 * sample.edge_margins.len()
        };
        ITEM_BYTES + self.samples.iter().map(sample).sum::<usize>()
    }

    /// Returns a checksum of the samples and of the counts that do not depend on the machine, by
    /// which two machines' answers are compared.
    ///
    /// It can be forged. See [`Played::keyed_digest`].
    pub fn digest(&self) -> u64 {
        checksum(&self.comparable_bytes())
    }

    /// Returns a digest of the same that cannot be forged by whoever does not know the key.
    pub fn keyed_digest(&self, key: &RandomState) -> u64 {
        key.hash_one(self.comparable_bytes())
    }

    /// The bytes of what does not depend on the machine.
    fn comparable_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for count in [self.costs.searches, self.costs.evaluations] {
            bytes.extend(count.to_le_bytes());
        }
        for sample in &self.samples {
            write_sample(&mut bytes, sample);
        }
        bytes
    }
}

/// Some items of a generation with their numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The id of the orders.
    pub orders: u64,
    /// The generation.
    pub generation: u64,
    /// The items, each with its number.
    pub items: Vec<(u32, Played)>,
}

impl Part {
    /// Plays items of these orders on the calling thread.
    ///
    /// # Panics
    /// Panics if this processor lacks the orders' instruction set.
    pub fn play(orders: Orders, items: &[u32]) -> Part {
        let session = Arc::new(Session::on_cpu(orders));
        let mut player = Player::new(session.clone());
        let items = items.iter().map(|&item| (item, player.play(item))).collect();
        Part { orders: session.sealed.id, generation: session.orders.generation, items }
    }

    /// Returns the generation of a part, which says what board it is on.
    ///
    /// # Errors
    /// Returns an error if the bytes are no part. They may be damaged nevertheless.
    pub fn generation_of(bytes: &[u8]) -> Result<u64, &'static str> {
        let mut unparsed = Unparsed(bytes.strip_prefix(MAGIC).ok_or("it does not begin with DXPART01")?);
        unparsed.number(8)?;
        unparsed.number(8)
    }

    /// Returns the part as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(self.orders.to_le_bytes());
        bytes.extend(self.generation.to_le_bytes());
        bytes.extend((self.items.len() as u32).to_le_bytes());
        for (item, Played { samples, costs }) in &self.items {
            bytes.extend(item.to_le_bytes());
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
        bytes.extend(checksum(&bytes).to_le_bytes());
        bytes
    }

    /// Reads a part of a generation on this board, with `most` items in all.
    ///
    /// # Errors
    /// Returns the fault of bytes that are no such part.
    pub fn from_bytes(bytes: &[u8], board: Board, most: u32) -> Result<Part, &'static str> {
        let body = bytes.strip_prefix(MAGIC).ok_or("it does not begin with DXPART01")?;
        let (body, sum) = body.split_last_chunk::<8>().ok_or("it is cut short")?;
        if checksum(&bytes[..bytes.len() - 8]).to_le_bytes() != *sum {
            return Err("the checksum does not match");
        }
        let mut unparsed = Unparsed(body);
        let (orders, generation) = (unparsed.number(8)?, unparsed.number(8)?);
        let count = unparsed.count(4, ITEM_BYTES)?;
        let mut items = Vec::with_capacity(count);
        for _ in 0..count {
            let (item, samples) = (unparsed.number(4)? as u32, unparsed.number(4)? as usize);
            if item >= most || samples > MAX_SAMPLES {
                return Err("it holds an item that the generation does not have");
            }
            let mut number = || match unparsed.number(8) {
                Ok(number) if number > MAX_COST => Err("a cost is too large"),
                number => number,
            };
            let (searches, evaluations, computed) = (number()?, number()?, number()?);
            let mut time = || number().map(Duration::from_micros);
            let (total, network, solver, leaves) = (time()?, time()?, time()?, time()?);
            let costs = Costs { searches, evaluations, computed, total, network, solver, leaves };
            let samples = (0..samples).map(|_| unparsed.sample(board, true)).collect::<Result<_, _>>()?;
            items.push((item, Played { samples, costs }));
        }
        if !unparsed.0.is_empty() {
            return Err("it is too long");
        }
        Ok(Part { orders, generation, items })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use doublecross_core::board::{Edge, State};

    #[test]
    fn a_part_is_read_back_and_damage_is_found() {
        let board = Board::new(2, 2).unwrap();
        let policy = Sample::quantise([(Edge::new(3), 0.25), (Edge::new(5), 0.75)]);
        let sample = Sample { state: State::new(board), margin: -2, is_exact: false, policy, edge_margins: Vec::new() };
        let costs = Costs { searches: 3, evaluations: 70, total: Duration::from_micros(1234), ..Costs::default() };
        let items = vec![(4, Played { samples: vec![sample; 3], costs }), (7, Played::default())];
        let part = Part { orders: 5, generation: 2, items };
        let bytes = part.to_bytes();
        assert_eq!(bytes.len(), 8 + 8 + 8 + 4 + 8 + part.items.iter().map(|(_, played)| played.bytes()).sum::<usize>());
        assert_eq!(Part::from_bytes(&bytes, board, 8), Ok(part.clone()));
        assert!(Part::from_bytes(&bytes, board, 7).is_err());
        assert!(Part::from_bytes(&bytes, Board::new(1, 1).unwrap(), 8).is_err());
        for at in 0..bytes.len() {
            assert!(Part::from_bytes(&bytes[..at], board, 8).is_err());
            let mut damaged = bytes.clone();
            damaged[at] ^= 4;
            assert!(Part::from_bytes(&damaged, board, 8).is_err(), "byte {at}");
        }
        assert_ne!(part.items[0].1.digest(), part.items[1].1.digest());
    }
}
