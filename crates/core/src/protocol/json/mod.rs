//! A small reader of JSON (RFC 8259) and pieces of JSON text, so that bots need no dependency.
//!
//! The reader accepts what programs write for JSON that is not JSON (docs/protocol.md): a byte-order
//! mark, NUL bytes as padding, `NaN` and infinities, the words and quotes of Python, trailing
//! commas, names without quotes, control characters and bytes that are not UTF-8 in strings, half a
//! surrogate pair, and any nesting.

mod parser;
mod write;

use std::fmt;

use parser::Parser;
pub(crate) use write::{list, quoted};

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`, a number that is not finite, or a value that cannot be read.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number as it was written, which is finite as an `f64`.
    Number(String),
    /// A string, with escapes replaced. U+FFFD stands for what is not Unicode.
    Text(String),
    /// A list.
    List(Vec<Json>),
    /// The members of an object, in their order.
    Object(Vec<(String, Json)>),
}

/// An error in a text that is not JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// The index of the byte at which reading stopped.
    pub at: usize,
    /// A description of valid text there.
    pub expected: &'static str,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {} at byte {}", self.expected, self.at)
    }
}

impl std::error::Error for JsonError {}

impl Json {
    /// Parses a text.
    ///
    /// # Errors
    /// Returns an error if the text is not one value, in the notation that this reader accepts.
    ///
    /// ```
    /// use doublecross_core::protocol::Json;
    /// let value = Json::parse(br#"{"turn": 3, "h": [[true,]], "nonce": NaN}"#)?;
    /// assert_eq!(value.get("turn").as_u64(), Some(3));
    /// assert_eq!(value.get("v"), &Json::Null);
    /// assert!(Json::parse(b"[1").is_err());
    /// # Ok::<(), doublecross_core::protocol::JsonError>(())
    /// ```
    pub fn parse(text: &[u8]) -> Result<Json, JsonError> {
        match Json::salvage(text) {
            (value, None) => Ok(value),
            (_, Some(error)) => Err(error),
        }
    }

    /// Reads what can be read of a text, and returns the first error if there is one. A value that
    /// cannot be read is `null`.
    ///
    /// ```
    /// use doublecross_core::protocol::Json;
    /// let (value, error) = Json::salvage(br#"{"chat": "he said "no"", "turn": 3, "h": [[tr"#);
    /// assert!(error.is_some());
    /// assert_eq!(value.get("turn").as_u64(), Some(3));
    /// ```
    pub fn salvage(text: &[u8]) -> (Json, Option<JsonError>) {
        Parser::new(text).document()
    }

    /// Returns the member of an object with this name, the last one if there are several, or `null`
    /// if there is none or the value is not an object.
    pub fn get(&self, name: &str) -> &Json {
        let Json::Object(members) = self else { return &Json::Null };
        members.iter().rev().find(|(own, _)| own == name).map_or(&Json::Null, |(_, value)| value)
    }

    /// Returns the number if it is an integer that a `u64` can hold, in any notation, as in `5.0`.
    pub fn as_u64(&self) -> Option<u64> {
        let Json::Number(text) = self else { return None };
        text.parse().ok().or_else(|| integer(text).and_then(|number| number.try_into().ok()))
    }

    /// Returns the number if it is an integer that an `i64` can hold, in any notation, as in
    /// `-1.0`.
    pub fn as_i64(&self) -> Option<i64> {
        let Json::Number(text) = self else { return None };
        text.parse().ok().or_else(|| integer(text))
    }

    /// Returns the number.
    pub fn as_f64(&self) -> Option<f64> {
        if let Json::Number(text) = self { text.parse().ok() } else { None }
    }

    /// Returns the value of a `true` or `false`.
    pub fn as_bool(&self) -> Option<bool> {
        if let Json::Bool(value) = self { Some(*value) } else { None }
    }

    /// Returns the contents of a string.
    pub fn as_text(&self) -> Option<&str> {
        if let Json::Text(text) = self { Some(text) } else { None }
    }

    /// Returns the values of a list.
    pub fn as_list(&self) -> Option<&[Json]> {
        if let Json::List(values) = self { Some(values) } else { None }
    }
}

