//! Workers that hand in games which they did not play are caught, and the run comes out as on one
//! machine.
//!
//! `DOUBLECROSS_FAKES=0.01 cargo test --release --test fleet liars -- --include-ignored --nocapture` takes a rarer liar.

use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::common::{json, wait_until};
use crate::runs::{Run, assert_clean, assert_same, ready_worker, worker};
use crate::server::NatsServer;
use async_nats::jetstream::{self, consumer::PullConsumer};
use doublecross::arena::random::{Purpose, stream};
use doublecross::fleet::{AUDITED, MachineKey, connect, subjects};
use doublecross::selfplay::{Orders, Part};
use futures_util::StreamExt;
use rand::RngExt;
use serde_json::Value;

/// The number of games that a liar plays by the rules at first.
const HONEST: u64 = 50;

/// A worker that fakes a share of its games. It plays the others by the rules.
struct Liar {
    ends: Arc<AtomicBool>,
    /// The last error that kept it from playing.
    error: Arc<Mutex<Option<String>>>,
    thread: std::thread::JoinHandle<()>,
}

impl Liar {
    fn start(address: String, key: MachineKey, share: f64) -> Liar {
        let (ends, error) = (Arc::<AtomicBool>::default(), Arc::<Mutex<_>>::default());
        let (handed_in, ended, last_error) = (AtomicU64::new(0), ends.clone(), error.clone());
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            while !ended.load(Ordering::Relaxed) {
                // Without a run there are no streams.
                if let Err(error) = runtime.block_on(lie(&address, &key, share, &handed_in, &ended)) {
                    *last_error.lock().unwrap() = Some(error.to_string());
                }
                std::thread::sleep(Duration::from_millis(100));
            }
        });
        Liar { ends, error, thread }
    }
}

async fn lie(
    address: &str,
    key: &MachineKey,
    share: f64,
    handed_in: &AtomicU64,
    ends: &AtomicBool,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let client = connect(address, key).await?;
    let context = jetstream::new(client.clone());
    let consumer: PullConsumer = context.get_consumer_from_stream(subjects::PLAY_CONSUMER, subjects::PLAY).await?;
    let stream_of_orders = context.get_stream_no_info(subjects::ORDERS).await?;
    let mut random = stream(7, handed_in.load(Ordering::Relaxed), 0, Purpose::Verifying);
    while !ends.load(Ordering::Relaxed) {
        let hello = r#"{"process":"0000000000000007","threads":1,"program":"0","isa":"none","items":0,"idle":0.0,"refusal":null}"#;
        client.publish(subjects::hello(key.name()), hello.into()).await?;
        let mut batch = consumer.fetch().max_messages(1).expires(Duration::from_secs(1)).messages().await?;
        let Some(message) = batch.next().await else { continue };
        let message = message?;
        let parcel: Value = serde_json::from_slice(&message.payload)?;
        let items: Vec<u32> = serde_json::from_value(parcel["items"].clone())?;
        let id = parcel["orders"].as_str().ok_or("no orders")?;
        let get = |name: String| {
            let stream = &stream_of_orders;
            async move { stream.direct_get_last_for_subject(subjects::orders(&name)).await.map(|message| message.payload) }
        };
        let head: Value = serde_json::from_slice(&get(format!("{id}.head")).await?)?;
        let mut bytes = Vec::new();
        for piece in 0..head["pieces"].as_u64().unwrap_or(0) {
            bytes.extend(get(format!("{id}.{piece}")).await?);
        }
        let orders = Orders::from_bytes(&bytes, &doublecross::built_in().books)?;
        let mut part = Part::play(orders, &items);
        for played in &mut part.items {
            // It is honest while everything is checked.
            if handed_in.load(Ordering::Relaxed) > HONEST && random.random::<f64>() < share {
                // A game that looks like one.
                played.samples.pop();
                played.costs.searches += 1;
            }
        }
        for items in part.items.chunks(40) {
            let part = Part { items: items.to_vec(), ..part.clone() };
            context.publish(subjects::result(key.name()), part.to_bytes().into()).await?.await?;
            handed_in.fetch_add(items.len() as u64, Ordering::Relaxed);
        }
        message.ack().await?;
    }
    Ok(())
}

/// The number of games that were taken from a liar in a run.
enum Outcome {
    /// It was banned after so many.
    Caught(u64),
    /// No game that it faked was among those that are checked.
    Missed(u64),
}

