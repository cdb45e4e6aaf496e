//! The scalars in TensorBoard's event files, as far as it takes to know which are there.
//!
//! A file is a list of records: a length (u64), a checksum of it (u32), the bytes and a checksum of
//! them (u32). The bytes are an `Event` of the protocol buffers of TensorFlow, whose field 2 is the
//! step and field 5 the summary, with values in its field 1 that have their tags in their field 1.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

/// Returns the tags and steps of all scalars in the event files of a folder.
pub(super) fn written(folder: &Path) -> HashSet<(String, u64)> {
    read(folder).into_iter().collect()
}

/// Returns the tag and step of each scalar in the event files of a folder.
pub(super) fn read(folder: &Path) -> Vec<(String, u64)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_name().to_string_lossy().contains("tfevents"));
    files.flat_map(|file| scalars(&fs::read(file.path()).unwrap_or_default())).collect()
}

/// Returns the tag and step of each scalar in the bytes of an event file, up to the first record
/// that is cut short.
fn scalars(mut bytes: &[u8]) -> Vec<(String, u64)> {
    let mut scalars = Vec::new();
    while let Some((head, rest)) = bytes.split_at_checked(12) {
        let length = head.first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
        let Some(end) = usize::try_from(length).ok().and_then(|length| length.checked_add(4)) else { break };
        let Some((record, rest)) = rest.split_at_checked(end) else { break };
        bytes = rest;
        scalars.extend(scalar(&record[..end - 4]));
    }
    scalars
}

/// Returns the tag and step of an event, if it has a scalar.
fn scalar(event: &[u8]) -> Option<(String, u64)> {
    let summary = fields(event).find_map(|field| field.bytes(5))?;
    let value = fields(summary).find_map(|field| field.bytes(1))?;
    let tag = fields(value).find_map(|field| field.bytes(1))?;
    let step = fields(event).find_map(|field| field.number(2)).unwrap_or(0);
    Some((String::from_utf8(tag.to_vec()).ok()?, step))
}

/// A field of a message.
struct Field<'a> {
    number: u64,
    value: Value<'a>,
}

/// The value of a field.
enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

impl<'a> Field<'a> {
    fn bytes(&self, number: u64) -> Option<&'a [u8]> {
        match self.value {
            Value::Bytes(bytes) if self.number == number => Some(bytes),
            _ => None,
        }
    }

    fn number(&self, number: u64) -> Option<u64> {
        match self.value {
            Value::Number(value) if self.number == number => Some(value),
            _ => None,
        }
    }
}

/// Returns the fields of a message, up to one that is malformed.
fn fields(mut message: &[u8]) -> impl Iterator<Item = Field<'_>> {
    std::iter::from_fn(move || {
        let key = take_number(&mut message)?;
        let length = match key & 7 {
            0 => {
                let value = Value::Number(take_number(&mut message)?);
                return Some(Field { number: key >> 3, value });
            }
            1 => 8,
            2 => take_number(&mut message)?,
            5 => 4,
            _ => return None,
        };
        let (bytes, rest) = message.split_at_checked(length.try_into().ok()?)?;
        message = rest;
        Some(Field { number: key >> 3, value: Value::Bytes(bytes) })
    })
}

/// Takes a number of variable length: seven bits of each byte, the lowest first.
fn take_number(message: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (first, rest) = message.split_first()?;
        *message = rest;
        number |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}
