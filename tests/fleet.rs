//! Runs that many machines play come out as on one.
#![cfg(all(unix, feature = "nats"))]

mod common;

use std::process::Stdio;

use common::fleet::{Run, assert_clean, assert_same, worker};
use common::nats::NatsServer;
use common::{Running, wait_until};

/// Plays a run with so many workers that come at once.
fn play(server: &NatsServer, scratch: &std::path::Path, run: &Run, folder: &str, workers: usize) -> std::path::PathBuf {
    let workers: Vec<Running> =
        (1..=workers).map(|number| worker(server, scratch, &format!("worker-{number}"), &["--once"])).collect();
    let output = run.coordinator(server, scratch, folder).stderr(Stdio::piped()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for mut worker in workers {
        wait_until("the worker ends with the run", || worker.0.try_wait().unwrap().is_some());
    }
    scratch.join(folder)
}

#[test]
fn any_number_of_workers_gives_the_same_bytes() {
    let Some(server) = NatsServer::start(3) else { return };
    let scratch = tempfile::tempdir().unwrap();
    // The coordinator's one thread leaves something to the others.
    let small = ["generations=3", "suite.positions=8", "threads=1", "selfplay.games=3000", "learn.passes=1"];
    let three = [
        "generations=3",
        "threads=1",
        "selfplay.games=150",
        "selfplay.simulations=48",
        "selfplay.surprise_share=0.5",
        "selfplay.start_share=0.2",
        "learn.passes=1",
        "labelled.positions=12",
        "suite.positions=20",
        "network.channels=16",
    ];
    for (config, overrides) in [("configs/smoke.toml", small.as_slice()), ("configs/3x3.toml", &three)] {
        for lag in ["selfplay.lag=0", "selfplay.lag=1"] {
            let name = |workers: usize| format!("{}-{lag}-{workers}", config.replace('/', "-"));
            let run = Run::new(config, &[overrides, &[lag]].concat());
            let alone = run.alone(scratch.path(), &format!("{}-alone", name(0)));
            for workers in [0, 1, 3] {
                let fleet = play(&server, scratch.path(), &run, &name(workers), workers);
                assert_same(&alone, &fleet);
                assert_clean(&fleet);
                let players = std::fs::read_to_string(fleet.join("fleet.json")).unwrap_or_default();
                let played = players.matches("\"items\": 0").count() < players.matches("\"items\"").count();
                assert_eq!(played, workers > 0, "{workers} workers: {players}");
            }
        }
    }
}
