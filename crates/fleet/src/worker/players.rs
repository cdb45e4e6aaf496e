//! The threads of a worker, which play the items of parcels.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::UnboundedSender;

use crate::protocol::messages::Parcel;
use doublecross_selfplay::{ItemPlayer, Part, Session};

/// A part is handed in when it has this many bytes, or its parcel is played.
const PART_BYTES: usize = 400 << 10;

/// A parcel that is to be played.
pub struct Assignment {
    /// The number of the parcel at this worker.
    pub number: u64,
    /// The orders.
    pub session: Arc<Session>,
    /// The items.
    pub parcel: Parcel,
}

/// The outcome of a parcel.
pub struct Outcome {
    /// The number of the parcel at this worker.
    pub number: u64,
    /// The parts, as bytes.
    pub parts: Vec<Vec<u8>>,
    /// The number of items that were played.
    pub items: usize,
    /// `true` if the parcel was played to its end, or is not wanted any more.
    pub is_done: bool,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<VecDeque<Assignment>>,
    added: Condvar,
    ends: Arc<AtomicBool>,
    oldest: AtomicU64,
    /// Microseconds that threads have waited.
    idle: AtomicU64,
}

/// The threads. Dropping this ends them soon, within the items that they are playing.
pub struct Players {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl Players {
    /// Starts threads that send what comes out to `outcomes`.
    ///
    /// # Errors
    /// Returns an error if the system has no thread left.
    pub fn start(threads: usize, outcomes: &UnboundedSender<Outcome>) -> std::io::Result<Players> {
        let shared = Arc::new(Shared::default());
        let mut players = Players { shared: shared.clone(), threads: Vec::new() };
        for number in 0..threads {
            let (shared, outcomes) = (shared.clone(), outcomes.clone());
            let builder = std::thread::Builder::new().name(format!("player {number}"));
            players.threads.push(builder.spawn(move || play(&shared, &outcomes))?);
        }
        Ok(players)
    }

    /// Adds a parcel.
    pub fn add(&self, assignment: Assignment) {
        self.shared.queue.lock().unwrap_or_else(PoisonError::into_inner).push_back(assignment);
        self.shared.added.notify_one();
    }

    /// Informs the threads that games before this generation are not wanted any more.
    pub fn set_oldest(&self, generation: u64) {
        self.shared.oldest.store(generation, Ordering::Relaxed);
    }

    /// Returns the time that all threads together have waited since the last call.
    pub fn take_idle(&self) -> Duration {
        Duration::from_micros(self.shared.idle.swap(0, Ordering::Relaxed))
    }
}

impl Drop for Players {
    fn drop(&mut self) {
        self.shared.ends.store(true, Ordering::Relaxed);
        self.shared.added.notify_all();
        for thread in self.threads.drain(..) {
            // One that panicked has nothing to hand in.
            let _ = thread.join();
        }
    }
}

fn play(shared: &Shared, outcomes: &UnboundedSender<Outcome>) {
    let mut player: Option<ItemPlayer> = None;
    while let Some(assignment) = next(shared) {
        let play = || {
            let player = ItemPlayer::renewed(&mut player, &assignment.session, &shared.ends);
            play_parcel(shared, player, &assignment)
        };
        let outcome = catch_unwind(AssertUnwindSafe(play)).unwrap_or_else(|_| {
            // Others may fare better.
            player = None;
            Outcome { number: assignment.number, parts: Vec::new(), items: 0, is_done: false }
        });
        // The worker has ended if it has no receiver.
        if outcomes.send(outcome).is_err() {
            return;
        }
    }
}

/// Waits for a parcel. Returns `None` when the threads are to end.
fn next(shared: &Shared) -> Option<Assignment> {
    let mut queue = shared.queue.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        if shared.ends.load(Ordering::Relaxed) {
            return None;
        }
        if let Some(assignment) = queue.pop_front() {
            return Some(assignment);
        }
        let start = Instant::now();
        let wait = shared.added.wait_timeout(queue, Duration::from_millis(200));
        queue = wait.unwrap_or_else(PoisonError::into_inner).0;
        shared.idle.fetch_add(start.elapsed().as_micros() as u64, Ordering::Relaxed);
    }
}

fn play_parcel(shared: &Shared, player: &mut ItemPlayer, assignment: &Assignment) -> Outcome {
    let Assignment { number, parcel, .. } = assignment;
    let Parcel { orders, generation, .. } = *parcel;
    let empty = || Part { orders: orders.0, generation, items: Vec::new() };
    let mut outcome = Outcome { number: *number, parts: Vec::new(), items: 0, is_done: true };
    let (mut part, mut bytes) = (empty(), 0);
    for &item in &parcel.items {
        if generation < shared.oldest.load(Ordering::Relaxed) {
            break;
        }
        let Some(played) = player.play_unless_stopped(item) else {
            outcome.is_done = false;
            break;
        };
        bytes += played.bytes();
        part.items.push(played);
        outcome.items += 1;
        if bytes >= PART_BYTES {
            outcome.parts.push(std::mem::replace(&mut part, empty()).to_bytes());
            bytes = 0;
        }
    }
    if !part.items.is_empty() {
        outcome.parts.push(part.to_bytes());
    }
    outcome
}
