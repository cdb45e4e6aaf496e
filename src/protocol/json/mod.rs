//! A small strict reader of JSON (RFC 8259) and pieces of JSON text, so that bots need no dependency.

mod parser;
mod write;

use std::fmt;

use parser::Parser;
pub(crate) use write::{list, quoted};

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number as it was written, which is finite as an `f64`.
    Number(String),
    /// A string, with escapes replaced.
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
    /// Returns an error if the text is not one JSON value, or has lists and objects nested more
    /// than 128 deep.
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
        Parser::new(text).document()
    }

    /// Returns the member of an object with this name, the last one if there are several, or `null`
    /// if there is none or the value is not an object.
    pub fn get(&self, name: &str) -> &Json {
        let Json::Object(members) = self else { return &Json::Null };
        members.iter().rev().find(|(own, _)| own == name).map_or(&Json::Null, |(_, value)| value)
    }

    /// Returns the number if it is an integer that a `u64` can hold.
    pub fn as_u64(&self) -> Option<u64> {
        if let Json::Number(text) = self { text.parse().ok() } else { None }
    }

    /// Returns the number if it is an integer that an `i64` can hold.
    pub fn as_i64(&self) -> Option<i64> {
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
    fn normalised(value: Json) -> Json {
        match value {
            Json::Number(text) => Json::Number(format!("{:e}", text.parse::<f64>().unwrap())),
            Json::List(values) => Json::List(values.into_iter().map(normalised).collect()),
            Json::Object(members) => {
                let map: std::collections::BTreeMap<_, _> =
                    members.into_iter().map(|(k, v)| (k, normalised(v))).collect();
                Json::Object(map.into_iter().collect())
            }
            value => value,
        }
    }

    /// Asserts that this reader and serde_json read the same value, or both none.
    fn assert_agrees(text: &[u8]) {
        let (ours, theirs) = (Json::parse(text), serde_json::from_slice::<Value>(text));
        match (&ours, &theirs) {
            (Ok(ours), Ok(theirs)) => assert_eq!(normalised(ours.clone()), normalised(converted(theirs))),
            (Err(_), Err(_)) => {}
            _ => panic!("{:?}: {ours:?} and {theirs:?}", String::from_utf8_lossy(text)),
        }
    }

    #[test]
    fn corner_cases_are_read_as_serde_json_reads_them() {
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
            assert_agrees(text.as_bytes());
        }
        assert_agrees(b"\"\xff\"");
        for depth in [100, 127, 129, 100_000] {
            assert_agrees(format!("{}{}", "[".repeat(depth), "]".repeat(depth)).as_bytes());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5000))]
        #[test]
        fn any_text_is_read_as_serde_json_reads_it(text in r#"[\[\]{}:,"\\ue0-9a-d.+\- \PC]{0,24}"#) {
            assert_agrees(text.as_bytes());
        }

        #[test]
        fn damaged_json_is_read_as_serde_json_reads_it(at in 0..60usize, byte: u8) {
            let mut text = br#"{"a":[1,-2.5e3,true,null,"x\u0041\n"],"b":{"c":"\ud83d\ude00"}}"#.to_vec();
            text[at] = byte;
            assert_agrees(&text);
        }
    }
}
