//! Proofs on many machines: workers that come, are killed, hand things in twice, and lie.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::{Running, json, program, run, succeed, wait_until};
use crate::runs::ready_worker;
use crate::server::NatsServer;
use async_nats::jetstream::{self, consumer::PullConsumer};
use doublecross::board::State;
use doublecross::fleet::{MachineKey, connect, subjects};
use doublecross::proof::format_lemma;
use doublecross::solver::{Bounds, Lemma};
use futures_util::StreamExt;
use serde_json::{Value, json};

/// The command of a proof's coordinator.
fn coordinator(server: &NatsServer, scratch: &Path, arguments: &[&str]) -> Command {
    let mut command = program(scratch);
    command.arg("prove").args(arguments).args(["--json", "--at", &server.address()]);
    command.arg("--key").arg(server.key_path("coordinator"));
    command
}

fn prover(server: &NatsServer, scratch: &Path, name: &str) -> Running {
    ready_worker(server, scratch, name, &["--prove", "--table", "64M"])
}

/// Waits for the end of a proof and returns its answer, which follows from claims that were not proved again.
fn answer(running: Running) -> Value {
    let output = running.output();
    assert_eq!(output.status.code(), Some(5), "{}", String::from_utf8_lossy(&output.stderr));
    let answer = json(&String::from_utf8(output.stdout).unwrap());
    assert_eq!(answer["conclusion"], format!("follows from {} assumed claims", answer["assumed"]));
    assert!(
        answer["margin"].is_null() && answer["settled"] == false && answer["assumed"].as_u64() > Some(0),
        "{answer}"
    );
    answer
}

fn start(mut command: Command) -> Running {
    Running(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
}

fn lines(scratch: &Path) -> usize {
    fs::read_to_string(scratch.join("log")).map_or(0, |log| log.lines().count())
}

/// Derives the value from the log, and solves a sample of its frontier.
fn check(scratch: &Path, margin: i32) {
    let output = run(scratch, &["prove", "check", "log", "--sample", "30", "--json"]);
    let check = json(&String::from_utf8(output.stdout).unwrap());
    assert_eq!((output.status.code(), &check["claimed"]["margin"]), (Some(5), &Value::from(margin)), "{check}");
    assert_eq!((&check["solved"], &check["false"]), (&Value::from(30), &json!([])), "{check}");
}

#[test]
fn two_workers_prove_what_one_machine_does() {
    let Some(server) = NatsServer::start(3) else { return };
    let folder = tempfile::tempdir().unwrap();
    let scratch = folder.path();
    let _workers = ["worker-1", "worker-2"].map(|name| prover(&server, scratch, name));
    let proof = answer(start(coordinator(&server, scratch, &["3x4", "--log", "log", "--log-from", "1000"])));
    assert_eq!(proof["claimed"], json!({ "margin": 0, "lower": 0, "upper": 0 }), "{proof}");
    check(scratch, 0);
    let log = fs::read_to_string(scratch.join("log")).unwrap();
    assert!(log.contains("# by worker-1\n") && log.contains("# by worker-2\n"), "{log}");
    // The log alone is enough the next time, with or without workers.
    let again = json(&succeed(scratch, &["prove", "3x4", "--log", "log", "--json"]));
    assert_eq!(again["margin"], Value::from(0));
    assert!(again["nodes"].as_u64() < Some(1000), "{again}");
    // A server serves one proof at a time.
    let first = start(coordinator(&server, scratch, &["4x4", "--log", "other"]));
    let key = server.key_path("observer").display().to_string();
    let users = || run(scratch, &["fleet", &server.address(), "--key", &key]).stderr;
    wait_until("the proof uses the server", || String::from_utf8_lossy(&users()).contains("a proof uses the server"));
    // A worker of the other kind says why it has nothing to do.
    let _player = ready_worker(&server, scratch, "worker-3", &[]);
    let said = || fs::read_to_string(scratch.join("worker-3.log")).unwrap();
    wait_until("the worker says what uses the server", || said().contains("a proof uses the server"));
    let output = coordinator(&server, scratch, &["3x4", "--log", "third"]).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && told.contains("another run or proof uses the server"), "{told}");
    // The key of another role is refused before anything is written.
    let mut other = program(scratch);
    other
        .args(["prove", "3x4", "--log", "fourth", "--at", &server.address(), "--key"])
        .arg(server.key_path("worker-3"));
    assert_eq!(other.output().unwrap().status.code(), Some(2));
    assert!(!scratch.join("fourth").exists());
    drop(first);
}

