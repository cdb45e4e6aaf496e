//! A graph of ONNX operators that is being written (<https://onnx.ai/onnx/repo-docs/IR.html>).

use super::encoding::Message;

/// The numbers that ONNX gives to types of tensors.
const FLOAT: usize = 1;
const INT64: usize = 7;
/// The numbers that it gives to types of attributes.
const INT: usize = 2;
const INTS: usize = 7;

/// A graph. Each operator has one output, and is named like it.
#[derive(Default)]
pub struct Graph(Message);

/// A length of an axis: a number, or a name where it is free.
pub enum Length {
    /// A fixed length.
    Fixed(usize),
    /// A free length.
    Free(&'static str),
}

impl Graph {
    /// Adds an operator, and returns the name of its output.
    pub fn operator(&mut self, kind: &str, inputs: &[&str], output: &str, attributes: &[(&str, &[usize])]) -> String {
        let node = Message::default()
            .each(inputs, |node, input| node.text(1, input))
            .text(2, output)
            .text(3, output)
            .text(4, kind)
            .each(attributes, |node, (name, numbers)| node.message(5, attribute(name, numbers)));
        self.add(1, node);
        output.to_string()
    }

    /// Adds constant 32-bit floats, in row-major order.
    pub fn floats(&mut self, name: &str, shape: &[usize], numbers: &[f32]) {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.constant(name, shape, FLOAT, &bytes);
    }

    /// Adds constant integers.
    pub fn integers(&mut self, name: &str, numbers: &[i64]) {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.constant(name, &[numbers.len()], INT64, &bytes);
    }

    /// Names an input of the graph, of 32-bit floats.
    pub fn input(&mut self, name: &str, shape: &[Length], about: &str) {
        self.add(11, value(name, shape, about));
    }

    /// Names an output.
    pub fn output(&mut self, name: &str, shape: &[Length], about: &str) {
        self.add(12, value(name, shape, about));
    }

    /// Returns the graph as a message.
    pub fn finish(self, name: &str) -> Message {
        self.0.text(2, name)
    }

    fn constant(&mut self, name: &str, shape: &[usize], kind: usize, bytes: &[u8]) {
        let tensor = Message::default().each(shape, |tensor, &length| tensor.number(1, length));
        self.add(5, tensor.number(2, kind).text(8, name).bytes(9, bytes));
    }

    fn add(&mut self, tag: u32, message: Message) {
        self.0 = std::mem::take(&mut self.0).message(tag, message);
    }
}

/// An attribute of an operator: a number, or several.
fn attribute(name: &str, numbers: &[usize]) -> Message {
    let attribute = Message::default().text(1, name);
    match numbers {
        [number] => attribute.number(3, *number).number(20, INT),
        several => attribute.each(several, |attribute, &number| attribute.number(8, number)).number(20, INTS),
    }
}

/// The name, type and description of an input or output.
fn value(name: &str, shape: &[Length], about: &str) -> Message {
    let axes = Message::default().each(shape, |axes, length| {
        axes.message(
            1,
            match length {
                Length::Fixed(length) => Message::default().number(1, *length),
                Length::Free(name) => Message::default().text(2, name),
            },
        )
    });
    let tensor = Message::default().number(1, FLOAT).message(2, axes);
    Message::default().text(1, name).message(2, Message::default().message(1, tensor)).text(3, about)
}
