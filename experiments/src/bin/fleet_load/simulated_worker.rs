//! Workers that sleep where they would play.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::message::{AckKind, Acker};
use async_nats::jetstream::{self, Context};
use doublecross::fleet::{Fleet, MachineKey, connect, subjects};
use futures_util::StreamExt;
use tokio::sync::{Notify, Semaphore};
use tokio::time::{sleep, timeout};

use crate::clock::thread_id;
use crate::part::part;

/// Workers that connect at once.
const CONNECTING: usize = 48;

/// The measurements.
#[derive(Default)]
pub struct Figures {
    /// Milliseconds from the end of a parcel until the server has the part.
    pub handed_in: Vec<f64>,
    /// Milliseconds from the end of a parcel until the coordinator has saved the part.
    pub saved: Vec<f64>,
    pub again_play: usize,
    pub again_results: usize,
    /// Results that the server had no room for.
    pub refused: usize,
    /// Requests for a parcel that the server did not take.
    pub turned_away: usize,
    /// Seconds in which threads had nothing to play.
    pub idle: f64,
}

impl Figures {
    pub fn shown_handed_in(&self) -> String {
        quantiles(&self.handed_in)
    }

    pub fn shown_saved(&self) -> String {
        quantiles(&self.saved)
    }
}

fn quantiles(values: &[f64]) -> String {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |share: f64| sorted.get((share * sorted.len() as f64) as usize).copied().unwrap_or(f64::NAN);
    format!("p50 {:.1} ms, p99 {:.1} ms, most {:.1} ms", at(0.5), at(0.99), sorted.last().copied().unwrap_or(f64::NAN))
}

/// The state that workers and coordinator share.
pub struct Shared {
    pub parcel_seconds: f64,
    pub connected: AtomicUsize,
    figures: Mutex<Figures>,
    /// For each worker, the ends of the parcels that it has handed in and that are not saved.
    pub ends: Vec<Mutex<VecDeque<Instant>>>,
}

impl Shared {
    pub fn new(workers: usize, parcel_seconds: f64) -> Shared {
        let ends = (0..=workers).map(|_| Mutex::default()).collect();
        Shared { parcel_seconds, connected: AtomicUsize::new(0), figures: Mutex::default(), ends }
    }

    /// Changes the figures.
    pub fn count(&self, change: impl FnOnce(&mut Figures)) {
        change(&mut self.figures.lock().expect("no panic"));
    }

    /// Takes the figures since the last call.
    pub fn take_figures(&self) -> Figures {
        std::mem::take(&mut self.figures.lock().expect("no panic"))
    }
}

/// The thread that all workers share.
pub struct Players {
    pub thread_id: u32,
}

/// Starts workers on a thread of their own.
pub fn run_workers(address: &str, fleet: &Fleet, workers: usize, shared: Arc<Shared>) -> Players {
    let names =
        fleet.machines().iter().map(|machine| &machine.name).filter(|name| name.as_str().starts_with("worker-"));
    let keys: Vec<MachineKey> =
        names.take(workers).map(|name| MachineKey::read(&fleet.key_path(name)).expect("a key")).collect();
    let (told, heard) = channel();
    let address = address.to_string();
    std::thread::spawn(move || {
        told.send(thread_id()).expect("the main thread waits");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let connecting = Arc::new(Semaphore::new(CONNECTING));
            let tasks: Vec<_> = keys
                .into_iter()
                .enumerate()
                .map(|(number, key)| {
                    tokio::spawn(work(address.clone(), key, number + 1, shared.clone(), connecting.clone()))
                })
                .collect();
            for task in tasks {
                task.await.expect("no panic");
            }
        });
    });
    Players { thread_id: heard.recv().expect("the thread starts") }
}

/// The parcels of a simulated worker.
#[derive(Default)]
struct Queue {
    /// Those that it has not begun.
    waiting: VecDeque<Arc<Acker>>,
    /// All that it has.
    held: Vec<Arc<Acker>>,
}

#[derive(Default)]
struct Held {
    /// Parcels that were taken and not begun, and those that are held in all.
    queue: Mutex<Queue>,
    changed: Notify,
}

