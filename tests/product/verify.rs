//! Games of a run are played again, and a fake is found.

use crate::common::{json, run, succeed, train};
use doublecross::selfplay::Shard;

#[test]
fn a_run_is_verified_and_a_fake_is_found() {
    let scratch = tempfile::tempdir().unwrap();
    let overrides = ["finish.games=0", "selfplay.lag=1", "labeled.positions=10", "selfplay.start_share=0.5"];
    assert!(train(scratch.path(), "run", &overrides).output().unwrap().status.success());
    let report = json(&succeed(scratch.path(), &["verify", "run", "--games", "100000", "--json"]));
    let figures = [&report["checked"], &report["positions"], &report["generations"]];
    assert_eq!(figures, [200, 40, 4].map(serde_json::Value::from).each_ref(), "{report}");
    assert_eq!(report["differing"].as_array().unwrap().len(), 0);
    let text = succeed(scratch.path(), &["verify", "run", "--games", "100000", "--threads", "1"]);
    assert_eq!(text, "160 games and 40 labeled positions of 4 generations played again: 0 different\n");
    let report = json(&succeed(scratch.path(), &["verify", "run", "--games", "20", "--seed", "3", "--json"]));
    assert_eq!(report["checked"], 20, "{report}");

    // A suite that was deleted is left out of the samples all the same.
    let suite = scratch.path().join("run/suite.tsv");
    let text = std::fs::read(&suite).unwrap();
    std::fs::remove_file(&suite).unwrap();
    let report = json(&succeed(scratch.path(), &["verify", "run", "--games", "100000", "--json"]));
    assert_eq!(report["differing"].as_array().unwrap().len(), 0);
    std::fs::write(&suite, text).unwrap();

    // The weights that played the fourth generation may be deleted.
    let deleted = scratch.path().join("run/checkpoints/gen-000002");
    let kept = scratch.path().join("kept");
    std::fs::rename(&deleted, &kept).unwrap();
    let output = run(scratch.path(), &["verify", "run", "--games", "100000", "--json"]);
    std::fs::rename(&kept, &deleted).unwrap();
    let report = json(&String::from_utf8(output.stdout).unwrap());
    assert_eq!(
        [&report["generations"], &report["left_out"]],
        [3, 1].map(serde_json::Value::from).each_ref(),
        "{report}"
    );
    assert!(String::from_utf8(output.stderr).unwrap().contains("1 generation left out: the samples, the weights"));

    // The shard of the second generation, whose positions games of the fourth begin with, and the weights that played the
    // third: one generation is left.
    let [shard, weights] = ["shards/gen-000002.shard", "checkpoints/gen-000001"];
    for name in [shard, weights] {
        std::fs::rename(scratch.path().join("run").join(name), scratch.path().join(name.replace('/', "-"))).unwrap();
    }
    let output = run(scratch.path(), &["verify", "run", "--games", "100000", "--json"]);
    for name in [shard, weights] {
        std::fs::rename(scratch.path().join(name.replace('/', "-")), scratch.path().join("run").join(name)).unwrap();
    }
    let report = json(&String::from_utf8(output.stdout).unwrap());
    assert_eq!(
        [&report["generations"], &report["left_out"]],
        [1, 3].map(serde_json::Value::from).each_ref(),
        "{report}"
    );

    // One weight of one game's policy is moved, in a shard with the right checksum.
    let path = scratch.path().join("run/shards/gen-000003.shard");
    let mut shard = Shard::read(&path).unwrap();
    let at = shard.samples.iter().position(|sample| sample.policy.len() > 1).unwrap();
    shard.samples[at].policy[0].1 ^= 1;
    shard.write(&path).unwrap();
    let output = run(scratch.path(), &["verify", "run", "--games", "100000", "--json"]);
    assert_eq!(output.status.code(), Some(3));
    let report = json(&String::from_utf8(output.stdout).unwrap());
    let differing = report["differing"].as_array().unwrap();
    let item: u64 = shard
        .counts
        .iter()
        .scan(0, |sum, &count| {
            *sum += count as usize;
            Some(*sum)
        })
        .position(|end| end > at)
        .unwrap() as u64;
    // A game that began with one of its unproved states may differ as well.
    assert!(differing.contains(&serde_json::json!({ "generation": 3, "item": item })), "{report}");
    assert_eq!(differing.iter().filter(|found| found["generation"] == 3).count(), 1, "{report}");

    let output = run(scratch.path(), &["verify", "run", "--games", "100000"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let kind = if item < 40 { "game" } else { "labeled position" };
    assert!(text.contains(&format!("\n  generation 3, item {item} (a {kind})\n")), "{text}");

    succeed(scratch.path(), &["label", "2x2", "--to", "labels", "--shards", "1", "--set", "labeled.positions=20"]);
    let short = ["--set", "finish.games=0", "--set", "generations=1"];
    succeed(scratch.path(), &[&["learn", "2x2", "--data", "labels"][..], &short].concat());
    let output = run(scratch.path(), &["verify", "runs/learn-2x2"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("has nothing to play again"));

    let output = run(scratch.path(), &["verify", "nowhere"]);
    assert_eq!(output.status.code(), Some(2));
}
