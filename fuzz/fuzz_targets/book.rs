//! Any bytes as a book: an error, or a book that is written and read again as it is.
#![no_main]

use doublecross_core::net::checksum;
use doublecross_core::solver::Book;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    // With the right checksum, the rest is read too.
    read(&[bytes, &checksum(bytes).to_le_bytes()].concat());
});

fn read(bytes: &[u8]) {
    let Ok(book) = Book::from_bytes(bytes) else { return };
    assert_eq!(Book::from_bytes(&book.to_bytes()), Ok(book));
}
