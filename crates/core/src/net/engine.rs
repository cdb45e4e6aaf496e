//! The forward pass on a CPU: one position at a time, without allocation.
//!
//! Everything is computed in f32, except for the convolutions on instruction sets that round to
//! bf16 or bytes.

use std::sync::Arc;

use crate::board::State;
use crate::float::larger;

use super::aligned::AlignedBuffer;
use super::kernel::{Pass, apply_floats};
use super::layout::{Grid, LANES, lanes, lanes_mut, padded};
use super::{Isa, Network, PLANES, write_planes};

/// The network's output for one state.
pub struct Output<'a> {
    /// Logits `[cell][2]` of each cell's horizontal and vertical edge; see
    /// [`PolicyCell`](super::PolicyCell).
    pub policy: &'a [f32],
    /// Logits of the margins still to come, -boxes..=boxes, for the player to move.
    pub margins: &'a [f32],
}

/// A network with scratch memory, with which one thread evaluates positions.
pub struct Engine {
    network: Arc<Network>,
    isa: Isa,
    planes: AlignedBuffer<f32>,
    input: AlignedBuffer<f32>,
    x: AlignedBuffer<f32>,
    t: AlignedBuffer<f32>,
    y: AlignedBuffer<f32>,
    out: AlignedBuffer<f32>,
    pooled: AlignedBuffer<f32>,
    bias: AlignedBuffer<f32>,
    hidden: AlignedBuffer<f32>,
    policy: AlignedBuffer<f32>,
    margins: AlignedBuffer<f32>,
    scratch: AlignedBuffer<u32>,
}

impl Engine {
    /// Returns an engine on the network's instruction set.
    pub fn new(network: Arc<Network>) -> Engine {
        let isa = network.isa();
        Engine::with_isa(network, isa)
    }

    /// Returns an engine on another instruction set, or on the portable one if the processor lacks
    /// it.
    pub fn with_isa(network: Arc<Network>, isa: Isa) -> Engine {
        let isa = isa.or_portable();
        let (c, places, cells) = (network.channels, network.grid.places, network.grid.cells.len());
        Engine {
            isa,
            planes: AlignedBuffer::zeros(cells * PLANES),
            input: AlignedBuffer::zeros(places * PLANES),
            x: AlignedBuffer::zeros(places * c),
            t: AlignedBuffer::zeros(places * c),
            y: AlignedBuffer::zeros(places * c),
            out: AlignedBuffer::zeros(places * padded(2)),
            pooled: AlignedBuffer::zeros(2 * c),
            bias: AlignedBuffer::zeros(c),
            hidden: AlignedBuffer::zeros(network.value_hidden.outputs()),
            policy: AlignedBuffer::zeros(2 * cells),
            margins: AlignedBuffer::zeros(network.value_out.outputs()),
            scratch: AlignedBuffer::zeros(0),
            network,
        }
    }