async fn work(address: String, key: MachineKey, number: usize, shared: Arc<Shared>, connecting: Arc<Semaphore>) {
    let client = {
        let _permit = connecting.acquire().await.expect("it stays open");
        loop {
            match connect(&address, &key).await {
                Ok(client) => break client,
                Err(error) => eprintln!("{}: {error}", key.name()),
            }
        }
    };
    let mut broadcasts = client.subscribe(subjects::NOW).await.expect("a subscription");
    let context = jetstream::new(client.clone());
    let held = Arc::new(Held::default());
    shared.connected.fetch_add(1, Ordering::Relaxed);
    tokio::spawn(async move { while broadcasts.next().await.is_some() {} });
    let subject = subjects::hello(key.name());
    let alive = held.clone();
    tokio::spawn(async move {
        for beat in 0u64.. {
            let hello = format!(
                r#"{{"threads":1,"program":"0.1.0","isa":"avx2bytes","items":{},"idle":0.0123,"refusal":null}}"#,
                64 * beat
            );
            let _ = client.publish(subject.clone(), hello.into()).await;
            if beat % 4 == 3 {
                let held = alive.queue.lock().expect("no panic").held.clone();
                for acker in held {
                    let _ = acker.ack_with(AckKind::Progress).await;
                }
            }
            sleep(Duration::from_secs(2)).await;
        }
    });
    tokio::spawn(take_parcels(context.clone(), held.clone(), shared.clone()));
    play(context, &key, number, held, shared).await;
}

/// Holds up to two parcels.
async fn take_parcels(context: Context, held: Arc<Held>, shared: Arc<Shared>) {
    loop {
        let consumer: Result<PullConsumer, _> =
            context.get_consumer_from_stream(subjects::PLAY_CONSUMER, subjects::PLAY).await;
        let Ok(consumer) = consumer else {
            sleep(Duration::from_secs(1)).await;
            continue;
        };
        loop {
            if held.queue.lock().expect("no panic").held.len() >= 2 {
                sleep(Duration::from_millis(20)).await;
                continue;
            }
            let batch = consumer.fetch().max_messages(1).expires(Duration::from_secs(2)).messages().await;
            let Ok(mut batch) = batch else { break };
            match timeout(Duration::from_secs(4), batch.next()).await {
                Ok(Some(Ok(message))) => {
                    if message.info().is_ok_and(|info| info.delivered > 1) {
                        shared.count(|figures| figures.again_play += 1);
                    }
                    let acker = Arc::new(message.split().1);
                    let mut queue = held.queue.lock().expect("no panic");
                    queue.waiting.push_back(acker.clone());
                    queue.held.push(acker);
                    held.changed.notify_one();
                }
                Ok(None) => {}
                Ok(Some(Err(_))) | Err(_) => {
                    shared.count(|figures| figures.turned_away += 1);
                    break;
                }
            }
        }
    }
}

async fn play(context: Context, key: &MachineKey, number: usize, held: Arc<Held>, shared: Arc<Shared>) {
    let part = part();
    // Parcels differ by up to a tenth, so that workers are not in step.
    let mut mixed = number as u64;
    loop {
        let idle = Instant::now();
        let acker = loop {
            let next = held.queue.lock().expect("no panic").waiting.pop_front();
            match next {
                Some(acker) => break acker,
                None => held.changed.notified().await,
            }
        };
        shared.count(|figures| figures.idle += idle.elapsed().as_secs_f64());
        mixed = mixed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let factor = 0.9 + 0.2 * (mixed >> 40) as f64 / (1u64 << 24) as f64;
        sleep(Duration::from_secs_f64(factor * shared.parcel_seconds)).await;
        let end = Instant::now();
        shared.ends[number].lock().expect("no panic").push_back(end);
        // As in a worker, other parcels are played meanwhile.
        let (context, subject, part) = (context.clone(), subjects::result(key.name()), part.clone());
        let (held, shared) = (held.clone(), shared.clone());
        tokio::spawn(async move {
            let mut pause = Duration::from_millis(250);
            loop {
                let stored = match context.publish(subject.clone(), part.clone()).await {
                    Ok(stored) => stored.await.is_ok(),
                    Err(_) => false,
                };
                if stored {
                    break;
                }
                shared.count(|figures| figures.refused += 1);
                sleep(pause).await;
                pause = (2 * pause).min(Duration::from_secs(8));
            }
            shared.count(|figures| figures.handed_in.push(1e3 * end.elapsed().as_secs_f64()));
            held.queue.lock().expect("no panic").held.retain(|other| !Arc::ptr_eq(other, &acker));
            let _ = acker.ack_with(AckKind::Ack).await;
        });
    }
}