/// Plays a run with a liar and two honest workers.
fn play(server: &NatsServer, scratch: &Path, share: f64, generations: usize) -> Outcome {
    let generations = format!("generations={generations}");
    let run = Run::new(
        // A return to an earlier generation is one to an earlier phase, too.
        "tests/data/phases.toml",
        &[
            &generations,
            "selfplay.games=600",
            "selfplay.simulations=16",
            "selfplay.root_nodes=0",
            "selfplay.leaf_nodes=0",
            "labeled.positions=0",
            "suite.positions=10",
        ],
    );
    let (alone, folder) = (run.alone(scratch, &format!("alone-{share}")), format!("fleet-{share}"));
    let _honest = worker(server, scratch, "worker-1", &[]);
    // The run is still the same after it went back.
    let mut faithful = ready_worker(server, scratch, "worker-2", &["--once"]);
    let liar = Liar::start(server.address(), server.key("worker-3"), share);
    let mut coordinator = run.coordinator(server, scratch, &folder).stderr(Stdio::piped()).spawn().unwrap();
    let accounts = || {
        let text = std::fs::read_to_string(scratch.join(&folder).join("fleet.json")).unwrap_or_default();
        serde_json::from_str::<Value>(&text).unwrap_or_default()
    };
    let mut caught = None;
    while coordinator.try_wait().unwrap().is_none() {
        if caught.is_none() && accounts()["worker-3"]["ban"].is_string() {
            caught = Some(accounts()["worker-3"]["items"].as_u64().unwrap());
        }
        // Between a return to an earlier generation and the next start no coordinator answers.
        if caught.is_some() {
            let is_there = faithful.0.try_wait().unwrap().is_none();
            let key = server.key_path("observer").display().to_string();
            let output = crate::common::run(scratch, &["fleet", &server.address(), "--key", &key, "--json"]);
            if output.status.success() {
                assert!(is_there, "a worker has left before the run's end");
                let shown = json(&String::from_utf8(output.stdout).unwrap());
                let workers = shown["workers"].as_array().unwrap();
                let banned: Vec<&Value> = workers.iter().filter(|worker| worker["state"] == "banned").collect();
                assert!(banned.len() == 1 && banned[0]["name"] == "worker-3", "{shown}");
            }
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = coordinator.wait_with_output().unwrap();
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{messages}");
    wait_until("the worker ends with the run", || faithful.0.try_wait().unwrap().is_some());
    // It does not lie in another run.
    liar.ends.store(true, Ordering::Relaxed);
    liar.thread.join().unwrap();
    println!("the run went back {} times", messages.matches("the run goes back").count());
    for honest in ["worker-1", "worker-2"] {
        assert!(accounts()[honest]["ban"].is_null(), "{} is blamed", honest);
    }
    let caught = caught.or_else(|| {
        accounts()["worker-3"]["ban"].is_string().then(|| accounts()["worker-3"]["items"].as_u64().unwrap())
    });
    let Some(caught) = caught else {
        println!("{}; the liar's last error: {:?}", accounts(), liar.error.lock().unwrap());
        return Outcome::Missed(accounts()["worker-3"]["items"].as_u64().unwrap_or(0));
    };
    assert_same(&alone, &scratch.join(&folder));
    assert_clean(&scratch.join(&folder));
    Outcome::Caught(caught)
}

/// Plays runs until the liar is banned, and returns the number of its games until then.
///
/// # Panics
/// Panics if it faked so many that chance cannot be why none was checked: with one of 64 checked, one
/// liar in a million gets through with 14 * 64.
fn caught_after(server: &NatsServer, scratch: &Path, share: f64, generations: usize) -> u64 {
    let (mut games, mut fakes) = (0, 0.0);
    for attempt in 0.. {
        let scratch = scratch.join(format!("{share}-{attempt}"));
        std::fs::create_dir(&scratch).unwrap();
        match play(server, &scratch, share, generations) {
            Outcome::Caught(items) => return games + items,
            Outcome::Missed(items) => {
                games += items;
                fakes += share * items.saturating_sub(HONEST) as f64;
                println!("a liar of {share} is not caught within {items} games");
                assert!(fakes < 14.0 * AUDITED as f64, "a liar of {share} is not caught within {games} games");
                assert!(attempt < 20, "hardly a game is taken from the liar: {games}");
            }
        }
    }
    unreachable!("the attempts end")
}

#[test]
#[ignore = "long: run with --include-ignored"]
fn liars_are_caught_and_their_games_played_again() {
    let Some(server) = NatsServer::start(3) else { return };
    let scratch = tempfile::tempdir().unwrap();
    let rare: Option<f64> = std::env::var("DOUBLECROSS_FAKES").ok().and_then(|share| share.parse().ok());
    let shares = rare.map_or(vec![(1.0, 3), (0.2, 6)], |share| vec![(share, 60)]);
    for (share, generations) in shares {
        let caught = caught_after(&server, scratch.path(), share, generations);
        println!("a liar that fakes {share} of its games is caught after {caught} games");
    }
}
