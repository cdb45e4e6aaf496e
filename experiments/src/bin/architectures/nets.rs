//! The networks that are compared. All end in logits of 72 edge places (the horizontal edges of all cells of the packed
//! grid, then the vertical ones) and of 51 margins.

use burn::tensor::activation::relu;
use burn::tensor::{Tensor, TensorData};
use doublecross::board::{Board, State};
use doublecross::net::{PLANES, PolicyCell, write_planes};
use doublecross::random::{Purpose, stream};
use rand::RngExt;

use crate::attention::{self, Scope};
use crate::auxiliary::Auxiliary;
use crate::tower::{Ends, Tower, by_plane};

/// The input planes of a network.
#[derive(Clone, Copy, PartialEq)]
pub enum Input {
    /// All planes of the engine.
    Structural,
    /// The planes of edges and boxes alone.
    Raw,
}

#[derive(Clone, Copy)]
enum Shape {
    /// A residual tower over the 6x6 cells: channels, blocks.
    Packed(usize, usize),
    /// The packed tower with a layer for the number of long chains, whose parity goes to the margin head. The flag makes the
    /// number a target.
    Chains(usize, usize, bool),
    /// The packed tower with a head for the owner of each box while it learns.
    Owners(usize, usize),
    /// The packed tower with a head for the opponent's reply while it learns.
    Reply(usize, usize),
    /// The packed tower with attention between cells after its middle and its last block.
    Attention(usize, usize, Scope),
    /// A residual tower over the 11x11 lattice of dots, edges and boxes.
    Lattice(usize, usize),
    /// Hidden layers of these widths over all planes of all cells.
    Dense(&'static [usize]),
    /// Cells as tokens: width, blocks of mixing between cells and within them.
    Mixer(usize, usize),
}

/// A network of one shape.
pub struct Net {
    pub name: String,
    /// `true` if it sees positions in their canonical form, or under a random symmetry each time.
    pub canonical: bool,
    input: Input,
    shape: Shape,
    board: Board,
}

/// The networks, by name.
pub fn candidates(board: Board) -> Vec<Net> {
    let net = |name: &str, shape, input, canonical| Net { name: name.into(), canonical, input, shape, board };
    use Input::{Raw, Structural};
    vec![
        net("packed-32x4", Shape::Packed(32, 4), Structural, false),
        net("chains-32x4", Shape::Chains(32, 4, true), Structural, false),
        net("chains-32x4-untold", Shape::Chains(32, 4, false), Structural, false),
        net("owners-32x4", Shape::Owners(32, 4), Structural, false),
        net("reply-32x4", Shape::Reply(32, 4), Structural, false),
        net("attention-32x4", Shape::Attention(32, 4, Scope::Board), Structural, false),
        net("chain-attention-32x4", Shape::Attention(32, 4, Scope::Chain), Structural, false),
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

/// The planes of edges and boxes.
const RAW: [usize; 5] = [0, 1, 2, 3, 6];

impl Net {
    fn cells(&self) -> usize {
        PolicyCell::count(self.board)
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
        if let Some(tower) = self.tower() {
            tower.specs(&mut add);
        }
        match self.shape {
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
            _ => {}
        }
        specs
    }

    /// The tower of the shapes that are one.
    fn tower(&self) -> Option<Tower> {
        let (channels, blocks) = match self.shape {
            Shape::Packed(c, blocks) | Shape::Lattice(c, blocks) | Shape::Chains(c, blocks, _) => (c, blocks),
            Shape::Owners(c, blocks) | Shape::Reply(c, blocks) | Shape::Attention(c, blocks, _) => (c, blocks),
            Shape::Dense(_) | Shape::Mixer(..) => return None,
        };
        Some(Tower {
            channels,
            blocks,
            policy: if matches!(self.shape, Shape::Lattice(..)) { 1 } else { 2 },
            margins: self.margins(),
            counts_chains: matches!(self.shape, Shape::Chains(..)),
            attention: match self.shape {
                Shape::Attention(_, _, scope) => Some(scope),
                _ => None,
            },
            head: self.auxiliary().filter(|&auxiliary| auxiliary != Auxiliary::Chains),
        })
    }

    /// The number of parameters.
    pub fn numbers(&self) -> usize {
        self.specs().iter().map(|(shape, _)| shape.iter().product::<usize>()).sum()
    }

    /// Multiplications and additions of the matrices in one forward pass.
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
        let attention =
            self.tower().map_or(0, |tower| tower.attentions() * attention::operations(self.cells(), tower.channels));
        specs.iter().enumerate().map(of).sum::<usize>() + attention
    }

    /// First parameters.
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
        height * width * PLANES + self.masks()
    }

    /// The size of the mask that follows the planes.
    fn masks(&self) -> usize {
        if matches!(self.shape, Shape::Attention(_, _, Scope::Chain)) { self.cells() * self.cells() } else { 0 }
    }

    /// Writes the input of a state, `[row][column][plane]`, and a mask.
    pub fn write(&self, state: State, input: &mut [f32]) {
        let (input, mask) = input.split_at_mut(self.inputs() - self.masks());
        if !mask.is_empty() {
            attention::write_chains(state, mask);
        }
        let mut planes = vec![0.0; self.cells() * PLANES];
        write_planes(state, &mut planes);
        if self.input == Input::Raw {
            for (index, value) in planes.iter_mut().enumerate() {
                *value *= RAW.contains(&(index % PLANES)) as u8 as f32;
            }
        }
        let (Shape::Lattice(..), width) = (self.shape, self.board.cols() + 1) else {
            input.copy_from_slice(&planes);
            return;
        };
        // A cell's edges and box go to places of their own; the planes of the whole position are everywhere.
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

    /// Its auxiliary target.
    pub fn auxiliary(&self) -> Option<Auxiliary> {
        match self.shape {
            Shape::Chains(_, _, true) => Some(Auxiliary::Chains),
            Shape::Owners(..) => Some(Auxiliary::Owners),
            Shape::Reply(..) => Some(Auxiliary::Reply),
            _ => None,
        }
    }

    /// The same network without a head that serves learning alone. Its parameters are the first of this one's.
    pub fn for_play(&self) -> Net {
        let shape = match self.shape {
            Shape::Owners(c, blocks) | Shape::Reply(c, blocks) => Shape::Packed(c, blocks),
            shape => shape,
        };
        Net { name: self.name.clone(), shape, ..*self }
    }

    /// Logits of edge places, of margins and, where the shape has one, of the auxiliary target, for inputs
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
            _ => {
                let (height, width) = self.grid();
                let parity = input.clone().slice([0..batch, ODD_UNDRAWN..ODD_UNDRAWN + 1]);
                let planes = height * width * PLANES;
                let mask = (self.masks() > 0).then(|| input.clone().slice([0..batch, planes..planes + self.masks()]));
                let x = input.slice([0..batch, 0..planes]).reshape([batch, height, width, PLANES]);
                let tower = self.tower().expect("the other shapes are towers");
                let Ends { policy, margins, auxiliary } =
                    tower.forward(&mut || next.next().expect("a parameter"), x, parity, mask);
                let policy = by_plane(policy);
                match self.shape {
                    Shape::Lattice(..) => (self.edges_of_lattice(policy), margins, auxiliary),
                    _ => (policy, margins, auxiliary),
                }
            }
        }
    }

    /// The lattice's values at edges, in the order of the packed grid's edge places. Places without an edge get the value of
    /// the corner, which the policy's mask hides.
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
