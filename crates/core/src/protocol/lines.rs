//! The lines that other programs write, which may begin with a byte-order mark, end with CR LF, or
//! be padded with NUL bytes.

use std::io::{self, BufRead, Read};

/// The most bytes of a line that are read. An observation of the largest board has some 3 KB.
pub const MAX_LINE: usize = 1 << 20;

/// The byte-order mark of UTF-8.
pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Returns a line without a byte-order mark, and without white space and NUL bytes at its ends.
pub fn trim_line(line: &[u8]) -> &[u8] {
    let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
    let is_content = |byte: &u8| !byte.is_ascii_whitespace() && *byte != 0;
    let start = line.iter().position(is_content).unwrap_or(line.len());
    let end = line.iter().rposition(is_content).map_or(start, |last| last + 1);
    &line[start..end]
}

/// Returns the lines of a text that hold something, trimmed, each with its number from 1 on.
///
/// ```
/// use doublecross_core::protocol::numbered_lines;
/// let lines = numbered_lines(b"\xef\xbb\xbfone\r\n\r\nthree\0\0");
/// assert_eq!(lines.collect::<Vec<_>>(), [(1, &b"one"[..]), (3, b"three")]);
/// ```
pub fn numbered_lines(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let lines = text.split(|&byte| byte == b'\n').map(trim_line).enumerate();
    lines.filter(|(_, line)| !line.is_empty()).map(|(index, line)| (index + 1, line))
}

/// A line of a stream, without its line break.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// At most the first [`MAX_LINE`] bytes.
    pub bytes: Vec<u8>,
    /// `true` if the line is longer and the rest was skipped.
    pub is_cut: bool,
}

/// An iterator over the lines of a stream, which needs little memory however long they are.
#[derive(Debug)]
pub struct Lines<R>(pub R);

impl<R: BufRead> Lines<R> {
    fn read(&mut self) -> io::Result<Option<Line>> {
        let mut bytes = Vec::new();
        let limit = MAX_LINE as u64 + 1;
        if (&mut self.0).take(limit).read_until(b'\n', &mut bytes)? == 0 {
            return Ok(None);
        }
        if bytes.last() == Some(&b'\n') {
            bytes.pop();
            return Ok(Some(Line { bytes, is_cut: false }));
        }
        let is_cut = bytes.len() > MAX_LINE;
        if is_cut {
            bytes.truncate(MAX_LINE);
            self.0.skip_until(b'\n')?;
        }
        Ok(Some(Line { bytes, is_cut }))
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = io::Result<Line>;

    fn next(&mut self) -> Option<io::Result<Line>> {
        self.read().transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn long_lines_are_cut_and_the_next_one_is_whole() {
        let text = [&vec![b'a'; MAX_LINE][..], b"\n", &vec![b'b'; 3 * MAX_LINE], b"\nc"].concat();
        let lines: Vec<Line> = Lines(&text[..]).map(Result::unwrap).collect();
        assert_eq!(lines.iter().map(|line| line.is_cut).collect::<Vec<_>>(), [false, true, false]);
        assert_eq!(lines[0].bytes.len(), MAX_LINE);
        assert_eq!(lines[1].bytes, vec![b'b'; MAX_LINE]);
        assert_eq!(lines[2].bytes, b"c");
    }

    proptest! {
        #[test]
        fn short_lines_are_those_of_the_standard_library(text in prop::collection::vec(prop_oneof![Just(b'\n'), any::<u8>()], 0..60)) {
            let lines: Vec<Vec<u8>> = Lines(&text[..]).map(|line| line.unwrap().bytes).collect();
            let expected: Vec<Vec<u8>> = io::BufRead::split(&text[..], b'\n').map(Result::unwrap).collect();
            prop_assert_eq!(lines, expected);
        }
    }
}
