//! The recursive descent over a JSON text.

use super::{Json, JsonError};

/// The most lists and objects within each other, so that no text overflows the stack.
const MAX_DEPTH: usize = 128;

/// A text that is being parsed.
pub(super) struct Parser<'a> {
    text: &'a str,
    /// The index of the next byte.
    at: usize,
}

impl Parser<'_> {
    /// Starts at the beginning of `text`.
    pub fn new(text: &str) -> Parser<'_> {
        Parser { text, at: 0 }
    }

    /// Parses the whole text as one value.
    pub fn document(&mut self) -> Result<Json, JsonError> {
        let value = self.value(0)?;
        self.skip_space();
        if self.at < self.text.len() { self.fail("the end") } else { Ok(value) }
    }

    fn fail<T>(&self, expected: &'static str) -> Result<T, JsonError> {
        Err(JsonError { at: self.at, expected })
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Consumes `byte` if it is next, and returns `true` if it was.
    fn take(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += is_next as usize;
        is_next
    }

    /// Parses a value within `depth` lists and objects.
    fn value(&mut self, depth: usize) -> Result<Json, JsonError> {
        self.skip_space();
        match self.peek() {
            Some(b'[' | b'{') if depth == MAX_DEPTH => self.fail("less nesting"),
            Some(b'[') => self.list(depth + 1),
            Some(b'{') => self.object(depth + 1),
            Some(b'"') => self.string().map(Json::Text),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => {
                let words = [("null", Json::Null), ("true", Json::Bool(true)), ("false", Json::Bool(false))];
                for (word, value) in words {
                    if self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
                        self.at += word.len();
                        return Ok(value);
                    }
                }
                self.fail("a value")
            }
        }
    }

    fn list(&mut self, depth: usize) -> Result<Json, JsonError> {
        self.items(b']', "`,` or `]`", |parser| parser.value(depth)).map(Json::List)
    }

    fn object(&mut self, depth: usize) -> Result<Json, JsonError> {
        self.items(b'}', "`,` or `}`", |parser| parser.member(depth)).map(Json::Object)
    }

    /// Parses what stands between an opening bracket, which is next, and the byte `end`, with
    /// commas between the items. After an item, `expected` describes what may follow.
    fn items<T>(
        &mut self,
        end: u8,
        expected: &'static str,
        item: impl Fn(&mut Self) -> Result<T, JsonError>,
    ) -> Result<Vec<T>, JsonError> {
        self.at += 1;
        let mut items = Vec::new();
        self.skip_space();
        if self.take(end) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            self.skip_space();
            if self.take(end) {
                return Ok(items);
            }
            if !self.take(b',') {
                return self.fail(expected);
            }
        }
    }

    fn member(&mut self, depth: usize) -> Result<(String, Json), JsonError> {
        self.skip_space();
        if self.peek() != Some(b'"') {
            return self.fail("a name in quotes");
        }
        let name = self.string()?;
        self.skip_space();
        if !self.take(b':') {
            return self.fail("`:`");
        }
        Ok((name, self.value(depth)?))
    }

    fn digits(&mut self) -> Result<(), JsonError> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start { self.fail("a digit") } else { Ok(()) }
    }

    fn number(&mut self) -> Result<Json, JsonError> {
        let start = self.at;
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            let _ = self.take(b'+') || self.take(b'-');
            self.digits()?;
        }
        let text = &self.text[start..self.at];
        if text.parse::<f64>().is_ok_and(f64::is_finite) {
            Ok(Json::Number(text.into()))
        } else {
            self.fail("a smaller number")
        }
    }

    fn string(&mut self) -> Result<String, JsonError> {
        self.at += 1;
        let mut string = String::new();
        loop {
            let rest = &self.text[self.at..];
            let Some(character) = rest.chars().next() else { return self.fail("`\"`") };
            match character {
                '"' => {
                    self.at += 1;
                    return Ok(string);
                }
                '\\' => string.push(self.escape()?),
                '\0'..='\x1f' => return self.fail("no control character"),
                _ => {
                    self.at += character.len_utf8();
                    string.push(character);
                }
            }
        }
    }

    fn escape(&mut self) -> Result<char, JsonError> {
        self.at += 1;
        let character = match self.peek() {
            Some(byte @ (b'"' | b'\\' | b'/')) => byte as char,
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                return self.code_point();
            }
            _ => return self.fail("an escape"),
        };
        self.at += 1;
        Ok(character)
    }

    /// Parses the digits of a `\u` escape, or of two for a character outside the basic plane.
    fn code_point(&mut self) -> Result<char, JsonError> {
        let mut code = self.hexadecimal()?;
        if (0xd800..0xdc00).contains(&code) {
            if !(self.take(b'\\') && self.take(b'u')) {
                return self.fail("the second half of a surrogate pair");
            }
            let low = self.hexadecimal()?;
            if !(0xdc00..0xe000).contains(&low) {
                return self.fail("the second half of a surrogate pair");
            }
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        }
        char::from_u32(code).map_or_else(|| self.fail("a code point"), Ok)
    }

    fn hexadecimal(&mut self) -> Result<u32, JsonError> {
        let mut code = 0;
        for _ in 0..4 {
            let Some(digit) = self.peek().and_then(|byte| (byte as char).to_digit(16)) else {
                return self.fail("a hexadecimal digit");
            };
            code = 16 * code + digit;
            self.at += 1;
        }
        Ok(code)
    }
}
