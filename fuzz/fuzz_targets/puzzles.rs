//! Any bytes as a file of puzzles: an error, or puzzles that are read as they are written.
#![no_main]

use doublecross_arena::puzzles::{parse, to_text};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(puzzles) = parse(bytes) else { return };
    let again = parse(to_text(&puzzles).as_bytes()).expect("what was read is written so that it can be read");
    assert_eq!(again, puzzles);
});
