//! One thread that evaluates for all workers, many positions at a time: what a GPU is for.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use burn::tensor::Device;

use super::Model;
use super::canaries::canaries;
use crate::board::State;
use crate::net::{Canary, Weights};
use crate::search::{Evaluation, Evaluator, write_evaluation};

/// A position, and where its answer goes.
struct Request {
    state: State,
    answer: SyncSender<Canary>,
}

/// Evaluates what its clients ask in batches, on a thread of its own, which ends with it and its clients.
pub(super) struct Service {
    requests: Option<SyncSender<Request>>,
    thread: Option<JoinHandle<()>>,
}

impl Service {
    /// Serves these weights from a device, at most `most` positions at a time.
    pub fn start(weights: Weights, device: Device, most: usize) -> Service {
        let (requests, received) = sync_channel(most);
        let thread = std::thread::spawn(move || {
            let Weights { board, architecture, tensors, .. } = &weights;
            serve(&Model::fixed(*board, *architecture, tensors, &device), &received, most);
        });
        Service { requests: Some(requests), thread: Some(thread) }
    }

    /// An evaluator that asks here and waits.
    pub fn client(&self) -> Client {
        let (give, take) = sync_channel(1);
        Client { requests: self.requests.clone().expect("open until dropped"), give, take }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.requests = None;
        // A thread that panicked has failed its clients already.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Answers until the last client is gone.
fn serve(model: &Model, received: &Receiver<Request>, most: usize) {
    let mut batch: Vec<Request> = Vec::new();
    let mut positions: Vec<State> = Vec::new();
    while let Ok(first) = received.recv() {
        batch.push(first);
        batch.extend(received.try_iter().take(most - 1));
        positions.extend(batch.iter().map(|request| request.state));
        // Kernels are compiled for each size of batch, so that few sizes are better than all.
        positions.resize(batch.len().next_power_of_two(), State::new(model.board()));
        for (request, answer) in batch.drain(..).zip(canaries(model, &positions)) {
            // A worker that is gone needs no answer.
            let _ = request.answer.send(answer);
        }
        positions.clear();
    }
}

/// A worker's end of a [`Service`].
pub(super) struct Client {
    requests: SyncSender<Request>,
    give: SyncSender<Canary>,
    take: Receiver<Canary>,
}

impl Evaluator for Client {
    /// # Panics
    /// When the service's thread has panicked, as it does when the device fails.
    fn evaluate(&mut self, state: State, evaluation: &mut Evaluation) {
        let request = Request { state, answer: self.give.clone() };
        self.requests.send(request).expect("the evaluating thread goes on");
        let answer = self.take.recv().expect("the evaluating thread answers");
        write_evaluation(state, &answer.policy, &answer.margins, evaluation);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::{Isa, Network};
    use crate::search::NetworkEvaluator;
    use crate::train::load_weights;
    use crate::train::processor::{Processor, device};
    use std::sync::Arc;

    fn agrees_with_the_engine(processor: Processor) {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("checkpoints/3x3");
        let weights = load_weights(&path).unwrap();
        let board = weights.board;
        let network = Arc::new(Network::new(&weights, Isa::Portable));
        let service = Service::start(weights, device(processor).unwrap(), 4);
        std::thread::scope(|scope| {
            for worker in 0..6 {
                let (mut client, network) = (service.client(), network.clone());
                scope.spawn(move || {
                    let mut engine = NetworkEvaluator::new(network);
                    let (mut a, mut b) = (Evaluation::BLANK, Evaluation::BLANK);
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
    fn clients_are_told_what_the_engine_says() {
        agrees_with_the_engine(Processor::Cpu);
    }

    #[cfg(feature = "wgpu")]
    #[test]
    fn a_gpu_says_what_the_engine_says() {
        agrees_with_the_engine(Processor::Gpu);
    }
}