/// Workers and the coordinator are killed, and everything that is handed in arrives twice.
#[test]
#[ignore = "long: run with --include-ignored"]
fn a_proof_survives_kills_and_duplicates() {
    let Some(server) = NatsServer::start(3) else { return };
    let folder = tempfile::tempdir().unwrap();
    let scratch = folder.path();
    let echo = Echo::start(server.address(), server.key("coordinator"));
    let arguments = ["4x4:0x300", "--at-most", "0", "--log", "log", "--log-from", "300"];
    let first = prover(&server, scratch, "worker-1");
    let second = prover(&server, scratch, "worker-2");
    let mut running = start(coordinator(&server, scratch, &arguments));
    wait_until("something is logged", || lines(scratch) > 100);
    drop(first);
    wait_until("more is logged", || lines(scratch) > 300);
    running.0.kill().unwrap();
    running.0.wait().unwrap();
    let before = lines(scratch);
    let mut running = start(coordinator(&server, scratch, &arguments));
    let _third = prover(&server, scratch, "worker-3");
    // On a fast machine little may be left to prove.
    wait_until("the proof goes on", || lines(scratch) > before + 100 || running.0.try_wait().unwrap().is_some());
    drop(second);
    let proof = answer(running);
    assert_eq!(proof["claimed"], json!({ "margin": null, "lower": -16, "upper": 0 }), "{proof}");
    let arguments = ["prove", "check", "log", "--position", "4x4:0x300", "--sample", "10", "--json"];
    let check = json(&String::from_utf8(run(scratch, &arguments).stdout).unwrap());
    assert_eq!((&check["claimed"]["upper"], &check["damaged"]), (&Value::from(0), &Value::from(0)), "{check}");
    assert_eq!(check["false"], json!([]), "{check}");
    assert!(echo.end() > 0);
}

/// A worker whose lemmas are false is banned, and nothing that could follow from them stays.
#[test]
fn a_lying_worker_is_banned() {
    let Some(server) = NatsServer::start(2) else { return };
    let folder = tempfile::tempdir().unwrap();
    let scratch = folder.path();
    let running = start(coordinator(&server, scratch, &["3x4", "--log", "log", "--log-from", "300"]));
    // Nobody gets all the boxes from there.
    let wrong = [0x1_u64, 0x21, 0x1001, 0x10_0000, 0x400_0010].map(|mask| {
        let state: State = format!("3x4:{mask:#x}").parse().unwrap();
        Lemma { state: state.canonical().0, bounds: Bounds::exact(12), nodes: 1000 }
    });
    lie(&server.address(), &server.key("worker-2"), None, 1000, &wrong);
    // Nobody else works yet, so that the lemmas of the liar are the first.
    wait_until("the log is cut", || scratch.join("log.refused").is_file());
    let _honest = prover(&server, scratch, "worker-1");
    let output = running.output();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(5), "{told}");
    assert!(told.contains("worker-2 is banned: its lemma that 3x4:") && told.contains("is false"), "{told}");
    assert_eq!(json(&String::from_utf8(output.stdout).unwrap())["claimed"]["margin"], Value::from(0));
    check(scratch, 0);
    let log = fs::read_to_string(scratch.join("log")).unwrap();
    assert!(log.contains("# banned worker-2\n") && !log.contains("# by worker-2"), "{log}");
}

