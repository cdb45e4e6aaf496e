//! Bytes split into lines, with a limit on the length of a line.

/// The most bytes of a line. The rest of a longer line is read as further lines.
const MAX_LINE: usize = 4096;

/// Bytes that arrive in pieces and leave as lines.
#[derive(Debug, Default)]
pub(super) struct Lines {
    bytes: Vec<u8>,
    /// The number of bytes that have left.
    taken: usize,
}

impl Lines {
    /// Adds bytes at the end.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.taken);
        self.taken = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// The number of bytes that have not left.
    pub fn len(&self) -> usize {
        self.bytes.len() - self.taken
    }

    /// Removes the first line with its line break, or the first piece of a line that is too long.
    pub fn next_line(&mut self) -> Option<Vec<u8>> {
        let rest = &self.bytes[self.taken..];
        let rest = &rest[..rest.len().min(MAX_LINE)];
        let length = rest.iter().position(|&byte| byte == b'\n').map(|end| end + 1);
        let line = rest[..length.or((rest.len() == MAX_LINE).then_some(MAX_LINE))?].to_vec();
        self.taken += line.len();
        Some(line)
    }

    /// Removes all bytes. A last line needs no line break if nothing follows it.
    pub fn take_rest(&mut self) -> Vec<u8> {
        let rest = self.bytes.split_off(self.taken);
        self.bytes.clear();
        self.taken = 0;
        rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_leave_whole_and_in_order() {
        let mut lines = Lines::default();
        lines.push(b"one\ntw");
        assert_eq!(lines.next_line().as_deref(), Some(&b"one\n"[..]));
        assert_eq!(lines.next_line(), None);
        lines.push(b"o\n\nrest");
        assert_eq!(lines.next_line().as_deref(), Some(&b"two\n"[..]));
        assert_eq!(lines.next_line().as_deref(), Some(&b"\n"[..]));
        assert_eq!((lines.next_line(), lines.len()), (None, 4));
        assert_eq!((lines.take_rest(), lines.len()), (b"rest".to_vec(), 0));
    }

    #[test]
    fn long_lines_leave_in_pieces() {
        let mut lines = Lines::default();
        lines.push(&[b'x'; MAX_LINE + 2]);
        assert_eq!(lines.next_line().map(|line| line.len()), Some(MAX_LINE));
        assert_eq!(lines.next_line(), None);
        lines.push(b"\n");
        assert_eq!(lines.next_line().as_deref(), Some(&b"xx\n"[..]));
    }
}
