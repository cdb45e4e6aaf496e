//! What a worker's decisions ask of the world: the server, the threads that play, its user.

use std::time::Duration;

use super::players::Assignment;
use super::worker::WorkerEvent;
use crate::protocol::messages::{CanaryGames, Hello, Id};
use doublecross_selfplay::Orders;

/// A request of a worker's decisions, to be met in the order in which they come.
pub(crate) enum Output {
    /// To send a heartbeat, to which the idle share of the threads is added.
    Hello(Hello),
    /// To ask the server for a parcel, answered by `WorkerLogic::pulled`.
    Pull,
    /// To answer the server about the parcel of a token.
    Respond(u64, Response),
    /// To read orders from the server, answered by `WorkerLogic::fetched`.
    Fetch(Id),
    /// To compare the canary games of these orders with the coordinator's, answered by
    /// `WorkerLogic::canary_checked`.
    CheckCanary(Box<Orders>, CanaryGames),
    /// To make a session of orders, if this machine can play them, answered by
    /// `WorkerLogic::prepared`.
    Prepare(Box<Orders>),
    /// To play a parcel, answered by `WorkerLogic::played`.
    Play(Assignment),
    /// To hand in a part, answered by `WorkerLogic::handed_in`.
    HandIn(Vec<u8>),
    /// To play no games before this generation any more.
    SetOldest(u64),
    /// To report this to the user.
    Report(WorkerEvent),
}

/// An answer to the server about a parcel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Response {
    /// All of it is handed in.
    Done,
    /// It is being worked on.
    InProgress,
    /// It is for others, or the same again, after this time.
    GiveBack(Duration),
    /// It is for nobody.
    Drop,
}

/// The server's answer to who asks for a parcel.
pub(crate) enum Pulled {
    /// A parcel, with a token that names it to the server.
    Parcel(u64, Vec<u8>),
    /// There was none for some time.
    Nothing,
    /// The server does not answer, or for this reason has nothing to give.
    Failed(Option<String>),
}
