//! The recursive descent over a JSON text, which goes on after errors.

use super::{Json, JsonError};
use crate::protocol::lines::BYTE_ORDER_MARK;

/// The most lists and objects within each other that are read, so that no text overflows the stack.
/// Values that are nested deeper are passed over.
const MAX_DEPTH: usize = 128;

/// A text that is being parsed.
pub(super) struct Parser<'a> {
    text: &'a [u8],
    /// The index of the next byte.
    at: usize,
    /// The number of lists and of objects that are open.
    open: [usize; 2],
    /// The first error.
    error: Option<JsonError>,
}

/// The kinds of values with items, as indices of [`Parser::open`].
const LIST: usize = 0;
const OBJECT: usize = 1;

impl<'a> Parser<'a> {
    /// Starts at the beginning of `text`, after a byte-order mark.
    pub fn new(text: &'a [u8]) -> Parser<'a> {
        let at = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
        Parser { text, at, open: [0; 2], error: None }
    }

    /// Parses the whole text as one value. What cannot be read is `null`, and the first error is
    /// returned too.
    pub fn document(mut self) -> (Json, Option<JsonError>) {
        let value = self.value();
        self.skip_space();
        if self.at < self.text.len() {
            self.fail("the end");
        }
        (value, self.error)
    }

    fn fail(&mut self, expected: &'static str) {
        self.error.get_or_insert(JsonError { at: self.at, expected });
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Skips white space. NUL bytes, with which some programs pad their lines, count as such.
    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r' | b'\0')) {
            self.at += 1;
        }
    }

    /// Consumes `byte` if it is next, and returns `true` if it was.
    fn take(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += is_next as usize;
        is_next
    }

    fn value(&mut self) -> Json {
        self.skip_space();
        match self.peek() {
            Some(b'[' | b'{') if self.open[LIST] + self.open[OBJECT] == MAX_DEPTH => self.skip_nested(),
            Some(b'[') => Json::List(self.items(LIST, Self::value)),
            Some(b'{') => Json::Object(self.items(OBJECT, Self::member)),
            Some(b'"' | b'\'') => Json::Text(self.string()),
            _ => self.word(),
        }
    }

    /// Skips a list or an object and all that is within it.
    fn skip_nested(&mut self) -> Json {
        let mut depth = 0;
        while let Some(byte) = self.peek() {
            match byte {
                b'"' | b'\'' => {
                    self.string();
                    continue;
                }
                b'[' | b'{' => depth += 1,
                b']' | b'}' => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Json::Null;
            }
        }
        self.fail("`]` or `}`");
        Json::Null
    }

    /// Parses the items of a list or an object, whose opening bracket is next.
    ///
    /// After an item that cannot be read, reading goes on at the next comma or closing bracket.
    fn items<T>(&mut self, kind: usize, item: impl Fn(&mut Self) -> T) -> Vec<T> {
        let (end, expected) = if kind == LIST { (b']', "`,` or `]`") } else { (b'}', "`,` or `}`") };
        self.at += 1;
        self.open[kind] += 1;
        let mut items = Vec::new();
        loop {
            self.skip_space();
            // A comma may precede the end.
            if self.take(end) {
                break;
            }
            match self.peek() {
                None => {
                    self.fail(expected);
                    break;
                }
                Some(other @ (b']' | b'}')) => {
                    self.fail(expected);
                    // It ends an outer value, so that the end of this one is missing.
                    if self.open[if other == b']' { LIST } else { OBJECT }] > 0 {
                        break;
                    }
                    self.at += 1;
                    continue;
                }
                _ => items.push(item(self)),
            }
            self.skip_space();
            if !matches!(self.peek(), Some(b',' | b']' | b'}')) {
                self.fail(expected);
                while !matches!(self.peek(), Some(b',' | b']' | b'}') | None) {
                    self.at += 1;
                }
            }
            self.take(b',');
        }
        self.open[kind] -= 1;
        items
    }

    /// Parses a member of an object. A name without quotes is accepted.
    fn member(&mut self) -> (String, Json) {
        let name = match self.peek() {
            Some(b'"' | b'\'') => self.string(),
            _ => String::from_utf8_lossy(self.plain()).into_owned(),
        };
        self.skip_space();
        if !self.take(b':') {
            self.fail("`:`");
            return (name, Json::Null);
        }
        (name, self.value())
    }

    /// Consumes the letters, digits and signs that are next.
    fn plain(&mut self) -> &'a [u8] {
        let (text, start) = (self.text, self.at);
        while self.peek().is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'+' | b'-' | b'.'))
        {
            self.at += 1;
        }
        &text[start..self.at]
    }

    /// Parses a number or one of the words for other values. A number that is not finite is `null`.
    fn word(&mut self) -> Json {
        let start = self.at;
        let word = std::str::from_utf8(self.plain()).unwrap_or_default();
        match word {
            "null" | "None" => return Json::Null,
            "true" | "True" => return Json::Bool(true),
            "false" | "False" => return Json::Bool(false),
            _ => {}
        }
        match word.parse::<f64>() {
            Ok(number) if number.is_finite() => return Json::Number(word.into()),
            Ok(_) => return Json::Null,
            Err(_) => {}
        }
        self.at = start;
        self.fail("a value");
        Json::Null
    }

    /// Parses a string, whose opening quote is next. Bytes that are not UTF-8 are replaced by
    /// U+FFFD.
    fn string(&mut self) -> String {
        let quote = self.text[self.at];
        self.at += 1;
        let mut string = Vec::new();
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'\\' => string.extend_from_slice(self.escape().encode_utf8(&mut [0; 4]).as_bytes()),
                _ if byte == quote => return String::from_utf8_lossy(&string).into_owned(),
                _ => string.push(byte),
            }
        }
        self.fail("the end of a string");
        String::from_utf8_lossy(&string).into_owned()
    }

    /// Parses an escape after its backslash. Characters without a meaning there stand for
    /// themselves.
    fn escape(&mut self) -> char {
        let Some(byte) = self.peek().filter(u8::is_ascii) else { return char::REPLACEMENT_CHARACTER };
        self.at += 1;
        match byte {
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => self.code_point(),
            other => other as char,
        }
    }

    /// Parses the digits of a `\u` escape, or of two for a character outside the basic plane.
    /// Half a surrogate pair is replaced by U+FFFD.
    fn code_point(&mut self) -> char {
        let high = self.hexadecimal();
        if (0xd800..0xdc00).contains(&high) && self.text[self.at..].starts_with(b"\\u") {
            let after_high = self.at;
            self.at += 2;
            let low = self.hexadecimal();
            if (0xdc00..0xe000).contains(&low) {
                let code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                return char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
            }
            self.at = after_high;
        }
        char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    /// Parses up to four hexadecimal digits.
    fn hexadecimal(&mut self) -> u32 {
        let mut code = 0;
        for _ in 0..4 {
            let Some(digit) = self.peek().and_then(|byte| (byte as char).to_digit(16)) else { break };
            code = 16 * code + digit;
            self.at += 1;
        }
        code
    }
}
