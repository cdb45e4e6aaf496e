//! Any bytes as a part that a worker hands in: an error, or a part that is written as it was read.
#![no_main]

use doublecross_core::board::Board;
use doublecross_core::net::checksum;
use doublecross_selfplay::Part;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    // With the right checksum, the rest is read too.
    read(&[bytes, &checksum(bytes).to_le_bytes()].concat());
});

fn read(bytes: &[u8]) {
    let board = Board::new(3, 3).expect("a board");
    let Ok(part) = Part::from_bytes(bytes, board, 1000) else { return };
    let again = Part::from_bytes(&part.to_bytes(), board, 1000).expect("a part that was just written");
    assert_eq!(again, part);
}
