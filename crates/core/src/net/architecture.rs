//! The shape of a network: a residual tower with global pooling.

use std::fmt;

use crate::board::Board;

use super::{Axis, Init, PLANES, PolicyCell, Role, TensorSpec};

/// Width and depth of the tower, width of the margin head, and what the network is made of.
///
/// The network has no normalization layers; each block starts as the identity. Means and maxima are
/// taken over all cells. A ReLU follows every layer except the last one of each head:
///
/// * **stem**: a 3x3 convolution of the input planes to `channels`;
/// * **blocks**, `blocks` of them, each of one [`BlockKind`];
/// * **policy head**: a 1x1 convolution, to which `W [mean x, max x]` is added, and a 1x1
///   convolution to two logits for each cell, its horizontal and its vertical edge;
/// * **margin head**: two linear layers on `[mean x, max x]`, with `value_hidden` units between
///   them.
///
/// [`tensors`](Architecture::tensors) lists the tensors of all layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Architecture {
    /// Channels of the tower: a multiple of 16 from 16 to 512.
    pub channels: usize,
    /// Residual blocks, 0 to 64.
    pub blocks: usize,
    /// Hidden units of the margin head, 1 to 1024.
    pub value_hidden: usize,
    /// Input planes, 1 to [`PLANES`]: the network sees the first ones of the encoding.
    pub planes: usize,
    /// The kind of all blocks.
    pub block: BlockKind,
}

/// A kind of residual block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BlockKind {
    /// `t = conv(x)`, `t += W [mean relu(t), max relu(t)]`, `x += conv(t)`, with 3x3 convolutions.
    #[default]
    Pooled,
}

impl BlockKind {
    /// All kinds. A weights file states the place of its kind in this list.
    pub const ALL: [BlockKind; 1] = [BlockKind::Pooled];

    /// The name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            BlockKind::Pooled => "pooled",
        }
    }

    /// Adds the tensors of a block, whose names begin with `name`.
    ///
    /// Zeros in the last convolution make a block start as the identity.
    fn list(self, name: &str, list: &mut List) {
        use Axis::{Channels, Pooled};
        match self {
            BlockKind::Pooled => {
                list.convolution(&format!("{name}.conv1"), 3, Channels, Channels, Init::He);
                list.linear_without_bias(&format!("{name}.pool"), Pooled, Channels, Init::Zeros);
                list.convolution(&format!("{name}.conv2"), 3, Channels, Channels, Init::Zeros);
            }
        }
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Architecture { channels, blocks, value_hidden, planes, .. } = self;
        let blocks_word = if *blocks == 1 { "block" } else { "blocks" };
        write!(f, "{channels} channels, {blocks} {blocks_word} and {value_hidden} hidden units")?;
        if *planes < PLANES { write!(f, " on {planes} of {PLANES} input planes") } else { Ok(()) }
    }
}

impl Architecture {
    /// Returns a network of these sizes, with all input planes and blocks of the default kind.
    pub fn new(channels: usize, blocks: usize, value_hidden: usize) -> Architecture {
        Architecture { channels, blocks, value_hidden, planes: PLANES, block: BlockKind::default() }
    }

    /// Returns this network with the sizes of another one, which a config states. Input planes and
    /// the kind of blocks stay.
    pub fn resized(self, to: Architecture) -> Architecture {
        Architecture { channels: to.channels, blocks: to.blocks, value_hidden: to.value_hidden, ..self }
    }

    /// Checks that every size is within its range.
    ///
    /// # Errors
    /// Returns an error if a size is out of range.
    pub fn validate(&self) -> Result<(), ArchitectureError> {
        let range = |what, value, low, high| {
            if (low..=high).contains(&value) { Ok(()) } else { Err(ArchitectureError { what, value, low, high }) }
        };
        range("channels", self.channels, 16, 512)?;
        if !self.channels.is_multiple_of(16) {
            let low = self.channels / 16 * 16;
            return Err(ArchitectureError { what: "channels", value: self.channels, low, high: low + 16 });
        }
        range("blocks", self.blocks, 0, 64)?;
        range("value_hidden", self.value_hidden, 1, 1024)?;
        range("planes", self.planes, 1, PLANES)
    }

    /// The number of multiplications and additions of one forward pass, without those of biases,
    /// pooling and ReLUs.
    pub fn operations(&self, board: Board) -> u64 {
        let cells = PolicyCell::count(board);
        let of = |spec: TensorSpec| match spec.role {
            Role::Convolution { .. } => 2 * spec.len() * cells,
            Role::Linear { .. } => 2 * spec.len(),
            Role::Bias { .. } => 0,
        };
        self.tensors(board).into_iter().map(of).sum::<usize>() as u64
    }

