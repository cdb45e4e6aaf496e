//! Any bytes as a weights file: an error, or weights that are written as they were read and that the engine takes.
#![no_main]

use doublecross_core::net::{Isa, Network, Weights, checksum};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    // With the right checksum, the rest is read too.
    read(&[bytes, &checksum(bytes).to_le_bytes()].concat());
});

fn read(bytes: &[u8]) {
    let Ok(weights) = Weights::from_bytes(bytes) else { return };
    let written = weights.to_bytes();
    let again = Weights::from_bytes(&written).expect("weights that were just written");
    // Bytes, because canaries may hold NaN, which the engine then fails to reproduce.
    assert_eq!(again.to_bytes(), written);
    // Canaries that the engine does not reproduce are an error, never a panic.
    let _ = Network::checked(&weights, Isa::Portable);
}
