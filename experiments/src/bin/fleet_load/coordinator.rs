//! A coordinator that offers parcels without end and saves what comes back.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Seek, Write};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::{PullConsumer, pull};
use async_nats::jetstream::message::AckKind;
use async_nats::jetstream::stream::{self, DiscardPolicy, RetentionPolicy};
use async_nats::jetstream::{self, Context};
use doublecross::fleet::{Fleet, MachineKey, connect, subjects};
use doublecross::selfplay::Part;
use futures_util::StreamExt;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::time::{MissedTickBehavior, interval};

use crate::ITEMS;
use crate::clock::thread_id;
use crate::part::board;
use crate::simulated_worker::Shared;

/// The file of the parts begins again at this size.
const FILE_BYTES: u64 = 256 << 20;

/// The coordinator's thread.
pub struct Coordinator {
    pub thread_id: u32,
}

impl Coordinator {
    /// Starts a coordinator whose consumer of parcels lets `waiting` workers wait, and that offers
    /// `at_once` parcels before it waits for the server to have them.
    pub fn start(address: &str, fleet: &Fleet, shared: Arc<Shared>, waiting: i64, at_once: usize) -> Coordinator {
        let name = "coordinator".parse().expect("a name");
        let key = MachineKey::read(&fleet.key_path(&name)).expect("a key");
        let file = fleet.config_path().with_file_name("parts");
        let file = File::create(file).expect("a file");
        let (told, heard) = channel();
        let address = address.to_string();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let client = connect(&address, &key).await.expect("a connection");
                let context = jetstream::new(client.clone());
                set_up(&context, waiting).await.expect("the server serves");
                told.send(thread_id()).expect("the main thread waits");
                serve(client, context, shared, file, at_once).await;
            });
        });
        Coordinator { thread_id: heard.recv().expect("the coordinator starts") }
    }
}

async fn set_up(context: &Context, waiting: i64) -> Result<(), async_nats::Error> {
    let play = stream::Config {
        name: subjects::PLAY.into(),
        subjects: vec![subjects::PLAY_SUBJECTS.into()],
        retention: RetentionPolicy::WorkQueue,
        ..stream::Config::default()
    };
    let results = stream::Config {
        name: subjects::RESULTS.into(),
        subjects: vec![subjects::RESULTS_SUBJECTS.into()],
        retention: RetentionPolicy::WorkQueue,
        max_bytes: 256 << 20,
        discard: DiscardPolicy::New,
        ..stream::Config::default()
    };
    let consumer = |name: &str, seconds: u64| pull::Config {
        durable_name: Some(name.into()),
        ack_wait: Duration::from_secs(seconds),
        max_ack_pending: 1 << 16,
        ..pull::Config::default()
    };
    let play = context.create_stream(play).await?;
    let workers = pull::Config { max_waiting: waiting, ..consumer(subjects::PLAY_CONSUMER, 30) };
    play.create_consumer(workers).await?;
    let results = context.create_stream(results).await?;
    results.create_consumer(consumer(subjects::RESULTS_CONSUMER, 60)).await?;
    Ok(())
}

async fn serve(client: async_nats::Client, context: Context, shared: Arc<Shared>, mut file: File, at_once: usize) {
    let (results, mut handed_in) = unbounded_channel();
    tokio::spawn(pull_results(context.clone(), results));
    let mut hellos = client.subscribe(subjects::HELLO_SUBJECTS).await.expect("a subscription");
    let mut heard: HashMap<String, Instant> = HashMap::new();
    let mut tick = interval(Duration::from_millis(100));
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut out, mut number, mut broadcast) = (0usize, 0usize, Instant::now());
    loop {
        tokio::select! {
            Some(message) = handed_in.recv() => {
                let mut messages = vec![message];
                while messages.len() < 64 && let Ok(message) = handed_in.try_recv() {
                    messages.push(message);
                }
                out = out.saturating_sub(take(&messages, &shared, &mut file));
                for message in &messages {
                    let _ = message.ack_with(AckKind::Ack).await;
                }
            }
            Some(message) = hellos.next() => {
                heard.insert(message.subject.to_string(), Instant::now());
            }
            _ = tick.tick() => {
                let threads = heard.len();
                let wanted = threads + threads.div_ceil(4) + heard.len();
                while out < wanted {
                    let mut sent = Vec::new();
                    for _ in 0..at_once.min(wanted - out) {
                        let Ok(stored) = context.publish(subjects::play("1"), parcel(number).into()).await else { break };
                        number += 1;
                        sent.push(stored);
                    }
                    let mut stored = 0;
                    for ack in sent {
                        stored += ack.await.is_ok() as usize;
                    }
                    out += stored;
                    if stored == 0 {
                        break;
                    }
                }
                if broadcast.elapsed() >= Duration::from_secs(1) {
                    broadcast = Instant::now();
                    let _ = client.publish(subjects::NOW, vec![b' '; 200].into()).await;
                }
            }
        }
    }
}

fn parcel(number: usize) -> String {
    let items: Vec<String> = (0..ITEMS).map(|item| (number * ITEMS % 100_000 + item).to_string()).collect();
    format!(r#"{{"orders":"0123456789abcdef","generation":1,"items":[{}]}}"#, items.join(","))
}

/// Reads parts and saves them, and returns the number of those that are new.
fn take(messages: &[jetstream::Message], shared: &Shared, file: &mut File) -> usize {
    let mut fresh = Vec::new();
    for message in messages {
        if message.info().is_ok_and(|info| info.delivered > 1) {
            shared.count(|figures| figures.again_results += 1);
            continue;
        }
        let part = Part::from_bytes(&message.payload, board(), ITEMS as u32).expect("a part");
        std::hint::black_box(part.items.iter().map(|played| played.digest()).fold(0, |sum, digest| sum ^ digest));
        let worker = message.subject.rsplit('-').next().and_then(|number| number.parse().ok()).expect("a worker");
        fresh.push((worker, part));
    }
    // As the run's file of parts, one part of all items.
    let items = fresh.iter_mut().flat_map(|(_, part)| std::mem::take(&mut part.items)).collect();
    file.write_all(&Part { orders: 1, generation: 1, items }.to_bytes()).and_then(|()| file.sync_data()).expect("room");
    if file.stream_position().expect("a position") > FILE_BYTES {
        file.set_len(0).and_then(|()| file.rewind()).expect("a shorter file");
    }
    for &(worker, _) in &fresh {
        let worker: usize = worker;
        let end = shared.ends[worker].lock().expect("no panic").pop_front();
        if let Some(end) = end {
            shared.count(|figures| figures.saved.push(1e3 * end.elapsed().as_secs_f64()));
        }
    }
    fresh.len()
}

/// Pulls what workers hand in.
async fn pull_results(context: Context, results: UnboundedSender<jetstream::Message>) {
    loop {
        let consumer: Result<PullConsumer, _> =
            context.get_consumer_from_stream(subjects::RESULTS_CONSUMER, subjects::RESULTS).await;
        let Ok(consumer) = consumer else { continue };
        loop {
            let batch =
                consumer.fetch().max_messages(64).max_bytes(8 << 20).expires(Duration::from_secs(2)).messages().await;
            let Ok(mut batch) = batch else { break };
            while let Ok(Some(Ok(message))) = tokio::time::timeout(Duration::from_secs(4), batch.next()).await {
                if results.send(message).is_err() {
                    return;
                }
            }
        }
    }
}
