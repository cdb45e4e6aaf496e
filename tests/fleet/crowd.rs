//! A coordinator offers games however much its workers send.

use std::process::Stdio;
use std::time::Duration;

use crate::common::{Running, wait_until};
use crate::runs::{Run, worker};
use crate::server::{NatsServer, block_on};
use doublecross::fleet::{connect, subjects};

/// The heartbeats of a thousand workers, which come every two seconds from each.
const HEARTBEATS: u32 = 500;

#[test]
fn many_heartbeats_do_not_keep_games_from_workers() {
    let Some(server) = NatsServer::start(1) else { return };
    let scratch = tempfile::tempdir().unwrap();
    let (address, key) = (server.address(), server.key("coordinator"));
    // The workers refuse, so that the one that plays is the only one to be offered games.
    let crowd = std::thread::spawn(move || {
        block_on(async {
            let client = connect(&address, &key).await.unwrap();
            let hello = r#"{"threads":1,"program":"0","isa":"none","items":0,"idle":1.0,"refusal":"not a machine"}"#;
            for number in 0u32.. {
                let name = format!("crowd-{}", number % 1000).parse().unwrap();
                if client.publish(subjects::hello(&name), hello.into()).await.is_err() {
                    return;
                }
                tokio::time::sleep(Duration::from_secs(1) / HEARTBEATS).await;
            }
        });
    });
    let run = Run::new("configs/smoke.toml", &["generations=1000000", "suite.positions=8"]);
    let _coordinator = Running(run.coordinator(&server, scratch.path(), "run").stderr(Stdio::null()).spawn().unwrap());
    let mut one = worker(&server, scratch.path(), "worker-1", &[]);
    wait_until("the worker has handed in games", || {
        assert!(one.0.try_wait().unwrap().is_none(), "the worker has ended");
        assert!(!crowd.is_finished(), "the crowd has ended");
        let log = std::fs::read_to_string(scratch.path().join("worker-1.log")).unwrap();
        log.contains("games handed in")
    });
}
