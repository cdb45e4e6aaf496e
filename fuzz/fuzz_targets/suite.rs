//! Any bytes as a suite: an error, or positions whose lines are read as they were.
#![no_main]

use doublecross_arena::suite::Suite;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(suite) = Suite::parse(bytes, "suite") else { return };
    let text: String = suite.positions.iter().map(|position| position.line("fuzz") + "\n").collect();
    let again = Suite::parse(text.as_bytes(), "suite").expect("what was read is written so that it can be read");
    assert_eq!((again.board, again.positions), (suite.board, suite.positions));
});
