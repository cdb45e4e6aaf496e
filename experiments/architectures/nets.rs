//! The networks that are compared. All end in logits of 72 edge places (the horizontal ones of all cells of the packed
//! grid, then the vertical ones) and of 51 margins.

use burn::tensor::activation::{relu, softmax};
use burn::tensor::module::conv2d;
use burn::tensor::ops::ConvOptions;
use burn::tensor::{Tensor, TensorData};
use doublecross::board::{Board, Edges, Orientation};
use doublecross::net::{PLANES, write_planes};
use doublecross::random::{Purpose, stream};
use rand::RngExt;

use crate::data::MOST_CHAINS;

/// What a position is to a network.
#[derive(Clone, Copy, PartialEq)]
pub enum Input {
    /// The planes of play.
    Structural,
    /// Those of edges and boxes alone.
    Raw,
}

#[derive(Clone, Copy)]
enum Shape {
    /// A residual tower over the 6x6 cells: channels, blocks.
    Packed(usize, usize),
    /// The same, which reckons the number of long chains in between and hands its parity to the margin; the flag says
    /// whether it is told the number.
    Chains(usize, usize, bool),
    /// A residual tower over the 11x11 lattice of dots, edges and boxes.
    Lattice(usize, usize),
    /// Hidden layers of these widths over all planes of all cells.
    Dense(&'static [usize]),
    /// Cells as tokens: width, blocks of mixing between cells and within them.
    Mixer(usize, usize),
}

pub struct Net {
    pub name: String,
    /// Whether positions are always seen in their canonical form, or under a random symmetry each time.
    pub canonical: bool,
    input: Input,
    shape: Shape,
    board: Board,
}

pub fn candidates(board: Board) -> Vec<Net> {
    let net = |name: &str, shape, input, canonical| Net { name: name.into(), canonical, input, shape, board };
    use Input::{Raw, Structural};
    vec![
        net("packed-32x4", Shape::Packed(32, 4), Structural, false),
        net("chains-32x4", Shape::Chains(32, 4, true), Structural, false),
        net("chains-32x4-untold", Shape::Chains(32, 4, false), Structural, false),
        net("packed-32x4-canonical", Shape::Packed(32, 4), Structural, true),
        net("packed-32x4-raw", Shape::Packed(32, 4), Raw, false),
        net("packed-64x6", Shape::Packed(64, 6), Structural, false),
        net("lattice-16x3", Shape::Lattice(16, 3), Structural, false),
        net("lattice-32x4", Shape::Lattice(32, 4), Structural, false),
        net("dense-256", Shape::Dense(&[256, 256]), Structural, false),
        net("dense-256-canonical", Shape::Dense(&[256, 256]), Structural, true),
        net("dense-512-canonical", Shape::Dense(&[512, 512, 256]), Structural, true),
        net("dense-512-raw", Shape::Dense(&[512, 512, 256]), Raw, true),
        net("mixer-32x4", Shape::Mixer(32, 4), Structural, false),
        net("mixer-64x6", Shape::Mixer(64, 6), Structural, false),
        net("mixer-64x6-canonical", Shape::Mixer(64, 6), Structural, true),
    ]
}

/// The plane that says whether the number of undrawn edges is odd.
const ODD_UNDRAWN: usize = 17;

const RAW: [usize; 5] = [0, 1, 2, 3, 6];

impl Net {
    fn cells(&self) -> usize {
        (self.board.rows() + 1) * (self.board.cols() + 1)
    }

    fn margins(&self) -> usize {
        2 * self.board.boxes() + 1
    }

    /// Height and width of the grid.
    fn grid(&self) -> (usize, usize) {
        match self.shape {
            Shape::Lattice(..) => (2 * self.board.rows() + 1, 2 * self.board.cols() + 1),
            _ => (self.board.rows() + 1, self.board.cols() + 1),
        }
    }