    /// The length of an axis.
    fn size(&self, axis: Axis, board: Board) -> usize {
        match axis {
            Axis::Planes => self.planes,
            Axis::Channels => self.channels,
            Axis::Pooled => 2 * self.channels,
            Axis::Hidden => self.value_hidden,
            Axis::Edges => 2,
            Axis::Margins => 2 * board.boxes() + 1,
        }
    }

    /// All tensors of a weights file, in its order.
    ///
    /// Zeros in the last layers make the first policy uniform.
    pub fn tensors(&self, board: Board) -> Vec<TensorSpec> {
        use Axis::{Channels, Edges, Hidden, Margins, Planes, Pooled};
        let mut list = List { size: &|axis| self.size(axis, board), specs: Vec::new() };
        list.convolution("stem", 3, Planes, Channels, Init::He);
        for block in 0..self.blocks {
            self.block.list(&format!("block{block}"), &mut list);
        }
        list.convolution("policy.conv", 1, Channels, Channels, Init::He);
        list.linear_without_bias("policy.pool", Pooled, Channels, Init::Zeros);
        list.convolution("policy.out", 1, Channels, Edges, Init::Zeros);
        list.linear("value.hidden", Pooled, Hidden, Init::He);
        list.linear("value.out", Hidden, Margins, Init::Zeros);
        list.specs
    }

    /// The tensors of an edge head: like the policy's last layer, it gives a number for each edge.
    ///
    /// It serves learning alone and is not in weights files.
    pub fn edge_head(&self, board: Board) -> Vec<TensorSpec> {
        let mut list = List { size: &|axis| self.size(axis, board), specs: Vec::new() };
        list.convolution("edges.out", 1, Axis::Channels, Axis::Edges, Init::Zeros);
        list.specs
    }
}

/// A list of tensors to which layers are added.
struct List<'a> {
    size: &'a dyn Fn(Axis) -> usize,
    specs: Vec<TensorSpec>,
}

impl List<'_> {
    /// Adds a tensor.
    fn add(&mut self, name: String, role: Role, init: Init) {
        let size = self.size;
        let shape = match role {
            Role::Convolution { side, input, output } => vec![size(output), size(input), side, side],
            Role::Linear { input, output } => vec![size(input), size(output)],
            Role::Bias { output } => vec![size(output)],
        };
        self.specs.push(TensorSpec { name, role, shape, init });
    }

    /// Adds a convolution with a bias.
    fn convolution(&mut self, layer: &str, side: usize, input: Axis, output: Axis, init: Init) {
        self.add(format!("{layer}.weight"), Role::Convolution { side, input, output }, init);
        self.add(format!("{layer}.bias"), Role::Bias { output }, Init::Zeros);
    }

    /// Adds a linear layer with a bias.
    fn linear(&mut self, layer: &str, input: Axis, output: Axis, init: Init) {
        self.linear_without_bias(layer, input, output, init);
        self.add(format!("{layer}.bias"), Role::Bias { output }, Init::Zeros);
    }

    /// Adds a linear layer without a bias.
    fn linear_without_bias(&mut self, layer: &str, input: Axis, output: Axis, init: Init) {
        self.add(format!("{layer}.weight"), Role::Linear { input, output }, init);
    }
}

/// A size that is out of range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchitectureError {
    what: &'static str,
    value: usize,
    low: usize,
    high: usize,
}

impl fmt::Display for ArchitectureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ArchitectureError { what, value, low, high } = self;
        if *what == "channels" && (*low..*high).contains(value) {
            return write!(f, "network.channels = {value} is not a multiple of 16 ({low} and {high} are the nearest)");
        }
        write!(f, "network.{what} = {value} is out of range ({low} to {high})")
    }
}

