//! Orders that are ready to be played: with the network laid out for this machine.

use std::sync::Arc;

use crate::play::orders::{Orders, SealedOrders};
use doublecross_core::net::Network;
use doublecross_core::search::{Evaluator, NetworkEvaluator};

/// A network that the players of a session share.
pub trait Inference: Send + Sync {
    /// Returns the evaluator of one player.
    fn evaluator(&self) -> Box<dyn Evaluator>;
}

/// Each player runs the engine.
struct Engine(Arc<Network>);

impl Inference for Engine {
    fn evaluator(&self) -> Box<dyn Evaluator> {
        Box::new(NetworkEvaluator::new(self.0.clone()))
    }
}

/// Orders that are ready to be played.
pub struct Session {
    /// The orders.
    pub orders: Orders,
    /// The orders as bytes, by whose checksum parts name them.
    pub sealed: SealedOrders,
    pub(crate) inference: Box<dyn Inference>,
}

impl Session {
    /// Prepares orders for the engine.
    pub fn new(orders: Orders) -> Session {
        let network = Network::new(&orders.weights, orders.isa);
        Session::with_inference(orders, Box::new(Engine(Arc::new(network))))
    }

    /// Prepares orders whose network is evaluated by other means than the engine.
    pub fn with_inference(orders: Orders, inference: Box<dyn Inference>) -> Session {
        Session { sealed: SealedOrders::new(&orders), orders, inference }
    }
}