    /// Shapes of the parameters in the order of use; `false` for those that begin at zero.
    fn specs(&self) -> Vec<(Vec<usize>, bool)> {
        let (cells, margins) = (self.cells(), self.margins());
        let mut specs: Vec<(Vec<usize>, bool)> = Vec::new();
        let mut add = |shape: &[usize], random: bool| specs.push((shape.to_vec(), random));
        let tower = |c: usize, blocks: usize, policy: usize, chains: usize, add: &mut dyn FnMut(&[usize], bool)| {
            add(&[c, PLANES, 3, 3], true);
            add(&[c], false);
            for _ in 0..blocks {
                add(&[c, c, 3, 3], true);
                add(&[c], false);
                add(&[2 * c, c], false);
                add(&[c, c, 3, 3], false);
                add(&[c], false);
            }
            add(&[2 * c, c], false);
            add(&[policy, c, 1, 1], false);
            add(&[policy], false);
            add(&[2 * c, 64], true);
            add(&[64], false);
            if chains > 0 {
                add(&[64, chains], false);
                add(&[chains], false);
                add(&[66, 64], true);
                add(&[64], false);
            }
            add(&[64, margins], false);
            add(&[margins], false);
        };
        match self.shape {
            Shape::Packed(c, blocks) => tower(c, blocks, 2, 0, &mut add),
            Shape::Chains(c, blocks, _) => tower(c, blocks, 2, MOST_CHAINS + 1, &mut add),
            Shape::Lattice(c, blocks) => tower(c, blocks, 1, 0, &mut add),
            Shape::Dense(widths) => {
                let mut inputs = cells * PLANES;
                for &width in widths {
                    add(&[inputs, width], true);
                    add(&[width], false);
                    inputs = width;
                }
                add(&[inputs, 2 * cells + margins], false);
                add(&[2 * cells + margins], false);
            }
            Shape::Mixer(width, blocks) => {
                add(&[PLANES, width], true);
                add(&[width], false);
                for _ in 0..blocks {
                    add(&[cells, 2 * cells], true);
                    add(&[2 * cells, cells], false);
                    add(&[width, 2 * width], true);
                    add(&[2 * width, width], false);
                }
                add(&[width, 2], false);
                add(&[cells * width, 64], true);
                add(&[64], false);
                add(&[64, margins], false);
                add(&[margins], false);
            }
        }
        specs
    }

    pub fn numbers(&self) -> usize {
        self.specs().iter().map(|(shape, _)| shape.iter().product::<usize>()).sum()
    }

    /// Multiplications and additions of one forward pass, those of the matrices alone.
    pub fn operations(&self) -> usize {
        let (height, width) = self.grid();
        let specs = self.specs();
        let last = specs.len();
        let of = |(index, (shape, _)): (usize, &(Vec<usize>, bool))| {
            let count = shape.iter().product::<usize>();
            match (self.shape, shape.len()) {
                (_, 1) => 0,
                (_, 4) => 2 * count * height * width,
                (Shape::Mixer(tokens, blocks), _) if index >= 2 && index < 2 + 4 * blocks && (index - 2) % 4 < 2 => {
                    2 * count * tokens
                }
                (Shape::Mixer(..), _) if index + 4 < last => 2 * count * self.cells(),
                _ => 2 * count,
            }
        };
        specs.iter().enumerate().map(of).sum()
    }

    pub fn initial(&self, seed: u64) -> Vec<Vec<f32>> {
        let mut rng = stream(seed, 0, 0, Purpose::Weights);
        let mut tensor = |(shape, random): (Vec<usize>, bool)| {
            let inputs = if shape.len() == 4 { shape[1] * shape[2] * shape[3] } else { shape[0] };
            let bound = if random { (6.0 / inputs as f32).sqrt() } else { 0.0 };
            (0..shape.iter().product()).map(|_| bound * (2.0 * rng.random::<f32>() - 1.0)).collect()
        };
        self.specs().into_iter().map(&mut tensor).collect()
    }

    /// The size of [`Net::write`].
    pub fn inputs(&self) -> usize {
        let (height, width) = self.grid();
        height * width * PLANES
    }

    /// A position's input, `[row][column][plane]`.
    pub fn write(&self, drawn: Edges, input: &mut [f32]) {
        let mut planes = vec![0.0; self.cells() * PLANES];
        write_planes(self.board, drawn, &mut planes);
        if self.input == Input::Raw {
            for (index, value) in planes.iter_mut().enumerate() {
                *value *= RAW.contains(&(index % PLANES)) as u8 as f32;
            }
        }
        let (Shape::Lattice(..), width) = (self.shape, self.board.cols() + 1) else {
            input.copy_from_slice(&planes);
            return;
        };
        // A cell's edges and box go apart; what concerns the whole position is everywhere.
        input.fill(0.0);
        let lattice = 2 * self.board.cols() + 1;
        for (cell, planes) in planes.chunks_exact(PLANES).enumerate() {
            let (y, x) = (2 * (cell / width), 2 * (cell % width));
            for (dy, dx, own) in [(0, 1, 0..1), (1, 0, 1..2), (1, 1, 6..14), (0, 0, 0..0)] {
                let (y, x) = (y + dy, x + dx);
                if y > 2 * self.board.rows() || x >= lattice {
                    continue;
                }
                let place = &mut input[(y * lattice + x) * PLANES..][..PLANES];
                match own.len() {
                    1 => [0, 2, 4].iter().for_each(|kind| place[kind + own.start] = planes[kind + own.start]),
                    _ => place[own.clone()].copy_from_slice(&planes[own]),
                }
                place[14..].copy_from_slice(&planes[14..]);
            }
        }
    }

