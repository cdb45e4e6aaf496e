//! The forward pass on a CPU: one position at a time, without allocation.
//!
//! Everything is computed in f32, except for the convolutions on instruction sets that round to
//! bf16 or bytes.

use std::sync::Arc;

use crate::board::State;

use super::aligned::AlignedBuffer;
use super::block::Tower;
use super::cellwise::{add_relu, pool, positive, relu};
use super::kernel::{Pass, apply_floats};
use super::layout::padded;
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
    tower: Tower,
    out: AlignedBuffer<f32>,
    hidden: AlignedBuffer<f32>,
    policy: AlignedBuffer<f32>,
    margins: AlignedBuffer<f32>,
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
        let (places, cells) = (network.grid.places, network.grid.cells.len());
        Engine {
            isa,
            planes: AlignedBuffer::zeros(cells * PLANES),
            input: AlignedBuffer::zeros(places * network.stem.floats.inputs),
            tower: Tower::new(places, network.channels),
            out: AlignedBuffer::zeros(places * padded(2)),
            hidden: AlignedBuffer::zeros(network.value_hidden.outputs()),
            policy: AlignedBuffer::zeros(2 * cells),
            margins: AlignedBuffer::zeros(network.value_out.outputs()),
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
        let (network, pass, c) = (&*self.network, Pass::begin(self.isa), self.network.channels);
        let (grid, tower) = (&network.grid, &mut self.tower);
        let inputs = network.stem.floats.inputs;
        for (cell, planes) in grid.cells.iter().zip(self.planes.chunks_exact(PLANES)) {
            self.input[cell * inputs..][..network.planes].copy_from_slice(&planes[..network.planes]);
        }
        pass.apply(&network.stem, grid, &self.input, &mut tower.x, &mut tower.scratch);
        relu(&mut tower.x, grid, c);
        for block in &network.blocks {
            block.apply(&pass, grid, c, tower);
        }
        pool(&tower.x, grid, c, &mut tower.pooled);
        apply_floats(self.isa, &network.policy, grid, &tower.x, &mut tower.t);
        network.policy_pool.apply(&tower.pooled, &mut tower.bias);
        add_relu(&mut tower.t, grid, &tower.bias);
        apply_floats(self.isa, &network.policy_out, grid, &tower.t, &mut self.out);
        for (cell, logits) in grid.cells.iter().zip(self.policy.chunks_exact_mut(2)) {
            logits.copy_from_slice(&self.out[cell * padded(2)..][..2]);
        }
        network.value_hidden.apply(&tower.pooled, &mut self.hidden);
        self.hidden.iter_mut().for_each(|x| *x = positive(*x));
        network.value_out.apply(&self.hidden, &mut self.margins);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Edges};
    use crate::net::{Architecture, BlockKind, Weights, deviation};

    fn random_network(channels: usize, block: BlockKind) -> Arc<Network> {
        let board = Board::new(5, 5).unwrap();
        let architecture = Architecture { block, ..Architecture::new(channels, 2, 24) };
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
        let of_kind = |block: BlockKind| [16, 32, 48].map(|channels| random_network(channels, block));
        for network in BlockKind::ALL.into_iter().flat_map(of_kind) {
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

    /// A network that was trained with fewer planes plays as one whose first layer ignores the
    /// others.
    #[test]
    fn appended_planes_leave_earlier_networks_as_they_are() {
        let board = Board::new(3, 3).unwrap();
        for planes in [1, 14, PLANES - 1, PLANES] {
            let few = Weights::sample(board, Architecture { planes, ..Architecture::new(16, 1, 8) });
            let few = Weights::from_bytes(&few.to_bytes()).unwrap();
            let mut all = Weights { architecture: Architecture::new(16, 1, 8), ..few.clone() };
            all.tensors[0] = few.tensors[0]
                .chunks(planes * 9)
                .flat_map(|output| output.iter().copied().chain(std::iter::repeat_n(0.0, (PLANES - planes) * 9)))
                .collect();
            for isa in Isa::available() {
                let mut engines = [&few, &all].map(|weights| Engine::new(Arc::new(Network::new(weights, isa))));
                for drawn in [Edges::EMPTY, board.all().iter().step_by(5).collect()] {
                    let [few, all] = &mut engines;
                    let state = State::from_drawn(board, drawn);
                    let (few, all) = (few.forward(state), all.forward(state));
                    assert_eq!((few.policy, few.margins), (all.policy, all.margins), "{planes} planes on {isa:?}");
                }
            }
        }
    }
}
