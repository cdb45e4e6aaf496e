//! Any bytes as a safetensors file: an error, or weights that the engine takes.
#![no_main]

use doublecross_core::net::{Isa, Network, Weights};
use doublecross_run::checkpoint::weights_from_safetensors;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(weights) = weights_from_safetensors(bytes) else { return };
    let again = Weights::from_bytes(&weights.to_bytes()).expect("weights that were just written");
    assert_eq!(again.to_bytes(), weights.to_bytes());
    let _ = Network::checked(&weights, Isa::Portable);
});
