//! One thread that evaluates states for all workers in batches, on a GPU.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use burn::tensor::Device;

use crate::ProcessorError;
use crate::learn::canaries::canaries;
use crate::learn::device::device;
use crate::learn::model::Model;
use doublecross_core::board::State;
use doublecross_core::net::{Canary, Weights};
use doublecross_core::search::{Evaluation, Evaluator, write_evaluation};
use doublecross_run::{Processor, ResourcesConfig};
use doublecross_selfplay::{Inference, Orders, Session};

/// Prepares orders for the processor that a run's games are played on.
///
/// With a GPU, the last digits of an evaluation may depend on the rest of its batch.
///
/// # Errors
/// Returns an error if the config asks for a GPU that cannot be used.
pub fn session(orders: Orders, resources: &ResourcesConfig) -> Result<Session, ProcessorError> {
    match resources.selfplay_device {
        Processor::Cpu => Ok(Session::new(orders)),
        Processor::Gpu => {
            let weights = orders.weights.clone();
            let service = Service::start(weights, device(Processor::Gpu)?, resources.games_at_once)?;
            Ok(Session::with_inference(orders, Box::new(service)))
        }
    }
}

/// A state, and the channel for its evaluation.
struct Request {
    state: State,
    answer: SyncSender<Canary>,
}

/// A thread that evaluates the states of its clients in batches. It ends when the service and its
/// clients are dropped.
struct Service {
    requests: Option<SyncSender<Request>>,
    thread: Option<JoinHandle<()>>,
}

impl Service {
    /// Starts a thread that evaluates with these weights on a device, at most `most` states at a
    /// time.
    ///
    /// # Errors
    /// Returns an error if the system has no thread left.
    fn start(weights: Weights, device: Device, most: usize) -> Result<Service, ProcessorError> {
        let (requests, received) = sync_channel(most);
        let evaluate = move || {
            let Weights { board, architecture, tensors, .. } = &weights;
            serve(&Model::fixed(*board, *architecture, tensors, &device), &received, most);
        };
        let spawned = std::thread::Builder::new().name("evaluations".into()).spawn(evaluate);
        let thread = spawned.map_err(|error| ProcessorError::Thread(error.to_string()))?;
        Ok(Service { requests: Some(requests), thread: Some(thread) })
    }

    /// Returns an evaluator that sends states to the thread and waits for their evaluations.
    fn client(&self) -> Client {
        let (answers, answer) = sync_channel(1);
        Client { requests: self.requests.clone().expect("open until dropped"), answers, answer }
    }
}

impl Inference for Service {
    fn evaluator(&self) -> Box<dyn Evaluator> {
        Box::new(self.client())
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.requests = None;
        // If the thread panicked, its clients have panicked too.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Evaluates states until the last client is dropped.
fn serve(model: &Model, received: &Receiver<Request>, most: usize) {
    let mut batch: Vec<Request> = Vec::new();
    let mut states: Vec<State> = Vec::new();
    while let Ok(first) = received.recv() {
        batch.push(first);
        batch.extend(received.try_iter().take(most - 1));
        states.extend(batch.iter().map(|request| request.state));
        // Kernels are compiled for each batch size, so that few sizes are better than many.
        states.resize(batch.len().next_power_of_two(), State::new(model.board()));
        for (request, answer) in batch.drain(..).zip(canaries(model, &states)) {
            // A worker that has ended needs no answer.
            let _ = request.answer.send(answer);
        }
        states.clear();
    }
}

/// A worker's end of a [`Service`].
struct Client {
    requests: SyncSender<Request>,
    answers: SyncSender<Canary>,
    answer: Receiver<Canary>,
}

impl Evaluator for Client {
    /// # Panics
    /// Panics if the service's thread has panicked, as it does if the device fails.
    fn evaluate(&mut self, state: State, evaluation: &mut Evaluation) {
        let request = Request { state, answer: self.answers.clone() };
        self.requests.send(request).expect("the evaluating thread runs");
        let answer = self.answer.recv().expect("the evaluating thread answers");
        write_evaluation(state, &answer.policy, &answer.margins, evaluation);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use doublecross_core::net::{Isa, Network};
    use doublecross_core::search::NetworkEvaluator;
    use doublecross_run::load_weights;
    use std::sync::Arc;

    fn assert_agreement(processor: Processor) {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../checkpoints/3x3");
        let weights = load_weights(&path).unwrap();
        let board = weights.board;
        let network = Arc::new(Network::new(&weights, Isa::Portable));
        let service = Service::start(weights, device(processor).unwrap(), 4).unwrap();
        std::thread::scope(|scope| {
            for worker in 0..6 {
                let (mut client, network) = (service.client(), network.clone());
                scope.spawn(move || {
                    let mut engine = NetworkEvaluator::new(network);
                    let (mut a, mut b) = (Evaluation::new(board), Evaluation::new(board));
                    for state in board.all().iter().skip(worker).map(|edge| State::new(board).after(edge)) {
                        client.evaluate(state, &mut a);
                        engine.evaluate(state, &mut b);
                        let close = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-3;
                        assert!(a.logits.iter().zip(&b.logits).all(close));
                        assert!(a.margins.iter().zip(&b.margins).all(close));
                    }
                });
            }
        });
    }

    #[test]
    fn clients_get_the_evaluations_of_the_engine() {
        assert_agreement(Processor::Cpu);
    }

    #[test]
    fn a_gpu_agrees_with_the_engine() {
        // Whether a program without one says so is tested elsewhere.
        if device(Processor::Gpu).is_ok() {
            assert_agreement(Processor::Gpu);
        }
    }
}
