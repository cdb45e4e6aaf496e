//! The network as a model in ONNX, which runtimes of many languages evaluate.

mod encoding;
mod graph;

use doublecross_core::net::{Architecture, BlockKind, TensorSpec, Weights};

use self::encoding::Message;
use self::graph::{Graph, Length};
use super::metadata::metadata;

/// The version of ONNX's operators, and of the format that came with it.
const OPERATORS: usize = 18;
const FORMAT: usize = 8;

/// Returns the network as a model.
///
/// Its input is `planes`, `[batch, planes, rows + 1, columns + 1]`; its outputs are `policy`, logits `[batch, 2, rows +
/// 1, columns + 1]` of each cell's horizontal and vertical edge, and `margins`, logits `[batch, margins]`. The batch is
/// free, and of a network of several boards the size of the grid as well. Constants have the names and shapes of
/// [`safetensors`](super::safetensors), and the metadata are the same.
pub fn onnx(weights: &Weights) -> Vec<u8> {
    let model = Message::default()
        .number(1, FORMAT)
        .text(2, "doublecross")
        .text(3, env!("CARGO_PKG_VERSION"))
        .message(7, graph(weights))
        .message(8, Message::default().text(1, "").number(2, OPERATORS))
        .each(metadata(weights), |model, (key, value)| {
            model.message(14, Message::default().text(1, key).text(2, &value))
        });
    model.finish()
}

/// The network's layers as [`Architecture`] describes them.
fn graph(weights: &Weights) -> Message {
    let Architecture { blocks, planes, block, .. } = weights.architecture;
    let board = weights.board;
    let mut layers = Layers::of(weights);
    let mut x = layers.convolution("stem", "planes");
    x = layers.relu(&x);
    for index in 0..blocks {
        let name = format!("block{index}");
        let BlockKind::Pooled = block;
        let t = layers.convolution(&format!("{name}.conv1"), &x);
        let active = layers.relu(&t);
        let pooled = layers.pool(&active);
        let t = layers.add_to_cells(&format!("{name}.pool"), &t, &pooled);
        let t = layers.relu(&t);
        let t = layers.convolution(&format!("{name}.conv2"), &t);
        let sum = layers.graph.operator("Add", &[&x, &t], &format!("{name}.sum"), &[]);
        x = layers.relu(&sum);
    }
    let pooled = layers.pool(&x);
    let policy = layers.convolution("policy.conv", &x);
    let policy = layers.add_to_cells("policy.pool", &policy, &pooled);
    let policy = layers.relu(&policy);
    layers.convolution_to("policy.out", &policy, "policy");
    let hidden = layers.linear("value.hidden", &pooled, "value.hidden");
    let hidden = layers.relu(&hidden);
    layers.linear("value.out", &hidden, "margins");
    let mut graph = layers.graph;
    let grid = |axis, length: usize| match weights.other_boards.is_empty() {
        true => Length::Fixed(length + 1),
        false => Length::Free(axis),
    };
    let shape = |channels| {
        let (rows, columns) = (grid("rows_and_1", board.rows()), grid("columns_and_1", board.cols()));
        [Length::Free("batch"), Length::Fixed(channels), rows, columns]
    };
    graph.input("planes", &shape(planes), "The input planes of capture-free positions");
    graph.output("policy", &shape(2), "Logits of each cell's horizontal and vertical edge");
    let margins = [Length::Free("batch"), Length::Fixed(2 * board.boxes() + 1)];
    graph.output("margins", &margins, "Logits of the margins still to come, from the lowest to the highest");
    graph.finish("doublecross")
}

/// Layers that are being written, with the tensors that they take.
struct Layers {
    graph: Graph,
    specs: Vec<TensorSpec>,
}

impl Layers {
    fn of(weights: &Weights) -> Layers {
        let mut graph = Graph::default();
        let specs = weights.architecture.tensors(weights.board);
        for (spec, tensor) in specs.iter().zip(&weights.tensors) {
            graph.floats(&spec.name, &spec.shape, tensor);
        }
        graph.integers("cells", &[2, 3]);
        Layers { graph, specs }
    }

    /// A convolution, padded with zeros, whose output has its name.
    fn convolution(&mut self, name: &str, input: &str) -> String {
        self.convolution_to(name, input, name)
    }

    fn convolution_to(&mut self, name: &str, input: &str, output: &str) -> String {
        let (weight, bias) = (format!("{name}.weight"), format!("{name}.bias"));
        let kernel = self.specs.iter().find(|spec| spec.name == weight).expect("layers have tensors").shape[2];
        let attributes = [("kernel_shape", &[kernel; 2][..]), ("pads", &[kernel / 2; 4][..])];
        self.graph.operator("Conv", &[input, &weight, &bias], output, &attributes)
    }

    fn relu(&mut self, input: &str) -> String {
        self.graph.operator("Relu", &[input], &format!("{input}.relu"), &[])
    }

    /// The mean of each channel over all cells, then the maximum of each, `[batch, 2 * channels]`.
    fn pool(&mut self, input: &str) -> String {
        let mean = self.graph.operator("GlobalAveragePool", &[input], &format!("{input}.mean"), &[]);
        let maximum = self.graph.operator("GlobalMaxPool", &[input], &format!("{input}.maximum"), &[]);
        let pooled = self.graph.operator("Concat", &[&mean, &maximum], &format!("{input}.both"), &[("axis", &[1])]);
        self.graph.operator("Flatten", &[&pooled], &format!("{input}.pooled"), &[("axis", &[1])])
    }

    /// Adds the product of `pooled` and a layer's weights to every cell of `input`.
    fn add_to_cells(&mut self, name: &str, input: &str, pooled: &str) -> String {
        let product =
            self.graph.operator("MatMul", &[pooled, &format!("{name}.weight")], &format!("{name}.product"), &[]);
        let product = self.graph.operator("Unsqueeze", &[&product, "cells"], &format!("{name}.cells"), &[]);
        self.graph.operator("Add", &[input, &product], name, &[])
    }

    fn linear(&mut self, name: &str, input: &str, output: &str) -> String {
        self.graph.operator("Gemm", &[input, &format!("{name}.weight"), &format!("{name}.bias")], output, &[])
    }
}
