//! Training samples: from an item of self-play to a batch of the learner.

pub(crate) mod bytes;
pub(crate) mod costs;
pub(crate) mod data_set;
pub(crate) mod kinds;
pub(crate) mod part;
pub(crate) mod part_file;
pub(crate) mod part_storage;
pub(crate) mod played_item;
pub(crate) mod sample;
pub(crate) mod shard;
pub(crate) mod window;
