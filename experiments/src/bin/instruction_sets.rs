//! Do the instruction sets of this machine agree? The engine runs the canaries of the pretrained networks, and random
//! networks of other sizes on random positions.
//!
//! `cargo run --release -p doublecross-experiments --bin instruction_sets --no-default-features`: without the trainer, so
//! that it also runs in an emulator of another processor.

use std::sync::Arc;
use std::thread;

use doublecross::board::{Board, State};
use doublecross::net::{Architecture, Engine, Isa, Network, Weights, deviation};

const PRETRAINED: [&[u8]; 3] = [
    include_bytes!("../../../checkpoints/3x3/average.dxw"),
    include_bytes!("../../../checkpoints/4x4/average.dxw"),
    include_bytes!("../../../checkpoints/5x5/average.dxw"),
];

/// Rows, columns and channels of the random networks.
const RANDOM: [(usize, usize, usize); 6] = [(1, 1, 16), (2, 2, 16), (3, 4, 48), (5, 5, 64), (4, 6, 80), (1, 7, 32)];

/// Random positions for each network.
const POSITIONS: usize = 5;

fn main() {
    let mut numbers = Numbers(7);
    let pretrained = PRETRAINED.iter().map(|bytes| Weights::from_bytes(bytes).expect("pretrained weights"));
    let random: Vec<Weights> = RANDOM.iter().map(|&size| random_weights(size, &mut numbers)).collect();
    for weights in pretrained.chain(random) {
        let (board, channels) = (weights.board, weights.architecture.channels);
        let states: Vec<State> = (0..POSITIONS).map(|_| random_state(board, &mut numbers)).collect();
        let network = Arc::new(Network::new(&weights, Isa::Portable));
        let expected = logits(&network, Isa::Portable, &states);
        for isa in Isa::available() {
            Network::checked(&weights, isa).expect("its canaries");
            // Each thread has its own registers.
            let found: Vec<Vec<f32>> = thread::scope(|scope| {
                let run = || logits(&network, isa, &states);
                let threads: Vec<_> = (0..2).map(|_| scope.spawn(run)).collect();
                threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
            });
            assert_eq!(found[0], found[1], "{} differs between threads", isa.name());
            let off = deviation(&found[0], &expected);
            println!("{board}, {channels} channels, {:8} off by {off:.6}", isa.name());
            assert!(off <= isa.tolerance(), "{} is off by more than {}", isa.name(), isa.tolerance());
        }
    }
}

/// All logits of these states.
fn logits(network: &Arc<Network>, isa: Isa, states: &[State]) -> Vec<f32> {
    let mut engine = Engine::with_isa(network.clone(), isa);
    let mut logits = Vec::new();
    for &state in states {
        let output = engine.forward(state);
        logits.extend(output.policy.iter().chain(output.margins));
    }
    logits
}

fn random_weights((rows, cols, channels): (usize, usize, usize), numbers: &mut Numbers) -> Weights {
    let board = Board::new(rows, cols).expect("a board");
    let architecture = Architecture::new(channels, 2, 24);
    let specs = architecture.tensors(board);
    let mut weight = || (numbers.next() >> 40) as f32 / (1 << 24) as f32 * 0.3 - 0.15;
    let tensors = specs.iter().map(|spec| (0..spec.len()).map(|_| weight()).collect()).collect();
    Weights { board, other_boards: Vec::new(), architecture, tensors, canaries: Vec::new() }
}

/// A capture-free state with about a quarter of its edges drawn.
fn random_state(board: Board, numbers: &mut Numbers) -> State {
    let mut state = State::new(board);
    for edge in board.all() {
        if numbers.next() >> 62 == 0 && state.after(edge).is_capture_free() {
            state = state.after(edge);
        }
    }
    state
}

/// Knuth's linear congruential generator: the package's random streams need the trainer.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0
    }
}
