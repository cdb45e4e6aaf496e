//! Any bytes as a shard: an error, or training samples that are written as they were read.
#![no_main]

use doublecross_core::net::checksum;
use doublecross_selfplay::Shard;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    // With the right checksum, the rest is read too.
    read(&[bytes, &checksum(bytes).to_le_bytes()].concat());
});

fn read(bytes: &[u8]) {
    let Ok(shard) = Shard::from_bytes(bytes, "fuzz") else { return };
    let again = Shard::from_bytes(&shard.to_bytes(), "fuzz").expect("a shard that was just written");
    assert_eq!(again, shard);
}
