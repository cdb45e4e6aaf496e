//! What the coordinator's decisions ask of the world: the server, its own threads, its user.

use std::sync::Arc;

use super::CoordinatorEvent;
use super::audit::Case;
use doublecross_selfplay::{Orders, SealedOrders, Session};

/// A request of the coordinator's decisions, to be met in the order in which they come.
///
/// Those with a number are answered by `CoordinatorLogic::replied`.
pub(crate) enum Output {
    /// To make the streams that are missing, and to take all orders and parcels from the server.
    SetUp(u64),
    /// To check that the server still has its streams and these orders.
    Check(u64, Vec<SealedOrders>),
    /// To put orders on the server.
    PutOrders(u64, SealedOrders),
    /// To offer a parcel of a generation.
    Offer(u64, u64, Vec<u8>),
    /// To take the parcels of a generation, or all of them, from the server.
    PurgeParcels(Option<u64>),
    /// To take orders from the server.
    PurgeOrders(u64),
    /// To begin to pull what workers hand in.
    PullResults,
    /// To acknowledge a result by its token.
    Ack(u64),
    /// To broadcast this.
    Broadcast(Vec<u8>),
    /// To do this beside.
    Job(Job),
    /// To report this to the user.
    Report(CoordinatorEvent),
}

/// Work that takes time, done by one thread of the coordinator's in the order in which it comes.
pub(crate) enum Job {
    /// To play the canary games, answered by `CoordinatorLogic::canary_played`.
    PlayCanary(Box<Orders>),
    /// To play the item of a case, answered by `CoordinatorLogic::judged`.
    Judge(Case, Arc<Session>),
    /// To play what a worker played of generations that were learned from, or only some items of
    /// it, answered by `CoordinatorLogic::searched`.
    Search(Search),
}

/// A search for false results that were learned from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Search {
    /// The worker.
    pub worker: String,
    /// The generations and items; `None` for all.
    pub only: Option<Vec<(u64, u32)>>,
}
