//! Any bytes as orders: an error, or orders that are written as they were read.
#![no_main]

use doublecross_core::net::checksum;
use doublecross_proof::Books;
use doublecross_selfplay::Orders;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    // With the right checksum, the rest is read too.
    read(&[bytes, &checksum(bytes).to_le_bytes()].concat());
});

fn read(bytes: &[u8]) {
    let Ok(orders) = Orders::from_bytes(bytes, &Books::default()) else { return };
    let written = orders.to_bytes();
    let again = Orders::from_bytes(&written, &Books::default()).expect("orders that were just written");
    assert_eq!(again.to_bytes(), written);
}