    /// Whether it is told the number of long chains.
    pub fn is_told(&self) -> bool {
        matches!(self.shape, Shape::Chains(_, _, true))
    }

    /// Logits of edge places, of margins and, where the shape has them, of the number of long chains, of inputs
    /// `[batch, rows * columns * planes]`.
    pub fn forward(&self, parameters: &[Tensor<1>], input: Tensor<2>) -> (Tensor<2>, Tensor<2>, Option<Tensor<2>>) {
        let batch = input.dims()[0];
        let specs = self.specs();
        let mut next = parameters.iter().cloned().zip(specs.into_iter().map(|(shape, _)| shape));
        let mut matrix = |x: Tensor<2>| {
            let (weight, shape) = next.next().expect("a parameter");
            x.matmul(weight.reshape([shape[0], shape[1]]))
        };
        let (cells, margins) = (self.cells(), self.margins());
        match self.shape {
            Shape::Dense(widths) => {
                let mut x = input;
                for layer in 0..=widths.len() {
                    let (weight, shape) = next.next().expect("a parameter");
                    let (bias, _) = next.next().expect("a parameter");
                    x = x.matmul(weight.reshape([shape[0], shape[1]])) + bias.reshape([1, shape[1]]);
                    if layer < widths.len() {
                        x = relu(x);
                    }
                }
                (x.clone().slice([0..batch, 0..2 * cells]), x.slice([0..batch, 2 * cells..2 * cells + margins]), None)
            }
            Shape::Mixer(width, blocks) => {
                let x = matrix(input.reshape([batch * cells, PLANES]));
                let (bias, _) = next.next().expect("a parameter");
                let mut x = relu(x + bias.reshape([1, width]));
                let mut matrix = |x: Tensor<2>| {
                    let (weight, shape) = next.next().expect("a parameter");
                    x.matmul(weight.reshape([shape[0], shape[1]]))
                };
                for _ in 0..blocks {
                    let across = x.clone().reshape([batch, cells, width]).swap_dims(1, 2);
                    let hidden = relu(matrix(across.reshape([batch * width, cells])));
                    let mixed = matrix(hidden).reshape([batch, width, cells]).swap_dims(1, 2);
                    x = x + mixed.reshape([batch * cells, width]);
                    let hidden = relu(matrix(x.clone()));
                    x = x + matrix(hidden);
                }
                let x = relu(x);
                let policy = matrix(x.clone()).reshape([batch, cells, 2]).swap_dims(1, 2).reshape([batch, 2 * cells]);
                let hidden = matrix(x.reshape([batch, cells * width]));
                let (bias, _) = next.next().expect("a parameter");
                let hidden = relu(hidden + bias.reshape([1, 64]));
                let (weight, shape) = next.next().expect("a parameter");
                let (bias, _) = next.next().expect("a parameter");
                (policy, hidden.matmul(weight.reshape([shape[0], shape[1]])) + bias.reshape([1, margins]), None)
            }
            Shape::Packed(c, blocks) | Shape::Lattice(c, blocks) | Shape::Chains(c, blocks, _) => {
                let (height, width) = self.grid();
                let parity = input.clone().slice([0..batch, ODD_UNDRAWN..ODD_UNDRAWN + 1]);
                let x = input.reshape([batch, height, width, PLANES]).permute([0, 3, 1, 2]);
                let parity = matches!(self.shape, Shape::Chains(..)).then_some(parity);
                let (policy, margins, chains) = tower(&mut next, x, (c, blocks), parity, margins);
                let policy = policy.flatten::<2>(1, 3);
                match self.shape {
                    Shape::Lattice(..) => (self.edges_of_lattice(policy), margins, chains),
                    _ => (policy, margins, chains),
                }
            }
        }
    }

