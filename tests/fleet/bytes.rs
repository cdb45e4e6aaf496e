//! Runs that many machines play come out as on one.

use std::process::Stdio;

use crate::common::{Running, wait_until};
use crate::runs::{Run, assert_clean, assert_same, ready_worker, worker};
use crate::server::NatsServer;

/// Plays a run with this many workers, which are ready before it.
fn play(server: &NatsServer, scratch: &std::path::Path, run: &Run, folder: &str, workers: usize) -> std::path::PathBuf {
    let workers: Vec<Running> =
        (1..=workers).map(|number| ready_worker(server, scratch, &format!("worker-{number}"), &["--once"])).collect();
    let output = run.coordinator(server, scratch, folder).stderr(Stdio::piped()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for mut worker in workers {
        wait_until("the worker ends with the run", || worker.0.try_wait().unwrap().is_some());
    }
    scratch.join(folder)
}

#[test]
#[ignore = "long: run with --include-ignored"]
fn any_number_of_workers_gives_the_same_bytes() {
    let Some(server) = NatsServer::start(3) else { return };
    let scratch = tempfile::tempdir().unwrap();
    // The coordinator's one thread leaves something to the others.
    let small = ["generations=3", "suite.positions=8", "resources.threads=1", "selfplay.games=3000", "learn.passes=1"];
    let three = [
        "generations=3",
        "resources.threads=1",
        "selfplay.games=150",
        "selfplay.simulations=48",
        "selfplay.surprise_share=0.5",
        "selfplay.start_share=0.2",
        "learn.passes=1",
        "labeled.positions=12",
        "suite.positions=20",
        "network.channels=16",
    ];
    let several = ["resources.threads=1", "selfplay.games=300", "selfplay.simulations=48", "selfplay.root_nodes=0"];
    let runs = [
        ("configs/smoke.toml", small.as_slice()),
        ("tests/data/3x3.toml", &three),
        ("tests/data/phases.toml", &[]),
        ("tests/data/mixture.toml", &several),
    ];
    for (config, overrides) in runs {
        let mut played_by_workers = false;
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
                assert!(workers > 0 || !played, "{players}");
                played_by_workers |= played;
            }
        }
        // One run may be over before a worker has played its canary games, but not all of them.
        assert!(played_by_workers, "{config}");
    }
}

#[test]
fn one_server_serves_one_run_at_a_time() {
    let Some(server) = NatsServer::start(1) else { return };
    let scratch = tempfile::tempdir().unwrap();
    let long = Run::new("tests/data/3x3.toml", &["suite.positions=10"]);
    let first = long.coordinator(&server, scratch.path(), "first").stderr(Stdio::null()).spawn().unwrap();
    let first = Running(first);
    let key = server.key_path("observer").display().to_string();
    let fleet = || crate::common::run(scratch.path(), &["fleet", &server.address(), "--key", &key]);
    wait_until("the coordinator answers", || fleet().status.success());
    let text = String::from_utf8(fleet().stdout).unwrap();
    assert!(text.contains("run first, lag 0") && text.contains("the coordinator plays alone"), "{text}");
    // A worker of the other kind says why it has nothing to do.
    let _prover = ready_worker(&server, scratch.path(), "worker-1", &["--prove"]);
    let said = || std::fs::read_to_string(scratch.path().join("worker-1.log")).unwrap();
    wait_until("the worker says what uses the server", || said().contains("a training run uses the server"));
    let second = long.coordinator(&server, scratch.path(), "second").stderr(Stdio::piped()).output().unwrap();
    let error = String::from_utf8_lossy(&second.stderr);
    assert!(second.status.code() == Some(1) && error.contains("one server serves one at a time"), "{error}");
    drop(first);
    wait_until("no run uses the server", || {
        let none = fleet();
        none.status.code() == Some(1) && String::from_utf8_lossy(&none.stderr).contains("no run uses the server")
    });
    // Keys of other roles.
    let mut worker = crate::common::program(scratch.path());
    worker.args(["worker", &server.address(), "--key", &key]);
    assert_eq!(worker.output().unwrap().status.code(), Some(2));
    let key = server.key_path("worker-1").display().to_string();
    assert_eq!(crate::common::run(scratch.path(), &["fleet", &server.address(), "--key", &key]).status.code(), Some(2));
}

#[test]
fn a_full_disk_ends_the_run_and_loses_nothing() {
    let Some(server) = NatsServer::start(1) else { return };
    let scratch = tempfile::tempdir().unwrap();
    let run = Run::new(
        "tests/data/3x3.toml",
        &["generations=2", "selfplay.games=300", "selfplay.simulations=16", "suite.positions=10", "learn.passes=1"],
    );
    let alone = run.alone(scratch.path(), "alone");
    let _worker = worker(&server, scratch.path(), "worker-1", &[]);
    // No file may have more than 48 KiB; what is beyond is refused as on a full disk.
    let coordinator = run.coordinator(&server, scratch.path(), "fleet");
    let mut limited = std::process::Command::new("sh");
    limited.args(["-c", "trap '' XFSZ; ulimit -f 96; exec \"$@\"", "sh"]);
    limited.arg(coordinator.get_program()).args(coordinator.get_args()).current_dir(scratch.path());
    let output = limited.output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && error.contains("too large"), "{error}");
    let output = run.coordinator(&server, scratch.path(), "fleet").stderr(Stdio::piped()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_same(&alone, &scratch.path().join("fleet"));
    assert_clean(&scratch.path().join("fleet"));
}

#[test]
fn a_worker_writes_no_file() {
    let Some(server) = NatsServer::start(1) else { return };
    let scratch = tempfile::tempdir().unwrap();
    let empty = scratch.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    let mut command = crate::common::program(&empty);
    command.args(["worker", &server.address(), "--once", "--key"]).arg(server.key_path("worker-1"));
    command.env("HOME", &empty).env("TMPDIR", &empty);
    let log = scratch.path().join("log");
    let mut worker = Running(command.stderr(std::fs::File::create(&log).unwrap()).spawn().unwrap());
    wait_until("the worker is ready", || std::fs::read_to_string(&log).unwrap().contains("waits for work"));
    let run = Run::new("configs/smoke.toml", &["resources.threads=1", "selfplay.games=2000", "suite.positions=0"]);
    let output = run.coordinator(&server, scratch.path(), "fleet").stderr(Stdio::piped()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    wait_until("the worker ends with the run", || worker.0.try_wait().unwrap().is_some());
    assert_eq!(std::fs::read_dir(&empty).unwrap().count(), 0);
}

#[test]
fn a_run_that_goes_on_alone_says_what_was_not_checked() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = Run::new("configs/smoke.toml", &["generations=1", "suite.positions=0"]).alone(scratch.path(), "run");
    let open = r#"{"generation":1,"item":3,"is_first":true}"#;
    let accounts =
        format!(r#"{{"worker-1":{{"items":9,"open":[{open}]}},"worker-2":{{"ban":"why","open":[{open}]}}}}"#);
    std::fs::write(folder.join("fleet.json"), accounts).unwrap();
    let output = crate::common::run(scratch.path(), &["train", "run"]);
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && messages.contains("games of workers that are still to be checked: 1 "),
        "{messages}"
    );
}
