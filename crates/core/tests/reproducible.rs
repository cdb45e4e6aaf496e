//! Two machines give the same bits: digests of the bot core against constants, and against builds for other processors.

#[path = "../examples/digest.rs"]
mod digest;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The digests that every machine and every build give. Those on an instruction set are for processors that have it; in f32
/// all sets with fused multiply-add round alike.
const DIGESTS: [(&str, u64); 14] = [
    ("exp", 0x781c_03f8_e915_d33c),
    ("ln", 0xc1b1_2a98_9512_6ecd),
    ("noise", 0x5343_2b49_036b_43f3),
    ("solver", 0xa064_5135_7da5_fe3f),
    ("network on portable", 0x0b5c_c8af_8197_4f20),
    ("search on portable", 0x225d_382d_204e_7393),
    ("network on neon", 0x5c03_1d47_c52d_efd0),
    ("search on neon", 0x7165_9ecd_66cd_aa9a),
    ("network on avx2", 0x5c03_1d47_c52d_efd0),
    ("search on avx2", 0x7165_9ecd_66cd_aa9a),
    ("network on avx512", 0x5c03_1d47_c52d_efd0),
    ("search on avx512", 0x7165_9ecd_66cd_aa9a),
    ("network on avx2bytes", 0xbcca_0622_fd7e_dffd),
    ("search on avx2bytes", 0x2d4d_0db2_3773_43ec),
];

#[test]
fn every_machine_has_the_same_digests() {
    let found = digest::digests();
    assert!(found.iter().any(|(name, _)| name == "search on portable"));
    for (name, digest) in found {
        if let Some((_, expected)) = DIGESTS.iter().find(|(known, _)| *known == name) {
            assert_eq!(digest, *expected, "{name}: {digest:016x}");
        }
    }
}

/// Compiled for later processors, and less optimized, the same source gives the same bits.
#[test]
#[ignore = "long: run with --include-ignored"]
#[cfg(target_arch = "x86_64")]
fn builds_for_other_processors_have_the_same_digests() {
    let is_v3 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") && is_x86_feature_detected!("bmi2");
    let is_v4 = is_v3 && ["f", "bw", "cd", "dq", "vl"].map(has_avx512).into_iter().all(|has| has);
    let expected: Vec<String> =
        digest::digests().into_iter().map(|(name, digest)| format!("{name:22} {digest:016x}")).collect();
    for (processor, is_here) in [("x86-64-v3", is_v3), ("x86-64-v4", is_v4)] {
        if is_here {
            let scratch = tempfile::tempdir().unwrap();
            let flags = ["-C", "opt-level=1", "-C", &format!("target-cpu={processor}")];
            let program = build(scratch.path(), &flags);
            let output = Command::new(program).output().expect("the program starts");
            let printed = String::from_utf8(output.stdout).expect("text on stdout");
            assert_eq!(printed.lines().collect::<Vec<_>>(), expected, "{processor}");
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn has_avx512(part: &str) -> bool {
    match part {
        "f" => is_x86_feature_detected!("avx512f"),
        "bw" => is_x86_feature_detected!("avx512bw"),
        "cd" => is_x86_feature_detected!("avx512cd"),
        "dq" => is_x86_feature_detected!("avx512dq"),
        _ => is_x86_feature_detected!("avx512vl"),
    }
}

/// Compiles the bot core and the program that prints digests, and returns the program.
#[cfg(target_arch = "x86_64")]
fn build(folder: &Path, flags: &[&str]) -> PathBuf {
    let (library, program) =
        (folder.join("libdoublecross_core.rlib"), folder.join(format!("digest{}", std::env::consts::EXE_SUFFIX)));
    // The build script writes the list of sources, which only exports need.
    fs::write(folder.join("sources.rs"), "&[]").unwrap();
    let compile = |arguments: &[&str], input: &str, output: &Path| {
        let mut rustc = Command::new("rustc");
        rustc.env("OUT_DIR", folder).args(["--edition", "2024"]).args(flags).args(arguments).arg("-o").arg(output);
        let output = rustc.arg(in_crate(input)).output().expect("rustc is there");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    compile(&["--crate-name", "doublecross_core", "--crate-type", "rlib"], "src/lib.rs", &library);
    let core = format!("doublecross_core={}", library.display());
    compile(&["--crate-name", "digest", "--extern", &core], "examples/digest.rs", &program);
    program
}

/// A file of this crate.
fn in_crate(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}
