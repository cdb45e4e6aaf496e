//! Orders that are ready to be played: with the network laid out for this machine.

use std::sync::Arc;

use crate::learn::device::{ProcessorError, device};
use crate::selfplay::orders::{Orders, SealedOrders};
use crate::selfplay::service::Service;
use doublecross_core::net::{Network, Weights};
use doublecross_core::search::{Evaluator, NetworkEvaluator};
use doublecross_run::Processor;
use doublecross_run::ResourcesConfig;

/// The evaluation that players use.
pub(crate) enum Inference {
    /// Each player runs the engine.
    Engine(Arc<Network>),
    /// One thread evaluates for all players.
    Service(Service),
}

impl Inference {
    pub fn evaluator(&self) -> Box<dyn Evaluator> {
        match self {
            Inference::Engine(network) => Box::new(NetworkEvaluator::new(network.clone())),
            Inference::Service(service) => Box::new(service.client()),
        }
    }
}

/// Orders that are ready to be played.
pub struct Session {
    /// The orders.
    pub orders: Orders,
    /// The orders as bytes, by whose checksum parts name them.
    pub sealed: SealedOrders,
    pub(crate) inference: Inference,
}

impl Session {
    /// Prepares orders for the processor that a run computes on.
    ///
    /// With a GPU, the last digits of an evaluation may depend on the rest of its batch.
    ///
    /// # Errors
    /// Returns an error if the config asks for a GPU that cannot be used.
    pub fn new(orders: Orders, resources: &ResourcesConfig) -> Result<Session, ProcessorError> {
        match resources.selfplay_device {
            Processor::Cpu => Ok(Session::on_cpu(orders)),
            Processor::Gpu => {
                let weights: Weights = orders.weights.clone();
                let service = Service::start(weights, device(Processor::Gpu)?, resources.games_at_once)?;
                Ok(Session { sealed: SealedOrders::new(&orders), orders, inference: Inference::Service(service) })
            }
        }
    }

    /// Prepares orders for the engine.
    pub fn on_cpu(orders: Orders) -> Session {
        let network = Network::new(&orders.weights, orders.isa);
        Session { sealed: SealedOrders::new(&orders), orders, inference: Inference::Engine(Arc::new(network)) }
    }
}