    /// Evaluates a capture-free state of the network's board.
    pub fn forward(&mut self, state: State) -> Output<'_> {
        write_planes(state, &mut self.planes);
        match self.isa.in_floats() {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Engine::with_isa` keeps an instruction set other than `Portable` only if
            // `Isa::available` found that the processor has it.
            Isa::Avx2 => unsafe { self.forward_avx2() },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Isa::Avx512 => unsafe { self.forward_avx512() },
            _ => self.forward_planes(),
        }
        Output { policy: &self.policy, margins: &self.margins[..2 * self.network.board().boxes() + 1] }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn forward_avx2(&mut self) {
        self.forward_planes();
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,fma")]
    fn forward_avx512(&mut self) {
        self.forward_planes();
    }

    #[inline(always)]
    fn forward_planes(&mut self) {
        let Network { grid, channels: c, .. } = &*self.network;
        let (network, pass, c) = (&*self.network, Pass::begin(self.isa), *c);
        grid.pad(PLANES, &self.planes, &mut self.input);
        pass.apply(&network.stem, grid, &self.input, &mut self.x, &mut self.scratch);
        relu(&mut self.x, grid, c);
        for block in &network.blocks {
            pass.apply(&block.first, grid, &self.x, &mut self.t, &mut self.scratch);
            pool(&self.t, grid, c, &mut self.pooled);
            block.pool.apply(&self.pooled, &mut self.bias);
            add_relu(&mut self.t, grid, &self.bias);
            pass.apply(&block.second, grid, &self.t, &mut self.y, &mut self.scratch);
            add_to(&mut self.x, &self.y, grid, c);
        }
        pool(&self.x, grid, c, &mut self.pooled);
        apply_floats(self.isa, &network.policy, grid, &self.x, &mut self.t);
        network.policy_pool.apply(&self.pooled, &mut self.bias);
        add_relu(&mut self.t, grid, &self.bias);
        apply_floats(self.isa, &network.policy_out, grid, &self.t, &mut self.out);
        for (cell, logits) in grid.cells.iter().zip(self.policy.chunks_exact_mut(2)) {
            logits.copy_from_slice(&self.out[cell * padded(2)..][..2]);
        }
        network.value_hidden.apply(&self.pooled, &mut self.hidden);
        self.hidden.iter_mut().for_each(|x| *x = positive(*x));
        network.value_out.apply(&self.hidden, &mut self.margins);
    }
}

/// Returns the positive part of a number: ReLU. It is never -0, which `f32::max` may return.
#[inline(always)]
fn positive(x: f32) -> f32 {
    larger(x, 0.0)
}

/// Applies ReLU to each value.
#[inline(always)]
fn relu(grid_values: &mut [f32], grid: &Grid, channels: usize) {
    for cell in &grid.cells {
        for values in lanes_mut(&mut grid_values[cell * channels..][..channels]) {
            *values = values.map(positive);
        }
    }
}

/// Adds a bias to each cell, and applies ReLU.
#[inline(always)]
fn add_relu(grid_values: &mut [f32], grid: &Grid, bias: &[f32]) {
    for cell in &grid.cells {
        for (values, bias) in lanes_mut(&mut grid_values[cell * bias.len()..][..bias.len()]).zip(lanes(bias)) {
            *values = std::array::from_fn(|i| positive(values[i] + bias[i]));
        }
    }
}

/// Adds the values of a block to its residual, and applies ReLU.
#[inline(always)]
fn add_to(residual: &mut [f32], grid_values: &[f32], grid: &Grid, channels: usize) {
    for cell in &grid.cells {
        let places = cell * channels..(cell + 1) * channels;
        for (residual, values) in lanes_mut(&mut residual[places.clone()]).zip(lanes(&grid_values[places])) {
            *residual = std::array::from_fn(|i| positive(residual[i] + values[i]));
        }
    }
}

/// Writes each channel's mean and maximum over all cells, of the positive parts of its values, as
/// `[2][channel]`.
#[inline(always)]
fn pool(grid_values: &[f32], grid: &Grid, channels: usize, pooled: &mut [f32]) {
    let (means, largest) = pooled.split_at_mut(channels);
    let share = 1.0 / grid.cells.len() as f32;
    for (block, (means, largest)) in lanes_mut(means).zip(lanes_mut(largest)).enumerate() {
        let (mut sums, mut most) = ([0.0; LANES], [0.0f32; LANES]);
        for cell in &grid.cells {
            let values = &grid_values[cell * channels + block * LANES..][..LANES];
            for ((sum, most), value) in sums.iter_mut().zip(&mut most).zip(values) {
                let value = positive(*value);
                *sum += value;
                *most = larger(value, *most);
            }
        }
        (*means, *largest) = (sums.map(|sum| sum * share), most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Edges};
    use crate::net::{Architecture, Weights, deviation};

    fn random_network(channels: usize) -> Arc<Network> {
        let board = Board::new(5, 5).unwrap();
        let architecture = Architecture { channels, blocks: 2, value_hidden: 24 };
        let mut state = 1u64;
        let mut number = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((state >> 40) as f32 / (1 << 24) as f32 - 0.5) * 0.3
        };
        let specs = architecture.tensors(board);
        let tensors = specs.iter().map(|spec| (0..spec.len()).map(|_| number()).collect()).collect();
        Arc::new(Network::new(
            &Weights { board, other_boards: Vec::new(), architecture, tensors, canaries: Vec::new() },
            Isa::Portable,
        ))
    }

    #[test]
    fn every_instruction_set_agrees_with_the_portable_one_within_its_tolerance() {
        for channels in [16, 32, 48] {
            let network = random_network(channels);
            let drawn = Edges::from_bytes(&0x0012_3400_5600_0789u64.to_le_bytes());
            let state = State::from_drawn(network.board(), drawn);
            let mut portable = Engine::with_isa(network.clone(), Isa::Portable);
            let expected = portable.forward(state);
            let largest = expected.policy.iter().fold(0f32, |a, b| a.max(b.abs()));
            assert!(largest > 0.0);
            for isa in Isa::available() {
                let mut engine = Engine::with_isa(network.clone(), isa);
                for _ in 0..2 {
                    let found = engine.forward(state);
                    for (a, b) in [(found.policy, expected.policy), (found.margins, expected.margins)] {
                        assert!(deviation(a, b) <= isa.tolerance(), "{isa:?}: {}", deviation(a, b));
                    }
                }
            }
        }
    }
}
