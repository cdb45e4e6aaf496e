//! The forward pass on a CPU, one position at a time, no allocation per call. All is f32, but for the convolutions on the
//! paths that round.

use std::sync::Arc;

use crate::board::{Board, Edges};

use super::kernel::{Grid, Layer, Pass, padded};
use super::{PLANES, Path, Weights, write_planes};

/// Weights laid out for inference, shared by every engine that plays with them.
pub struct Network {
    board: Board,
    channels: usize,
    grid: Grid,
    stem: Layer,
    blocks: Vec<Block>,
    policy: Layer,
    policy_pool: Linear,
    policy_out: Layer,
    value_hidden: Linear,
    value_out: Linear,
}

struct Block {
    first: Layer,
    pool: Linear,
    second: Layer,
}

/// A linear layer, `[inputs][outputs]`.
struct Linear {
    weights: Vec<f32>,
    bias: Vec<f32>,
}

impl Linear {
    fn new(weights: &[f32], bias: &[f32]) -> Linear {
        Linear { weights: weights.to_vec(), bias: bias.to_vec() }
    }

    fn without_bias(weights: &[f32], outputs: usize) -> Linear {
        Linear { weights: weights.to_vec(), bias: vec![0.0; outputs] }
    }

    fn apply(&self, input: &[f32], output: &mut [f32]) {
        output.copy_from_slice(&self.bias);
        for (x, weights) in input.iter().zip(self.weights.chunks_exact(output.len())) {
            for (sum, w) in output.iter_mut().zip(weights) {
                *sum += x * w;
            }
        }
    }
}

impl Network {
    /// Lays out weights for inference.
    ///
    /// # Panics
    /// When the tensors are not those of the architecture; [`Weights::from_bytes`] never gives such weights.
    pub fn new(weights: &Weights) -> Network {
        let c = weights.architecture.channels;
        let mut tensors = weights.tensors.iter().map(Vec::as_slice);
        let mut next = || tensors.next().expect("all tensors of the architecture");
        let layer = |weights: &[f32], bias: &[f32], inputs, taps| Layer::new(weights, bias, inputs, taps);
        let stem = layer(next(), next(), PLANES, 9);
        let blocks = (0..weights.architecture.blocks)
            .map(|_| Block {
                first: layer(next(), next(), c, 9),
                pool: Linear::without_bias(next(), c),
                second: layer(next(), next(), c, 9),
            })
            .collect();
        Network {
            board: weights.board,
            channels: c,
            grid: Grid::new(weights.board.rows() + 1, weights.board.cols() + 1),
            stem,
            blocks,
            policy: layer(next(), next(), c, 1),
            policy_pool: Linear::without_bias(next(), c),
            policy_out: layer(next(), next(), c, 1),
            value_hidden: Linear::new(next(), next()),
            value_out: Linear::new(next(), next()),
        }
    }

    /// The board it plays.
    pub fn board(&self) -> Board {
        self.board
    }
}

/// What the network says of one position.
pub struct Output<'a> {
    /// Logits `[cell][2]`: the cell's horizontal and its vertical edge.
    pub policy: &'a [f32],
    /// Logits of the margins -boxes..=boxes.
    pub margins: &'a [f32],
}

/// A network with the scratch memory of one thread.
pub struct Engine {
    network: Arc<Network>,
    path: Path,
    planes: Vec<f32>,
    input: Vec<f32>,
    x: Vec<f32>,
    t: Vec<f32>,
    y: Vec<f32>,
    out: Vec<f32>,
    pooled: Vec<f32>,
    bias: Vec<f32>,
    hidden: Vec<f32>,
    policy: Vec<f32>,
    margins: Vec<f32>,
    scratch: Vec<u32>,
}

impl Engine {
    /// An engine on [`Path::chosen`], or on the portable one where that is an error.
    pub fn new(network: Arc<Network>) -> Engine {
        Engine::with_path(network, Path::chosen().unwrap_or(Path::Portable))
    }

    /// An engine on a path from [`Path::available`]; any other falls back to the portable one.
    pub fn with_path(network: Arc<Network>, path: Path) -> Engine {
        let path = if Path::available().contains(&path) { path } else { Path::Portable };
        let (c, places, cells) = (network.channels, network.grid.places, network.grid.cells.len());
        Engine {
            path,
            planes: vec![0.0; cells * PLANES],
            input: vec![0.0; places * PLANES],
            x: vec![0.0; places * c],
            t: vec![0.0; places * c],
            y: vec![0.0; places * c],
            out: vec![0.0; places * padded(2)],
            pooled: vec![0.0; 2 * c],
            bias: vec![0.0; c],
            hidden: vec![0.0; network.value_hidden.bias.len()],
            policy: vec![0.0; 2 * cells],
            margins: vec![0.0; network.value_out.bias.len()],
            scratch: Vec::with_capacity(places * c.max(PLANES) / 4),
            network,
        }
    }

