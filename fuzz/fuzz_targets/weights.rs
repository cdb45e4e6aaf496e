//! Any bytes as a weights file: an error, or weights that are written as they were read and that the engine takes.
#![no_main]

use doublecross::net::{Isa, Network, Weights, checksum};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    // With the right checksum, the rest is read too.
    read(&[bytes, &checksum(bytes).to_le_bytes()].concat());
});

fn read(bytes: &[u8]) {
    let Ok(weights) = Weights::from_bytes(bytes) else { return };
    // NaN never gets so far, so that equal weights compare equal.
    assert_eq!(Weights::from_bytes(&weights.to_bytes()).as_ref(), Ok(&weights));
    // Canaries that the engine does not reproduce are an error, never a panic.
    let _ = Network::checked(&weights, Isa::Portable);
}
