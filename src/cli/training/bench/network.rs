//! The speed of the network's forward pass, by instruction set and in burn.

use super::measurer::Measurer;
use super::rates::NetworkRate;
use super::turns::{median, turn};
use doublecross_core::board::State;
use doublecross_core::net::{Engine, Isa};
use doublecross_run::observer::Progress;
use doublecross_train::BurnForward;

/// The batch sizes of burn's forward pass.
const BATCHES: [usize; 2] = [1, 32];

/// The rates of one backend and batch size, round by round.
struct Rounds {
    backend: String,
    batch: usize,
    rates: Vec<f64>,
}

impl Measurer {
    pub(crate) fn network_rates(&self, progress: &Progress<'_>) -> Vec<NetworkRate> {
        let mut engines: Vec<(Isa, Engine)> =
            Isa::available().into_iter().map(|isa| (isa, Engine::with_isa(self.network.clone(), isa))).collect();
        let states: Vec<State> = self.samples.iter().map(|sample| sample.state).collect();
        let batch = |size: usize| -> Vec<State> { states.iter().copied().cycle().take(size).collect() };
        let batches = BATCHES.map(|size| (size, BurnForward::new(&self.weights, &batch(size))));
        let rounds = |backend: &str, batch| Rounds { backend: backend.into(), batch, rates: Vec::new() };
        let mut all: Vec<Rounds> = engines.iter().map(|(isa, _)| rounds(isa.name(), 1)).collect();
        all.extend(BATCHES.map(|size| rounds("burn flex", size)));
        for _ in 0..self.rounds {
            for ((_, engine), rounds) in engines.iter_mut().zip(&mut all) {
                let mut states = states.iter().cycle();
                let turn = turn(|| {
                    let state = states.next().expect("self-play gives samples");
                    std::hint::black_box(engine.forward(*state).margins[0]);
                    1
                });
                rounds.rates.push(turn.per_second);
            }
            for ((size, forward), rounds) in batches.iter().zip(&mut all[engines.len()..]) {
                let turn = turn(|| {
                    forward.run();
                    *size
                });
                rounds.rates.push(turn.per_second);
            }
            progress.advance(1);
        }
        let chosen = engines.iter().position(|(isa, _)| *isa == self.isa()).unwrap_or(0);
        let reference = all[chosen].rates.clone();
        let ratio = |rates: &[f64]| median(reference.iter().zip(rates).map(|(a, b)| a / b).collect());
        let finish = |Rounds { backend, batch, rates }: Rounds| NetworkRate {
            backend,
            batch,
            chosen_is_faster: ratio(&rates),
            evaluations_per_second: median(rates),
        };
        all.into_iter().map(finish).collect()
    }
}