/// Hands in everything that workers hand in once more.
struct Echo {
    ends: std::sync::Arc<std::sync::atomic::AtomicBool>,
    thread: std::thread::JoinHandle<usize>,
}

impl Echo {
    fn start(address: String, key: MachineKey) -> Echo {
        let ends = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let ended = ends.clone();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let client = connect(&address, &key).await.unwrap();
                let mut results = client.subscribe(subjects::RESULTS_SUBJECTS).await.unwrap();
                let (mut seen, mut count) = (std::collections::HashSet::new(), 0);
                while !ended.load(std::sync::atomic::Ordering::Relaxed) {
                    let next = tokio::time::timeout(Duration::from_millis(100), results.next()).await;
                    let Ok(Some(message)) = next else { continue };
                    if seen.insert(message.payload.to_vec()) {
                        client.publish(message.subject, message.payload).await.unwrap();
                        count += 1;
                    }
                }
                count
            })
        });
        Echo { ends, thread }
    }

    fn end(self) -> usize {
        self.ends.store(true, std::sync::atomic::Ordering::Relaxed);
        self.thread.join().unwrap()
    }
}

/// A lie that takes more than the coordinator's checks ends the proof, and is not stated as proved.
#[test]
fn a_dear_lie_is_named_and_never_proved() {
    let Some(server) = NatsServer::start(2) else { return };
    let folder = tempfile::tempdir().unwrap();
    let scratch = folder.path();
    // The margin of 4x4 is 0. What a lie is said to have taken may be far too little, or not.
    for (nodes, code, said) in [(5000, 3, "which count as false"), (1_000_000_000, 5, "not proved: ")] {
        let running =
            start(coordinator(&server, scratch, &["4x4", "--log", &format!("log-{nodes}"), "--at-least", "2"]));
        lie(&server.address(), &server.key("worker-2"), Some(true), nodes, &[]);
        let output = running.output();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(code) && told.contains(said), "{told}");
        let answer = json(&String::from_utf8(output.stdout).unwrap());
        assert_eq!(answer["conclusion"], "follows from 1 assumed claim", "{answer}");
        assert_eq!(answer["claimed"], json!({ "margin": null, "lower": 2, "upper": 16 }), "{answer}");
        assert_eq!((&answer["lower"], &answer["question"]["answer"]), (&Value::from(-16), &Value::Null), "{answer}");
    }
}

/// Takes the first question and hands in an answer, the nodes that it is said to have taken, and lemmas.
fn lie(address: &str, key: &MachineKey, answer: Option<bool>, nodes: u64, lemmas: &[Lemma]) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = connect(address, key).await.unwrap();
        let context = jetstream::new(client.clone());
        let consumer = async || -> Option<PullConsumer> {
            context.get_consumer_from_stream(subjects::PLAY_CONSUMER, subjects::PLAY).await.ok()
        };
        let message = loop {
            let Some(consumer) = consumer().await else {
                tokio::time::sleep(Duration::from_millis(200)).await;
                continue;
            };
            let batch = consumer.fetch().max_messages(1).expires(Duration::from_secs(1)).messages().await;
            let Ok(mut batch) = batch else { continue };
            if let Some(Ok(message)) = batch.next().await {
                break message;
            }
        };
        let assignment: Value = serde_json::from_slice(&message.payload).unwrap();
        let (proof, number) = (&assignment["proof"], &assignment["number"]);
        let head = json!({ "proof": proof, "number": number, "nodes": nodes, "answer": answer, "is_last": true });
        let lines: String = lemmas.iter().map(|lemma| format_lemma(lemma) + "\n").collect();
        let text = format!("{head}\n{lines}");
        context.publish(subjects::result(key.name()), text.into()).await.unwrap().await.unwrap();
        message.ack().await.unwrap();
        client.flush().await.unwrap();
    });
}
