//! The WebAssembly form: a precompiled module into which a bot's weights and budget are written, so
//! that exporting needs no compiler.

use thiserror::Error;

use doublecross_core::abi::SLOT_MARK;
use doublecross_core::solver::Book;

/// The module without weights, which `template/build.sh` builds from this crate.
const TEMPLATE: &[u8] = include_bytes!("template/player.wasm");

/// The size of a page of WebAssembly's memory, in bytes.
const PAGE: usize = 65536;

// The sections that are rewritten, by their numbers in the WebAssembly specification (1.0, 5.5.2).
const MEMORY: u8 = 5;
const DATA: u8 = 11;
const DATA_COUNT: u8 = 12;

/// An error of [`wasm_module`].
#[derive(Debug, Error, PartialEq, Eq)]
pub enum WasmError {
    /// The embedded module does not have the structure that the exporter expects.
    #[error("the embedded WebAssembly module has no {0}; rebuild it with src/export/template/build.sh")]
    Template(&'static str),
}

/// Returns the WebAssembly module of a bot that plays with the weights of a weights file and with a
/// book, with a budget of `simulations` and solver `nodes` for each move.
///
/// # Errors
/// Returns an error if the module that is embedded in this program does not have the expected
/// structure.
pub fn wasm_module(weights: &[u8], book: Option<&Book>, simulations: u32, nodes: u32) -> Result<Vec<u8>, WasmError> {
    let book = book.map_or_else(Vec::new, Book::to_bytes);
    let added = [weights, &book].concat();
    let mut module = TEMPLATE[..8].to_vec();
    let mut address = None;
    let mut rest = &TEMPLATE[8..];
    while let Some((&id, after)) = rest.split_first() {
        let (length, after) = read_number(after).ok_or(WasmError::Template("whole section"))?;
        let (body, after) = after.split_at_checked(length).ok_or(WasmError::Template("whole section"))?;
        rest = after;
        let body = match id {
            MEMORY => {
                let (body, pages) = more_memory(body, added.len().div_ceil(PAGE))?;
                address = Some(pages * PAGE);
                body
            }
            DATA_COUNT => {
                let (count, _) = read_number(body).ok_or(WasmError::Template("data count"))?;
                number(count + 1)
            }
            DATA => {
                let address = address.ok_or(WasmError::Template("memory before its data"))?;
                data(body, &added, [address as u32, weights.len() as u32, simulations, nodes, book.len() as u32])?
            }
            _ => body.to_vec(),
        };
        module.push(id);
        module.extend(number(body.len()));
        module.extend(body);
    }
    Ok(module)
}

/// Returns a memory section with `more` pages added, and the number of pages that it had.
fn more_memory(body: &[u8], more: usize) -> Result<(Vec<u8>, usize), WasmError> {
    // One memory without a maximum.
    let pages = body.strip_prefix(&[1, 0]).and_then(read_number);
    let (pages, _) = pages.ok_or(WasmError::Template("memory without a maximum"))?;
    Ok(([vec![1, 0], number(pages + more)].concat(), pages))
}

/// Returns a data section with the values of the slot written, and a segment with the weights and the
/// book added at the address `slot[0]`.
fn data(body: &[u8], added: &[u8], slot: [u32; 5]) -> Result<Vec<u8>, WasmError> {
    let (count, segments) = read_number(body).ok_or(WasmError::Template("data segments"))?;
    let mut segments = segments.to_vec();
    let mark = segments.windows(SLOT_MARK.len()).position(|bytes| bytes == SLOT_MARK);
    let place = mark.ok_or(WasmError::Template("slot"))? + SLOT_MARK.len();
    for (place, value) in segments[place..].chunks_exact_mut(4).zip(slot) {
        place.copy_from_slice(&value.to_le_bytes());
    }
    // An active segment of memory 0: i32.const address, end.
    let head = [&[0, 0x41][..], &signed_number(slot[0] as i32), &[0x0b], &number(added.len())].concat();
    Ok([&number(count + 1)[..], &segments, &head, added].concat())
}

/// Reads an unsigned LEB128 number, and returns it with the bytes after it.
fn read_number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut value = 0;
    for (index, &byte) in bytes.iter().enumerate().take(5) {
        value |= ((byte & 0x7f) as usize) << (7 * index);
        if byte < 0x80 {
            return Some((value, &bytes[index + 1..]));
        }
    }
    None
}

/// Encodes an unsigned number in LEB128.
fn number(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// Encodes a signed number in LEB128.
fn signed_number(mut value: i32) -> Vec<u8> {
    let mut bytes = Vec::new();
    while !(-0x40..0x40).contains(&value) {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8 & 0x7f);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use doublecross_core::board::Board;

    #[test]
    fn numbers_are_encoded_in_leb128() {
        assert_eq!(number(624_485), [0xe5, 0x8e, 0x26]);
        assert_eq!(read_number(&[0xe5, 0x8e, 0x26, 7]), Some((624_485, &[7][..])));
        assert_eq!(signed_number(-123_456), [0xc0, 0xbb, 0x78]);
        assert_eq!(signed_number(64), [0xc0, 0x00]);
        assert_eq!(read_number(&[0x80]), None);
    }

    #[test]
    fn the_weights_are_the_last_of_the_module() {
        let module = wasm_module(b"any weights", None, 5, 7).unwrap();
        assert!(module.starts_with(b"\0asm\x01\0\0\0"));
        // The data section is the last one before the custom sections.
        let place = module.windows(11).rposition(|bytes| bytes == b"any weights").unwrap();
        assert!(module[place - 2..place] == [0x0b, 11] && module.len() > TEMPLATE.len() + 11);
        assert_eq!(module.windows(11).filter(|bytes| *bytes == b"any weights").count(), 1);
        // A book follows them.
        let book = Book::new(Board::new(2, 2).unwrap(), []).unwrap();
        let with_book = wasm_module(b"any weights", Some(&book), 5, 7).unwrap();
        let both = [b"any weights", &book.to_bytes()[..]].concat();
        assert!(with_book.windows(both.len()).any(|bytes| bytes == both));
        assert_eq!(with_book.len(), module.len() + book.to_bytes().len());
    }
}
