//! A worker's key that makes the server remove what it stores, by requests of which the server sends the
//! answers: runs and proofs go on, with their workers.

use std::fs;
use std::process::Stdio;

use crate::common::{Running, wait_until};
use crate::runs::{Run, items_of, ready_worker};
use crate::server::{NatsServer, block_on};
use doublecross::fleet::connect;
use doublecross::fleet::subjects::{NOW, ORDERS, PLAY, PLAY_CONSUMER, RESULTS};
use futures_util::StreamExt;
use serde_json::{Value, json};

/// Asks on a subject as a machine, and returns the server's answer.
fn ask(server: &NatsServer, name: &str, subject: &str, question: &str) -> Value {
    block_on(async {
        let client = connect(&server.address(), &server.key(name)).await.unwrap();
        let answer = client.request(subject.to_string(), question.to_string().into()).await.unwrap();
        serde_json::from_slice(&answer.payload).unwrap()
    })
}

/// Returns the next broadcast of the coordinator.
fn now(server: &NatsServer) -> Value {
    block_on(async {
        let client = connect(&server.address(), &server.key("worker-1")).await.unwrap();
        let mut broadcasts = client.subscribe(NOW).await.unwrap();
        serde_json::from_slice(&broadcasts.next().await.unwrap().payload).unwrap()
    })
}

/// Has the server ask something of itself: the answer to a question of `worker-1` goes there.
fn have_server_ask(server: &NatsServer, subject: &str) {
    block_on(async {
        let client = connect(&server.address(), &server.key("worker-1")).await.unwrap();
        let absent = format!("$JS.API.DIRECT.GET.{ORDERS}.doublecross.orders.absent");
        client.publish_with_reply(absent, subject.to_string(), "".into()).await.unwrap();
        client.flush().await.unwrap();
    });
}

/// Removes everything that a worker can.
fn sabotage(server: &NatsServer) {
    have_server_ask(server, &format!("$JS.API.CONSUMER.DELETE.{PLAY}.{PLAY_CONSUMER}"));
    for stream in [PLAY, RESULTS, ORDERS] {
        have_server_ask(server, &format!("$JS.API.STREAM.DELETE.{stream}"));
    }
}

/// Removes orders alone, which no one misses who has them.
fn purge_orders(server: &NatsServer) {
    have_server_ask(server, &format!("$JS.API.STREAM.PURGE.{ORDERS}"));
}

fn messages(server: &NatsServer, stream: &str) -> Option<u64> {
    ask(server, "coordinator", &format!("$JS.API.STREAM.INFO.{stream}"), "")["state"]["messages"].as_u64()
}

#[test]
fn a_run_goes_on_with_its_workers() {
    let Some(server) = NatsServer::start(3) else { return };
    let folder = tempfile::tempdir().unwrap();
    let scratch = folder.path();
    let overrides = [
        "generations=1",
        "resources.threads=1",
        // More games than the fastest machine plays before all is seen.
        "selfplay.simulations=2000",
        "selfplay.games=100000",
        "suite.positions=0",
    ];
    let run = Run::new("configs/smoke.toml", &overrides);
    let _coordinator = Running(run.coordinator(&server, scratch, "fleet").stderr(Stdio::null()).spawn().unwrap());
    let _worker = ready_worker(&server, scratch, "worker-2", &[]);
    wait_until("the worker plays", || items_of(&server, scratch, "worker-2") > 0);
    sabotage(&server);
    let before = items_of(&server, scratch, "worker-2");
    wait_until("the worker plays again", || items_of(&server, scratch, "worker-2") > before + 50);
    purge_orders(&server);
    wait_until("the orders are there again", || messages(&server, ORDERS) > Some(0));
    // A part of them is enough to keep others from playing.
    let filter = json!({ "filter": "doublecross.orders.*.0" }).to_string();
    let removed = ask(&server, "coordinator", &format!("$JS.API.STREAM.PURGE.{ORDERS}"), &filter);
    assert!(removed["purged"].as_u64() > Some(0), "{removed}");
    let _other = ready_worker(&server, scratch, "worker-3", &[]);
    wait_until("another worker plays", || items_of(&server, scratch, "worker-3") > 0);
}

#[test]
fn a_proof_goes_on_with_its_workers() {
    let Some(mut server) = NatsServer::start(2) else { return };
    let folder = tempfile::tempdir().unwrap();
    let scratch = folder.path();
    let lines = || fs::read_to_string(scratch.join("log")).map_or(0, |log| log.lines().count());
    let mut command = crate::common::program(scratch);
    command.args(["prove", "4x4", "--at-least", "2", "--log", "log", "--log-from", "300", "--at", &server.address()]);
    command.arg("--key").arg(server.key_path("coordinator")).stderr(Stdio::null());
    let _coordinator = Running(command.spawn().unwrap());
    let _worker = ready_worker(&server, scratch, "worker-2", &["--prove", "--table", "64M"]);
    let goes_on = |what: &str| {
        let before = lines();
        wait_until(what, || lines() > before + 100);
    };
    goes_on("the proof begins");
    sabotage(&server);
    goes_on("the proof goes on without its streams");
    wait_until("lemmas are shared", || messages(&server, ORDERS) > Some(0));
    let before = now(&server)["batches"].as_u64();
    purge_orders(&server);
    // Under other numbers, so that also those read them who have read the others.
    wait_until("all lemmas are shared again", || now(&server)["first_batch"].as_u64() >= before);
    let (now, stored) = (now(&server), messages(&server, ORDERS));
    assert!(
        stored >= Some(now["batches"].as_u64().unwrap() - now["first_batch"].as_u64().unwrap()),
        "{now} {stored:?}"
    );
    server.restart_empty();
    goes_on("the proof goes on with an empty server");
}
