//! The encoding of Protocol Buffers (<https://protobuf.dev/programming-guides/encoding/>), as far as a model in ONNX
//! needs it: numbers, and everything else with its length.

/// A message that is being written, field by field.
#[derive(Default)]
pub struct Message(Vec<u8>);

impl Message {
    /// Adds a number, which is not negative, to the field with this tag.
    pub fn number(mut self, tag: u32, number: usize) -> Message {
        self.varint(u64::from(tag) << 3);
        self.varint(number as u64);
        self
    }

    /// Adds bytes.
    pub fn bytes(mut self, tag: u32, bytes: &[u8]) -> Message {
        self.varint(u64::from(tag) << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend(bytes);
        self
    }

    /// Adds a text.
    pub fn text(self, tag: u32, text: &str) -> Message {
        self.bytes(tag, text.as_bytes())
    }

    /// Adds a message.
    pub fn message(self, tag: u32, message: Message) -> Message {
        self.bytes(tag, &message.0)
    }

    /// Adds a value of a repeated field for each item.
    pub fn each<T>(self, items: impl IntoIterator<Item = T>, add: impl Fn(Message, T) -> Message) -> Message {
        items.into_iter().fold(self, add)
    }

    /// Returns the bytes.
    pub fn finish(self) -> Vec<u8> {
        self.0
    }

    /// Writes a number in groups of seven bits, the lowest first.
    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the format's own documentation.
    #[test]
    fn messages_have_the_documented_bytes() {
        assert_eq!(Message::default().number(1, 150).finish(), [0x08, 0x96, 0x01]);
        assert_eq!(Message::default().text(2, "testing").finish(), b"\x12\x07testing");
        let inner = Message::default().number(1, 150);
        assert_eq!(Message::default().message(3, inner).finish(), [0x1a, 0x03, 0x08, 0x96, 0x01]);
        let repeated = Message::default().each([3, 270, 86942], |message, number| message.number(6, number));
        assert_eq!(repeated.finish(), [0x30, 0x03, 0x30, 0x8e, 0x02, 0x30, 0x9e, 0xa7, 0x05]);
    }
}