    /// The lattice's values at edges, in the order of the packed grid's edge places. Places without an edge get what is
    /// at the corner; a mask keeps them out of everything.
    fn edges_of_lattice(&self, values: Tensor<2>) -> Tensor<2> {
        let (cells, width, lattice) = (self.cells(), self.board.cols() + 1, 2 * self.board.cols() + 1);
        let place = |vertical: usize, cell: usize| {
            let (y, x) = (2 * (cell / width) + vertical, 2 * (cell % width) + 1 - vertical);
            if y > 2 * self.board.rows() || x >= lattice { 0 } else { (y * lattice + x) as i32 }
        };
        let places: Vec<i32> = (0..2 * cells).map(|index| place(index / cells, index % cells)).collect();
        let device = values.device();
        let places = Tensor::from_data(TensorData::new(places, [2 * cells]), &device);
        values.select(1, places)
    }
}

/// A residual tower with global pooling; gives `[batch, policy planes, height, width]`, the margins' logits, and those of
/// the number of long chains when there is a parity for them to meet.
fn tower(
    next: &mut dyn Iterator<Item = (Tensor<1>, Vec<usize>)>,
    x: Tensor<4>,
    (c, blocks): (usize, usize),
    parity: Option<Tensor<2>>,
    margins: usize,
) -> (Tensor<4>, Tensor<2>, Option<Tensor<2>>) {
    let mut take = || next.next().expect("a parameter");
    let convolution = |x: Tensor<4>, take: &mut dyn FnMut() -> (Tensor<1>, Vec<usize>)| {
        let ((weight, shape), (bias, _)) = (take(), take());
        let shape = [shape[0], shape[1], shape[2], shape[3]];
        let padding = [shape[2] / 2, shape[3] / 2];
        conv2d(x, weight.reshape(shape), Some(bias), ConvOptions::new([1, 1], padding, [1, 1], 1))
    };
    let pool = |x: Tensor<4>| {
        let [batch, channels, height, width] = x.dims();
        let cells = x.reshape([batch, channels, height * width]);
        let mean = cells.clone().mean_dim(2).reshape([batch, channels]);
        Tensor::cat(vec![mean, cells.max_dim(2).reshape([batch, channels])], 1)
    };
    let spread = |pooled: Tensor<2>, take: &mut dyn FnMut() -> (Tensor<1>, Vec<usize>)| {
        let batch = pooled.dims()[0];
        pooled.matmul(take().0.reshape([2 * c, c])).reshape([batch, c, 1, 1])
    };
    let mut x = relu(convolution(x, &mut take));
    for _ in 0..blocks {
        let t = convolution(x.clone(), &mut take);
        let t = relu(t.clone() + spread(pool(relu(t)), &mut take));
        x = relu(x + convolution(t, &mut take));
    }
    let pooled = pool(x.clone());
    let q = relu(x + spread(pooled.clone(), &mut take));
    let policy = convolution(q, &mut take);
    let hidden = pooled.matmul(take().0.reshape([2 * c, 64])) + take().0.reshape([1, 64]);
    let mut hidden = relu(hidden);
    let chains = parity.map(|parity| {
        let count = MOST_CHAINS + 1;
        let chains = hidden.clone().matmul(take().0.reshape([64, count])) + take().0.reshape([1, count]);
        let odd: Vec<f32> = (0..count).map(|n| (n % 2) as f32).collect();
        let odd = Tensor::<2>::from_data(TensorData::new(odd, [1, count]), &parity.device());
        let odd = (softmax(chains.clone(), 1) * odd).sum_dim(1);
        // Whether the parities differ, from -1 to 1, if the numbers of chains are as likely as the network says.
        let differs = (parity.mul_scalar(2.0) - 1.0) * (odd.mul_scalar(-2.0) + 1.0);
        let inner = Tensor::cat(vec![hidden.clone(), differs.clone(), differs.neg()], 1);
        hidden = relu(inner.matmul(take().0.reshape([66, 64])) + take().0.reshape([1, 64]));
        chains
    });
    let margins = hidden.matmul(take().0.reshape([64, margins])) + take().0.reshape([1, margins]);
    (policy, margins, chains)
}

/// The edge place of an edge, as the networks count them.
pub fn place(board: Board, edge: doublecross::board::Edge) -> usize {
    let (orientation, row, col) = board.coordinates(edge);
    let vertical = (orientation == Orientation::Vertical) as usize;
    (vertical * (board.rows() + 1) + row) * (board.cols() + 1) + col
}
