//! Self-play: orders, the games that follow from them, and the exchange between players and learner.

pub(crate) mod exact;
pub(crate) mod exchange;
pub(crate) mod finished_items;
pub(crate) mod item_player;
pub(crate) mod labeled;
pub(crate) mod orders;
pub(crate) mod session;
pub(crate) mod timed;
