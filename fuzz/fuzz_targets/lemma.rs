//! Any text as a line of a proof: an error, or a lemma with the same text.
#![no_main]

use doublecross_proof::{format_lemma, parse_lemma};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(lemma) = parse_lemma(text) {
        assert!(lemma.state.is_capture_free() && lemma.bounds.lower <= lemma.bounds.upper);
        assert_eq!(parse_lemma(&format_lemma(&lemma)), Ok(lemma));
    }
});
