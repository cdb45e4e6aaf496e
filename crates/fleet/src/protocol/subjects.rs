//! The names of streams, consumers and subjects, each spelled here and nowhere else.
//!
//! Subjects with a machine's name in them are what permissions are given for
//! (`server_config.rs`).

use crate::MachineName;

/// The stream of orders: one message of each subject, which workers read directly.
pub const ORDERS: &str = "ORDERS";

/// The subjects of [`ORDERS`].
pub const ORDERS_SUBJECTS: &str = "doublecross.orders.>";

/// The stream of parcels, a work queue.
pub const PLAY: &str = "PLAY";

/// The subjects of [`PLAY`].
pub const PLAY_SUBJECTS: &str = "doublecross.play.>";

/// The durable consumer of [`PLAY`] that all workers pull from.
pub const PLAY_CONSUMER: &str = "workers";

/// The stream of what workers hand in, a work queue.
pub const RESULTS: &str = "RESULTS";

/// The subjects of [`RESULTS`].
pub const RESULTS_SUBJECTS: &str = "doublecross.result.>";

/// The durable consumer of [`RESULTS`] that the coordinator pulls from.
pub const RESULTS_CONSUMER: &str = "coordinator";

/// The coordinator's broadcast.
pub const NOW: &str = "doublecross.now";

/// The subject on which an observer asks the coordinator for the state of the run.
pub const STATUS: &str = "doublecross.status";

/// The heartbeats of all workers.
pub const HELLO_SUBJECTS: &str = "doublecross.hello.*";

/// Returns the subject of an order. `name` is one or more tokens, joined by dots.
pub fn orders(name: &str) -> String {
    format!("doublecross.orders.{name}")
}

/// Returns the subject of a parcel. `name` is one or more tokens, joined by dots.
pub fn play(name: &str) -> String {
    format!("doublecross.play.{name}")
}

/// Returns the subject that a worker hands in on.
pub fn result(worker: &MachineName) -> String {
    format!("doublecross.result.{worker}")
}

/// Returns the subject of a worker's heartbeat.
pub fn hello(worker: &MachineName) -> String {
    format!("doublecross.hello.{worker}")
}

/// The beginning of all subjects on which machines get answers.
pub const INBOXES: &str = "_INBOX.";

/// Returns the prefix of the subjects on which a machine gets answers.
pub fn inbox(machine: &MachineName) -> String {
    format!("{INBOXES}{machine}")
}