    /// Evaluates a capture-free position.
    pub fn forward(&mut self, drawn: Edges) -> Output<'_> {
        write_planes(self.network.board, drawn, &mut self.planes);
        self.forward_planes();
        Output { policy: &self.policy, margins: &self.margins }
    }

    fn forward_planes(&mut self) {
        let Network { grid, channels: c, .. } = &*self.network;
        let (network, pass, c) = (&*self.network, Pass::begin(self.path), *c);
        for (cell, planes) in grid.cells.iter().zip(self.planes.chunks_exact(PLANES)) {
            self.input[cell * PLANES..][..PLANES].copy_from_slice(planes);
        }
        pass.apply(&network.stem, grid, &self.input, &mut self.x, &mut self.scratch);
        relu(&mut self.x, grid, c);
        for block in &network.blocks {
            pass.apply(&block.first, grid, &self.x, &mut self.t, &mut self.scratch);
            pool(&self.t, grid, c, &mut self.pooled);
            block.pool.apply(&self.pooled, &mut self.bias);
            add_relu(&mut self.t, grid, &self.bias);
            pass.apply(&block.second, grid, &self.t, &mut self.y, &mut self.scratch);
            for cell in &grid.cells {
                let places = cell * c..(cell + 1) * c;
                for (x, y) in self.x[places.clone()].iter_mut().zip(&self.y[places]) {
                    *x = (*x + y).max(0.0);
                }
            }
        }
        pool(&self.x, grid, c, &mut self.pooled);
        pass.apply(&network.policy, grid, &self.x, &mut self.t, &mut self.scratch);
        network.policy_pool.apply(&self.pooled, &mut self.bias);
        add_relu(&mut self.t, grid, &self.bias);
        pass.apply(&network.policy_out, grid, &self.t, &mut self.out, &mut self.scratch);
        for (cell, logits) in grid.cells.iter().zip(self.policy.chunks_exact_mut(2)) {
            logits.copy_from_slice(&self.out[cell * padded(2)..][..2]);
        }
        network.value_hidden.apply(&self.pooled, &mut self.hidden);
        self.hidden.iter_mut().for_each(|x| *x = x.max(0.0));
        network.value_out.apply(&self.hidden, &mut self.margins);
    }
}

fn relu(grid_values: &mut [f32], grid: &Grid, channels: usize) {
    for cell in &grid.cells {
        grid_values[cell * channels..][..channels].iter_mut().for_each(|x| *x = x.max(0.0));
    }
}

fn add_relu(grid_values: &mut [f32], grid: &Grid, bias: &[f32]) {
    for cell in &grid.cells {
        for (x, b) in grid_values[cell * bias.len()..][..bias.len()].iter_mut().zip(bias) {
            *x = (*x + b).max(0.0);
        }
    }
}

/// Mean and maximum over all cells of the positive part of each channel.
fn pool(grid_values: &[f32], grid: &Grid, channels: usize, pooled: &mut [f32]) {
    pooled.fill(0.0);
    let (means, largest) = pooled.split_at_mut(channels);
    for cell in &grid.cells {
        let values = &grid_values[cell * channels..][..channels];
        for ((mean, most), value) in means.iter_mut().zip(largest.iter_mut()).zip(values) {
            let value = value.max(0.0);
            *mean += value;
            *most = most.max(value);
        }
    }
    let share = 1.0 / grid.cells.len() as f32;
    means.iter_mut().for_each(|mean| *mean *= share);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::{Architecture, deviation};

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
        Arc::new(Network::new(&Weights { board, architecture, tensors, canaries: Vec::new() }))
    }

    #[test]
    fn every_path_gives_the_same_answer() {
        for channels in [16, 32, 48] {
            let network = random_network(channels);
            let drawn = Edges::from_bytes(0x0012_3400_5600_0789u64.to_le_bytes());
            let mut portable = Engine::with_path(network.clone(), Path::Portable);
            let expected = portable.forward(drawn);
            let largest = expected.policy.iter().fold(0f32, |a, b| a.max(b.abs()));
            assert!(largest > 0.0);
            for path in Path::available() {
                let mut engine = Engine::with_path(network.clone(), path);
                for _ in 0..2 {
                    let found = engine.forward(drawn);
                    for (a, b) in [(found.policy, expected.policy), (found.margins, expected.margins)] {
                        assert!(deviation(a, b) <= path.tolerance(), "{path:?}: {}", deviation(a, b));
                    }
                }
            }
        }
    }
}
