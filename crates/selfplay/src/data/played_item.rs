//! An item of a generation, played: from the player through the exchange to the shard, this is the one
//! form that it has.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use doublecross_core::net::checksum;

use crate::Sample;
use crate::data::bytes::write_sample;
use crate::data::costs::Costs;

/// The player of an item.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// This process, or one that worked on the run before.
    #[default]
    Here,
    /// The worker of this name.
    Worker(Arc<str>),
}

/// An item of a generation, played: a game of self-play, or a labeled position.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlayedItem {
    /// The number of the item.
    pub number: u32,
    /// The samples.
    pub samples: Vec<Sample>,
    /// The cost.
    pub costs: Costs,
    /// The one that played it.
    pub origin: Origin,
}

impl PlayedItem {
    /// Returns a checksum of the samples and of the counts that do not depend on the machine, by
    /// which two machines' answers are compared.
    ///
    /// It can be forged. See [`PlayedItem::keyed_digest`].
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
