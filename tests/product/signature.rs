//! The signature: what the program computes on each instruction set is what `signature.txt` says.

use doublecross::net::Isa;

use crate::common::{program, run};

/// Lines of `doublecross signature`, of all processors that were tried with this version.
const KNOWN: &str = include_str!("signature.txt");

#[test]
fn each_instruction_set_has_its_signature() {
    let scratch = tempfile::tempdir().unwrap();
    let mut unknown = Vec::new();
    for isa in Isa::available() {
        let output = program(scratch.path()).arg("signature").env("DOUBLECROSS_ISA", isa.name()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        let (computed, weights) = text.trim_end().split_once(", weights ").unwrap();
        let (_, learned_on) = weights.split_once(' ').unwrap();
        // An instruction set that was not tried with this version has no line.
        if !KNOWN.lines().any(|line| line.split(':').next() == Some(isa.name())) {
            continue;
        }
        let known: Vec<&str> = KNOWN.lines().filter_map(|line| line.strip_prefix(computed)).collect();
        let of_processor = known.iter().find(|known| known.ends_with(learned_on));
        // Weights of a kind of processor that was never tried are not compared.
        if known.is_empty() || of_processor.is_some_and(|known| !known.contains(weights)) {
            unknown.push(text);
        }
    }
    assert!(unknown.is_empty(), "another signature than in tests/product/signature.txt:\n{}", unknown.concat());
}

#[test]
fn a_signature_repeats_and_is_also_json() {
    let scratch = tempfile::tempdir().unwrap();
    let output = |more: &[&str]| {
        let output = run(scratch.path(), &[&["signature"], more].concat());
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    let line = output(&[]);
    let object = crate::common::json(&output(&["--json"]));
    let text = |key: &str| object[key].as_str().unwrap();
    let (isa, nodes, games) = (text("isa"), &object["nodes"], text("games"));
    let (weights, processor) = (text("weights"), text("learned_on"));
    assert_eq!(line, format!("{isa}: {nodes} nodes, games {games}, weights {weights} learned on {processor}\n"));
}
