//! The games that a network is trained on: what they follow from, how they are played, and the
//! training samples that come of them.
//!
//! [`Orders`] is the type to start with: all that the games of a generation follow from. An
//! [`ItemPlayer`] plays them, an [`Exchange`] hands them out to players and collects what they
//! played, and a [`Shard`] keeps the samples. Workers on other machines need this crate and not the
//! trainer: nothing here knows burn, and nothing prints.

#![deny(clippy::print_stderr, clippy::print_stdout)]

mod data;
mod play;

pub use data::costs::Costs;
pub use data::data_set::{DataSet, DataSetError};
pub use data::kinds::{Kind, Kinds};
pub use data::part::Part;
pub use data::part_file::PartFile;
pub use data::part_storage::PartStorage;
pub use data::played_item::{Origin, PlayedItem};
pub use data::sample::{MarginTarget, Sample};
pub use data::shard::{Shard, ShardError};
pub use data::window::{Place, Window};
pub use play::exchange::{Collected, Exchange, GenerationProgress, Pace, Receipt, play_all};
pub use play::finished_items::FinishedItems;
pub use play::item_player::ItemPlayer;
pub use play::labeled::label_positions;
pub use play::orders::{MAX_ORDERS, Orders, OrdersError, SealedOrders};
pub use play::session::{Inference, Session};