impl std::error::Error for ArchitectureError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tensors_have_the_sizes_of_the_network() {
        let board = Board::new(2, 3).unwrap();
        let architecture = Architecture { planes: 7, ..Architecture::new(32, 1, 8) };
        let specs = architecture.tensors(board);
        let shape = |name: &str| specs.iter().find(|spec| spec.name == name).unwrap().shape.clone();
        assert_eq!(shape("stem.weight"), [32, 7, 3, 3]);
        assert_eq!(shape("stem.bias"), [32]);
        assert_eq!(shape("block0.pool.weight"), [64, 32]);
        assert_eq!(shape("policy.out.weight"), [2, 32, 1, 1]);
        assert_eq!(shape("value.hidden.weight"), [64, 8]);
        assert_eq!(shape("value.out.weight"), [8, 13]);
        assert_eq!(specs.len(), 16);
        let he: Vec<&str> = specs.iter().filter(|spec| spec.init == Init::He).map(|spec| spec.name.as_str()).collect();
        assert_eq!(he, ["stem.weight", "block0.conv1.weight", "policy.conv.weight", "value.hidden.weight"]);
        let edge_head = architecture.edge_head(board);
        assert_eq!(edge_head[0].shape, shape("policy.out.weight"));
        assert_eq!((edge_head.len(), edge_head[1].name.as_str()), (2, "edges.out.bias"));
        let weights = (7 + 32 + 32) * 32 * 9 + 32 * 32 + 2 * 32;
        assert_eq!(architecture.operations(board), 2 * (12 * weights + 2 * 64 * 32 + 64 * 8 + 8 * 13));
    }

    #[test]
    fn sizes_out_of_range_are_refused() {
        let found = |change: fn(&mut Architecture)| {
            let mut architecture = Architecture::new(32, 1, 8);
            change(&mut architecture);
            architecture.validate().err().map(|error| error.what)
        };
        assert_eq!(found(|_| ()), None);
        assert_eq!(found(|a| a.channels = 24), Some("channels"));
        assert_eq!(found(|a| a.blocks = 65), Some("blocks"));
        assert_eq!(found(|a| a.value_hidden = 0), Some("value_hidden"));
        assert_eq!(found(|a| a.planes = PLANES + 1), Some("planes"));
    }

    #[test]
    fn a_config_states_sizes_and_not_what_a_network_is_made_of() {
        let old = Architecture { planes: 3, ..Architecture::new(16, 1, 8) };
        assert_eq!(old.resized(Architecture::new(32, 2, 9)), Architecture { planes: 3, ..Architecture::new(32, 2, 9) });
        assert_eq!(old.to_string(), format!("16 channels, 1 block and 8 hidden units on 3 of {PLANES} input planes"));
    }

    /// The size of an axis in docs/formats.md.
    fn symbol(axis: Axis) -> &'static str {
        match axis {
            Axis::Planes => "p",
            Axis::Channels => "c",
            Axis::Pooled => "2 c",
            Axis::Hidden => "h",
            Axis::Edges => "2",
            Axis::Margins => "m",
        }
    }

    /// A line of the table of tensors in docs/formats.md.
    fn line(spec: &TensorSpec) -> String {
        let (shape, part) = match spec.role {
            Role::Convolution { side, input, output } => {
                (format!("{}, {}, {side}, {side}", symbol(output), symbol(input)), format!("{side}x{side} convolution"))
            }
            Role::Linear { input, output } => (format!("{}, {}", symbol(input), symbol(output)), "linear layer".into()),
            Role::Bias { output } => (symbol(output).into(), "bias".into()),
        };
        let init = match spec.init {
            Init::He => "He",
            Init::Zeros => "zeros",
        };
        let rule = if spec.role.is_hidden_weight() { "Muon" } else { "AdamW" };
        format!("| `{}` | {shape} | {part} | {init} | {rule} |\n", spec.name)
    }

    #[test]
    fn documents_list_the_tensors() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/formats.md");
        let text = std::fs::read_to_string(path).unwrap();
        let head = "| name | shape | part | initial values | updated by |\n|---|---|---|---|---|\n";
        let start = text.find(head).expect("the table of tensors") + head.len();
        let rows = text[start..].lines().take_while(|line| line.starts_with('|'));
        let end = start + rows.map(|row| row.len() + 1).sum::<usize>();
        let of = |block| Architecture { block, ..Architecture::new(16, 1, 8) }.tensors(Board::new(1, 1).unwrap());
        let is_of_block = |spec: &&TensorSpec| spec.name.starts_with("block0.");
        let ordinary = of(BlockKind::default());
        let mut table = String::new();
        ordinary.iter().take_while(|spec| !is_of_block(spec)).for_each(|spec| table += &line(spec));
        for (number, kind) in BlockKind::ALL.into_iter().enumerate() {
            table +=
                &format!("| for each of the b blocks of kind {number}, `{}`, here block 0: | | | | |\n", kind.name());
            of(kind).iter().filter(is_of_block).for_each(|spec| table += &line(spec));
        }
        table += "| after all blocks: | | | | |\n";
        ordinary.iter().skip_while(|spec| !is_of_block(spec)).filter(|spec| !is_of_block(spec)).for_each(|spec| {
            table += &line(spec);
        });
        if std::env::var_os("DOUBLECROSS_BLESS").is_some() {
            std::fs::write(path, [&text[..start], &table, &text[end..]].concat()).unwrap();
        } else {
            let hint = "DOUBLECROSS_BLESS=1 cargo test -p doublecross-core documents writes it";
            assert_eq!(&text[start..end], table, "{hint}");
        }
    }
}
