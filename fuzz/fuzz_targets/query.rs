//! Any bytes as a page's question: the answer is always one JSON object.
#![no_main]

use std::cell::RefCell;

use doublecross_core::net::Isa;
use doublecross_core::query::QueryApi;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

const WEIGHTS: &[u8] = include_bytes!("../../checkpoints/3x3/ema.dxw");

thread_local!(static API: RefCell<QueryApi> =
    RefCell::new(QueryApi::new(WEIGHTS, Isa::Portable).expect("pretrained weights")));

fuzz_target!(|bytes: &[u8]| {
    // Four digits may rightly ask for more work than a fuzzer has time for.
    if bytes.windows(4).any(|four| four.iter().all(u8::is_ascii_digit)) {
        return;
    }
    let answer = API.with(|api| api.borrow_mut().ask(bytes));
    let value: Value = serde_json::from_str(&answer).expect("an answer is JSON");
    assert!(value.is_object(), "{answer}");
});
