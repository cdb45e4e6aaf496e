//! A small strict reader of JSON (RFC 8259), for bots that may depend on nothing.

use std::fmt;

/// Lists and objects within each other that are read; more are an error, so that no text overflows the stack.
const DEEPEST: usize = 128;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as it was written; finite as an `f64`.
    Number(String),
    /// A string, unescaped.
    Text(String),
    /// A list.
    List(Vec<Json>),
    /// An object's members in their order.
    Object(Vec<(String, Json)>),
}

/// Where and why a text is not JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// The byte at which reading stopped.
    pub at: usize,
    /// What was expected there.
    pub expected: &'static str,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {} at byte {}", self.expected, self.at)
    }
}

impl std::error::Error for JsonError {}

impl Json {
    /// Reads a text.
    ///
    /// # Errors
    /// When it is not one JSON value, or one nested too deeply.
    ///
    /// ```
    /// use doublecross::protocol::Json;
    /// let value = Json::parse(br#"{"turn": 3, "h": [[true]]}"#)?;
    /// assert_eq!(value.get("turn").as_u64(), Some(3));
    /// assert_eq!(value.get("v"), &Json::Null);
    /// assert!(Json::parse(b"[1,]").is_err());
    /// # Ok::<(), doublecross::protocol::JsonError>(())
    /// ```
    pub fn parse(text: &[u8]) -> Result<Json, JsonError> {
        let text = std::str::from_utf8(text)
            .map_err(|error| JsonError { at: error.valid_up_to(), expected: "a character of UTF-8" })?;
        let mut reader = Reader { text, at: 0 };
        let value = reader.value(0)?;
        reader.skip_space();
        if reader.at < text.len() { reader.fail("the end") } else { Ok(value) }
    }

    /// The member of this name, the last if there are several, or `null` where there is none.
    pub fn get(&self, name: &str) -> &Json {
        let Json::Object(members) = self else { return &Json::Null };
        members.iter().rev().find(|(own, _)| own == name).map_or(&Json::Null, |(_, value)| value)
    }

    /// The number, if it is a whole one of 0 or more.
    pub fn as_u64(&self) -> Option<u64> {
        if let Json::Number(text) = self { text.parse().ok() } else { None }
    }

    /// The number, if it is a whole one.
    pub fn as_i64(&self) -> Option<i64> {
        if let Json::Number(text) = self { text.parse().ok() } else { None }
    }

    /// The truth value.
    pub fn as_bool(&self) -> Option<bool> {
        if let Json::Bool(value) = self { Some(*value) } else { None }
    }

    /// The string.
    pub fn as_text(&self) -> Option<&str> {
        if let Json::Text(text) = self { Some(text) } else { None }
    }

    /// The list's values.
    pub fn as_list(&self) -> Option<&[Json]> {
        if let Json::List(values) = self { Some(values) } else { None }
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
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

    /// Goes past this byte, if it is next.
    fn take(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += is_next as usize;
        is_next
    }

    fn value(&mut self, depth: usize) -> Result<Json, JsonError> {
        self.skip_space();
        match self.peek() {
            Some(b'[' | b'{') if depth == DEEPEST => self.fail("less nesting"),
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
        self.at += 1;
        let mut values = Vec::new();
        self.skip_space();
        if self.take(b']') {
            return Ok(Json::List(values));
        }
        loop {
            values.push(self.value(depth)?);
            self.skip_space();
            if self.take(b']') {
                return Ok(Json::List(values));
            }
            if !self.take(b',') {
                return self.fail("`,` or `]`");
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json, JsonError> {
        self.at += 1;
        let mut members = Vec::new();
        self.skip_space();
        if self.take(b'}') {
            return Ok(Json::Object(members));
        }
        loop {
            self.skip_space();
            if self.peek() != Some(b'"') {
                return self.fail("a name in quotes");
            }
            let name = self.string()?;
            self.skip_space();
            if !self.take(b':') {
                return self.fail("`:`");
            }
            members.push((name, self.value(depth)?));
            self.skip_space();
            if self.take(b'}') {
                return Ok(Json::Object(members));
            }
            if !self.take(b',') {
                return self.fail("`,` or `}`");
            }
        }
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

    /// Four hexadecimal digits, or two such for a character beyond the first plane.
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    /// What serde_json reads, as this reader would have it.
    fn translated(value: &Value) -> Json {
        match value {
            Value::Null => Json::Null,
            Value::Bool(value) => Json::Bool(*value),
            Value::Number(number) => Json::Number(number.to_string()),
            Value::String(text) => Json::Text(text.clone()),
            Value::Array(values) => Json::List(values.iter().map(translated).collect()),
            Value::Object(map) => Json::Object(map.iter().map(|(k, v)| (k.clone(), translated(v))).collect()),
        }
    }

    /// The same with numbers as `f64` and members sorted, the last of a name alone.
    fn plain(value: Json) -> Json {
        match value {
            Json::Number(text) => Json::Number(format!("{:e}", text.parse::<f64>().unwrap())),
            Json::List(values) => Json::List(values.into_iter().map(plain).collect()),
            Json::Object(members) => {
                let map: std::collections::BTreeMap<_, _> = members.into_iter().map(|(k, v)| (k, plain(v))).collect();
                Json::Object(map.into_iter().collect())
            }
            value => value,
        }
    }

    fn agree(text: &[u8]) {
        let (ours, theirs) = (Json::parse(text), serde_json::from_slice::<Value>(text));
        match (&ours, &theirs) {
            (Ok(ours), Ok(theirs)) => assert_eq!(plain(ours.clone()), plain(translated(theirs))),
            (Err(_), Err(_)) => {}
            _ => panic!("{:?}: {ours:?} and {theirs:?}", String::from_utf8_lossy(text)),
        }
    }

    #[test]
    fn texts_that_are_easy_to_get_wrong() {
        for text in [
            "",
            " ",
            "nul",
            "nulll",
            "-",
            "-0",
            "01",
            "1.",
            ".5",
            "1e",
            "1e+5",
            "1E-2",
            "1e999",
            "[1,]",
            "[,1]",
            "{}",
            "{\"a\":1,}",
            "{a:1}",
            "{\"a\":1,\"a\":2}",
            "\"\\u00e9\"",
            "\"\\ud83d\\ude00\"",
            "\"\\ud83d\"",
            "\"\\ude00\"",
            "\"\\x\"",
            "\"a\nb\"",
            "\"unended",
            "[1]]",
            "\u{feff}1",
            "\"\u{7f}é\"",
            "18446744073709551616",
            "[\t1\r\n]",
            "\"\\ud83dx\"",
            "\"\\u12\"",
        ] {
            agree(text.as_bytes());
        }
        agree(b"\"\xff\"");
        for depth in [100, 127, 129, 100_000] {
            agree(format!("{}{}", "[".repeat(depth), "]".repeat(depth)).as_bytes());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5000))]
        #[test]
        fn any_text_is_read_as_serde_json_reads_it(text in r#"[\[\]{}:,"\\ue0-9a-d.+\- \PC]{0,24}"#) {
            agree(text.as_bytes());
        }

        #[test]
        fn damaged_json_is_read_as_serde_json_reads_it(at in 0..60usize, byte: u8) {
            let mut text = br#"{"a":[1,-2.5e3,true,null,"x\u0041\n"],"b":{"c":"\ud83d\ude00"}}"#.to_vec();
            text[at] = byte;
            agree(&text);
        }
    }
}
