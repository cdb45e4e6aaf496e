//! A worker that is banned does not keep a run from ending, whatever it has sent before.

use std::process::Stdio;
use std::time::Duration;

use async_nats::Client;
use async_nats::jetstream::{self, consumer::PullConsumer};
use doublecross::fleet::{connect, subjects};
use doublecross::selfplay::{Costs, Part, PlayedItem};
use futures_util::StreamExt;
use serde_json::Value;

use crate::common::wait_until;
use crate::runs::{Run, assert_clean, assert_same, items_of, worker};
use crate::server::{NatsServer, block_on};

/// The games of the run, and the parts in which all of them are handed in.
const GAMES: u32 = 5000;
const PARTS: usize = 60;

/// A worker that has taken a parcel, and hands in results of its own making.
struct Flooder {
    client: Client,
    subject: String,
    parcel: Value,
}

impl Flooder {
    /// Joins as `worker-1` and takes a parcel. `assert_runs` panics once the run has ended.
    async fn join(server: &NatsServer, assert_runs: &mut impl FnMut()) -> Flooder {
        let (address, key) = (server.address(), server.key("worker-1"));
        let client = connect(&address, &key).await.unwrap();
        let context = jetstream::new(client.clone());
        let hello = r#"{"process":"0000000000000007","threads":1,"program":"0","isa":"none","items":0,"idle":0.0,"refusal":null}"#;
        loop {
            assert_runs();
            client.publish(subjects::hello(key.name()), hello.into()).await.unwrap();
            let consumer: Result<PullConsumer, _> =
                context.get_consumer_from_stream(subjects::PLAY_CONSUMER, subjects::PLAY).await;
            if let Ok(consumer) = consumer
                && let Ok(mut batch) = consumer.fetch().max_messages(1).expires(Duration::from_secs(1)).messages().await
                && let Some(Ok(message)) = batch.next().await
            {
                let parcel = serde_json::from_slice(&message.payload).unwrap();
                return Flooder { client, subject: subjects::result(key.name()), parcel };
            }
        }
    }

    /// Hands in all games falsely.
    async fn flood(&self) {
        let orders = u64::from_str_radix(self.parcel["orders"].as_str().unwrap(), 16).unwrap();
        let costs = Costs { searches: 1, total: Duration::from_micros(1), ..Costs::default() };
        let items = (0..GAMES).map(|number| PlayedItem { number, costs, ..PlayedItem::default() }).collect();
        let part = Part { orders, generation: self.parcel["generation"].as_u64().unwrap(), items }.to_bytes();
        for _ in 0..PARTS {
            self.client.publish(self.subject.clone(), part.clone().into()).await.unwrap();
        }
        self.client.flush().await.unwrap();
    }
}

#[test]
fn a_flood_of_false_results_does_not_keep_the_run_from_ending() {
    let Some(server) = NatsServer::start(2) else { return };
    let scratch = tempfile::tempdir().unwrap();
    let games = format!("selfplay.games={GAMES}");
    // The run takes longer than the flood.
    let overrides = [
        "generations=1",
        "resources.threads=1",
        "selfplay.simulations=128",
        "learn.passes=1",
        "suite.positions=0",
        &games,
    ];
    let run = Run::new("configs/smoke.toml", &overrides);
    let alone = run.alone(scratch.path(), "alone");
    let mut coordinator = crate::common::Running(
        run.coordinator(&server, scratch.path(), "fleet").stderr(Stdio::piped()).spawn().unwrap(),
    );
    let mut assert_runs = || assert!(coordinator.0.try_wait().unwrap().is_none(), "the run ended before the flood");
    let _honest = block_on(async {
        let flooder = Flooder::join(&server, &mut assert_runs).await;
        // It joins only now, since it may play all games in seconds.
        let honest = worker(&server, scratch.path(), "worker-2", &[]);
        while items_of(&server, scratch.path(), "worker-2") == 0 {
            assert_runs();
        }
        flooder.flood().await;
        honest
    });
    wait_until("the run ends", || coordinator.0.try_wait().unwrap().is_some());
    let output = coordinator.output();
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{messages}");
    assert!(messages.contains("worker worker-1 is banned"), "{messages}");
    assert!(!messages.contains("worker-2 is banned"), "{messages}");
    // Its first 16 games and one of 64 are checked; the flood claims 60 times that all of them are false.
    let accounts = std::fs::read_to_string(scratch.path().join("fleet/fleet.json")).unwrap();
    let accounts: Value = serde_json::from_str(&accounts).unwrap();
    assert!(accounts["worker-2"]["checked"].as_u64().unwrap() < 300, "{accounts}");
    assert_same(&alone, &scratch.path().join("fleet"));
    assert_clean(&scratch.path().join("fleet"));
}
