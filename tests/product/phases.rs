//! Runs whose network, optimizer, window and labels change as they go.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use crate::common::{json, program, progress, succeed, wait_until};
use doublecross::net::Architecture;
use doublecross::run::load_weights;

const CONFIG: &str = r#"
board = "3x3"
generations = 7
[network]
channels = 16
blocks = 0
value_hidden = 8
[selfplay]
games = 20
simulations = 8
root_undrawn = 8
root_nodes = 50000
[learn]
optimizer = "adamw"
learning_rate = 0.01
window_samples = 100
window_share = 0.0
warmup_steps = 4
[finish]
games = 0

[[phase]]
from = 3
network = { channels = 32, blocks = 1 }
selfplay.games = 30
labeled = { positions = 10, least_undrawn = 4, most_undrawn = 10 }
learn.optimizer = "muon"
learn.learning_rate = 0.005
learn.edge_loss = 1.0

[[phase]]
from = 5
network.value_hidden = 16
selfplay.games = 10
learn.window_samples = 100000
learn.weight_decay = 0.01
"#;

/// The whole files of a run whose bytes do not depend on the time.
const FILES: [&str; 3] = ["ema.dxw", "model.dxw", "optimizer.bin"];

fn checkpoint(run: &Path, generation: u64) -> std::path::PathBuf {
    run.join(format!("checkpoints/gen-{generation:06}"))
}

/// Everything that a generation of a run left behind.
fn left_behind(run: &Path, generation: u64) -> Vec<Vec<u8>> {
    let newest = FILES.map(|file| checkpoint(run, generation).join(file));
    let shard = run.join(format!("shards/gen-{generation:06}.shard"));
    newest.into_iter().chain([shard]).map(|path| fs::read(&path).unwrap_or_default()).collect()
}

/// The figures of each generation that do not depend on the time.
fn figures(run: &Path) -> Vec<Vec<serde_json::Value>> {
    let names = ["generation", "steps", "samples", "learning_rate", "window_samples", "policy_loss", "margin_loss"];
    progress(run).iter().map(|record| names.map(|name| record[name].clone()).to_vec()).collect()
}

#[test]
fn phases_change_a_run_and_a_killed_run_ends_the_same() {
    phases_change_a_run(0);
}

/// Games of a phase are played while the network still learns in the one before.
#[test]
fn phases_change_a_run_whose_games_are_ahead() {
    phases_change_a_run(1);
}

fn phases_change_a_run(lag: usize) {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    fs::write(folder.join("phases.toml"), CONFIG).unwrap();
    let lag = format!("selfplay.lag={lag}");
    let train = |run: &str| {
        let mut command = program(folder);
        command.args(["train", "phases.toml", "--run", run, "--set", &lag]);
        command
    };
    let output = train("whole").output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{told}");
    for line in [
        "learning rate: 0.01 to 0.0001 over generations 1 to 2\n",
        "learning rate: 0.005 to 0.0001 over generations 3 to 7\n",
        "from generation 5: network.value_hidden = 16, selfplay.games = 10,\n",
    ] {
        assert!(told.contains(line), "{line}: {told}");
    }
    // Once in the plan, and once when it begins.
    assert_eq!(told.matches("from generation 3: network.channels = 32").count(), 2, "{told}");

    let whole = folder.join("whole");
    let architecture = load_weights(&whole).unwrap().architecture;
    assert_eq!(architecture, Architecture::new(32, 1, 16));
    let records = progress(&whole);
    let games: Vec<u64> = records.iter().map(|record| record["games"].as_u64().unwrap()).collect();
    assert_eq!(games, [20, 40, 70, 100, 110, 120, 130]);
    let rates: Vec<f64> = records.iter().map(|record| record["learning_rate"].as_f64().unwrap()).collect();
    assert!(rates[0] > 0.005 && (rates[1] - 0.0001).abs() < 1e-9, "{rates:?}");
    assert!(rates[2] < 0.0051 && rates[2] > rates[4] && (rates[6] - 0.0001).abs() < 1e-9, "{rates:?}");
    let has_edges: Vec<bool> = records.iter().map(|record| record["edge_loss"].is_number()).collect();
    assert_eq!(has_edges, [false, false, true, true, true, true, true]);
    // The window grows from its new size on, and what had left it does not come back.
    let windows: Vec<u64> = records.iter().map(|record| record["window_samples"].as_u64().unwrap()).collect();
    assert!(windows[3] < 400 && windows[6] > windows[5] && windows[5] > windows[4], "{windows:?}");

    let run = folder.join("killed");
    for generations in 1..=6 {
        let mut child = train("killed").stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        wait_until("a generation more is done", || progress(&run).len() >= generations);
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(train("killed").output().unwrap().status.success());
    assert_eq!(left_behind(&run, 7), left_behind(&whole, 7));
    assert!(left_behind(&run, 7).iter().all(|bytes| !bytes.is_empty()));
    assert_eq!(figures(&run), figures(&whole));

    // Games are played again with the keys of their phase.
    let report = json(&succeed(folder, &["verify", "killed", "--games", "100000", "--json"]));
    assert_eq!((report["checked"].as_u64(), report["differing"].as_array().map(Vec::len)), (Some(180), Some(0)));
}

#[test]
fn a_run_may_be_given_further_phases_and_keeps_those_that_have_begun() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let config = CONFIG.replace("generations = 7", "generations = 3");
    let train = |text: &str| {
        fs::write(folder.join("phases.toml"), text).unwrap();
        let output = program(folder).args(["train", "phases.toml", "--run", "run"]).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(train(&config).0, Some(0));
    for (from, to, key) in [
        ("learn.edge_loss = 1.0", "learn.edge_loss = 0.5", "learn.edge_loss"),
        ("blocks = 1 }", "blocks = 2 }", "network.blocks"),
        ("from = 3", "from = 4", "network.channels"),
        ("from = 3", "from = 2", "network.channels"),
    ] {
        let (status, told) = train(&config.replace(from, to));
        assert!(status == Some(2) && told.contains(key), "{to}: {told}");
    }
    let later = config.replace("generations = 3", "generations = 4").replace("from = 5", "from = 4");
    let (status, told) = train(&(later + "learn.passes = 1\n"));
    assert_eq!(status, Some(0), "{told}");
    assert_eq!(load_weights(&folder.join("run")).unwrap().architecture.value_hidden, 16);
}

/// A kill may come when games of a phase that was added have been played but not learned from.
#[test]
fn an_added_phase_outlasts_a_kill_before_its_first_checkpoint() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let first = CONFIG.replace("generations = 7", "generations = 3");
    let longer = first.replace("generations = 3", "generations = 4").replace("from = 5", "from = 4");
    let train = |text: &str| {
        fs::write(folder.join("phases.toml"), text).unwrap();
        let output = program(folder).args(["train", "phases.toml", "--run", "run"]).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(train(&first).0, Some(0));
    assert_eq!(train(&longer).0, Some(0));
    let run = folder.join("run");
    let ended = left_behind(&run, 4);
    let lose_checkpoint = || fs::remove_dir_all(checkpoint(&run, 4)).unwrap();
    lose_checkpoint();
    let verify = || json(&succeed(folder, &["verify", "run", "--games", "100000", "--json"]));
    assert_eq!(verify()["differing"].as_array().map(Vec::len), Some(0));
    // What was played by the added phase is not learned from without it.
    let (status, told) = train(&longer.replace("from = 4", "from = 5"));
    assert_eq!(status, Some(2), "{told}");
    let (status, told) = train(&longer);
    assert_eq!(status, Some(0), "{told}");
    assert_eq!(left_behind(&run, 4), ended);
}
