//! The time that searches spend in the network and in the solver.

use std::time::{Duration, Instant};

use doublecross_core::board::State;
use doublecross_core::search::{Evaluation, Evaluator, Prover};
use doublecross_core::solver::{Bounds, Solver};

/// An evaluator or a solver that counts the time that searches spend in it, waiting included.
pub(crate) struct Timed<T> {
    pub inner: T,
    pub spent: Duration,
}

impl<T> Timed<T> {
    pub fn new(inner: T) -> Timed<T> {
        Timed { inner, spent: Duration::ZERO }
    }

    fn timed<R>(&mut self, call: impl FnOnce(&mut T) -> R) -> R {
        let start = Instant::now();
        let result = call(&mut self.inner);
        self.spent += start.elapsed();
        result
    }
}

impl<E: Evaluator> Evaluator for Timed<E> {
    fn evaluate(&mut self, state: State, evaluation: &mut Evaluation) {
        self.timed(|inner| inner.evaluate(state, evaluation));
    }
}

impl Prover for Timed<Solver> {
    fn bounds(&mut self, state: State, guess: i32, nodes: u64) -> Bounds {
        self.timed(|inner| inner.bounds(state, guess, nodes))
    }

    fn is_at_least(&mut self, state: State, margin: i32, nodes: u64) -> Option<bool> {
        self.timed(|inner| inner.is_at_least(state, margin, nodes))
    }
}