/// Returns an integer that is written as a fraction or with an exponent, up to the largest size at
/// which fractions still tell all integers apart.
fn integer(text: &str) -> Option<i64> {
    let number: f64 = text.parse().ok()?;
    (number.fract() == 0.0 && number.abs() < (1u64 << f64::MANTISSA_DIGITS) as f64).then_some(number as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    /// Converts a value of serde_json.
    fn converted(value: &Value) -> Json {
        match value {
            Value::Null => Json::Null,
            Value::Bool(value) => Json::Bool(*value),
            Value::Number(number) => Json::Number(number.to_string()),
            Value::String(text) => Json::Text(text.clone()),
            Value::Array(values) => Json::List(values.iter().map(converted).collect()),
            Value::Object(map) => Json::Object(map.iter().map(|(k, v)| (k.clone(), converted(v))).collect()),
        }
    }

    /// Returns the value with numbers in one notation, and the members of objects sorted and
    /// unique.
    fn normalized(value: Json) -> Json {
        match value {
            Json::Number(text) => Json::Number(format!("{:e}", text.parse::<f64>().unwrap())),
            Json::List(values) => Json::List(values.into_iter().map(normalized).collect()),
            Json::Object(members) => {
                let map: std::collections::BTreeMap<_, _> =
                    members.into_iter().map(|(k, v)| (k, normalized(v))).collect();
                Json::Object(map.into_iter().collect())
            }
            value => value,
        }
    }

    /// Asserts that what serde_json reads is read alike.
    fn assert_agrees(text: &[u8]) {
        let Ok(theirs) = serde_json::from_slice::<Value>(text) else { return };
        let ours = Json::parse(text);
        assert_eq!(ours.map(normalized), Ok(normalized(converted(&theirs))), "{:?}", String::from_utf8_lossy(text));
    }

    #[test]
    fn json_is_read_as_serde_json_reads_it() {
        for text in [
            "-0",
            "1e+5",
            "1E-2",
            "{}",
            "{\"a\":1,\"a\":2}",
            "\"\\u00e9\"",
            "\"\\ud83d\\ude00\"",
            "\"\u{7f}é\"",
            "\"'\"",
            "18446744073709551616",
            "[\t1\r\n]",
        ] {
            assert!(serde_json::from_str::<Value>(text).is_ok(), "{text:?}");
            assert_agrees(text.as_bytes());
        }
        for depth in [100, 127] {
            assert_agrees(format!("{}{}", "[".repeat(depth), "]".repeat(depth)).as_bytes());
        }
    }

    #[test]
    fn what_other_programs_write_for_json_is_read() {
        let deep = format!("[{}{}, 1]", "[".repeat(100_000), "]".repeat(100_000));
        for (text, meaning) in [
            (&b"\xef\xbb\xbf1"[..], "1"),
            (b"\0 [1]\0\0", "[1]"),
            (b"[1,]", "[1]"),
            (b"{\"a\":1,}", r#"{"a":1}"#),
            (b"{a: 1, 'b': True, \"c\": None}", r#"{"a":1,"b":true,"c":null}"#),
            (b"[NaN, -Infinity, 1e999, +1, 01, .5, 1.]", "[null,null,null,1,1,0.5,1]"),
            (b"\"caf\xe9\"", "\"caf\u{fffd}\""),
            (b"\"a\tb\nc\"", r#""a\tb\nc""#),
            (br#""\ud83dx \ude00 \ud83d\u0041 \x""#, "\"\u{fffd}x \u{fffd} \u{fffd}A x\""),
            (b"{\"a\":{\"b\":'it is \"so\"'}}", r#"{"a":{"b":"it is \"so\""}}"#),
        ] {
            let expected = normalized(converted(&serde_json::from_str(meaning).unwrap()));
            assert_eq!(Json::parse(text).map(normalized), Ok(expected), "{}", String::from_utf8_lossy(text));
        }
        let deep = Json::parse(deep.as_bytes()).unwrap();
        assert_eq!(deep.as_list().unwrap()[1], Json::Number("1".into()));
        assert_eq!(Json::parse(b"5.0").unwrap().as_u64(), Some(5));
        assert_eq!(Json::parse(b"-1e0").unwrap().as_i64(), Some(-1));
        assert_eq!(Json::parse(b"-1.0").unwrap().as_u64(), None);
        assert_eq!(Json::parse(b"1.5").unwrap().as_i64(), None);
    }

    #[test]
    fn damaged_text_is_an_error_and_what_is_left_of_it_is_read() {
        for (text, rest) in [
            ("", "null"),
            ("nul", "null"),
            ("[1]]", "[1]"),
            ("[1 2, 3]", "[1,3]"),
            ("[,1]", "[null,1]"),
            ("{\"a\": @@, \"b\": 2}", r#"{"a":null,"b":2}"#),
            ("{\"a\": [1, 2, \"b\": 3}", r#"{"a":[1,2,"b"]}"#),
            ("{\"a\": [[1, 2], \"b\"", r#"{"a":[[1,2],"b"]}"#),
            ("{\"a\": 1], \"b\": 2}", r#"{"a":1,"":null,"b":2}"#),
            ("{\"a\" 1, \"b\": 2}", r#"{"a":null,"b":2}"#),
            ("\"unended", "\"unended\""),
        ] {
            let (value, error) = Json::salvage(text.as_bytes());
            assert!(error.is_some(), "{text}");
            let expected = normalized(converted(&serde_json::from_str(rest).unwrap()));
            assert_eq!(normalized(value), expected, "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5000))]
        #[test]
        fn any_text_is_read_as_serde_json_reads_it(text in r#"[\[\]{}:,"\\ue0-9a-d.+\- \PC]{0,24}"#) {
            assert_agrees(text.as_bytes());
        }

        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(prop_oneof![prop::sample::select(b"[]{}\",:".to_vec()), any::<u8>()], 0..60)) {
            let _ = Json::salvage(&bytes);
        }

        #[test]
        fn damaged_json_is_read_as_serde_json_reads_it(at in 0..60usize, byte: u8) {
            let mut text = br#"{"a":[1,-2.5e3,true,null,"x\u0041\n"],"b":{"c":"\ud83d\ude00"}}"#.to_vec();
            text[at] = byte;
            assert_agrees(&text);
        }
    }
}
