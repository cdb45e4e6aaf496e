//! The thread on which the coordinator plays items again that workers have handed in.

use std::hash::RandomState;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::audit::Case;
use super::output::{Job, Search};
use crate::RunFacts;
use crate::protocol::messages::CanaryGames;
use crate::worker::canary;
use doublecross_selfplay::{Exchange, FinishedItems, ItemPlayer};

/// A job that is done.
pub(crate) enum JobDone {
    /// The canary games.
    CanaryPlayed(CanaryGames),
    /// A case, with the digest of its item; `None` if this machine does not agree with itself.
    Judged(Case, Option<u64>),
    /// A search, with the oldest generation that has a false result.
    Searched(Search, Option<u64>),
}

/// The thread. Dropping this ends it after the item that it is playing.
pub(crate) struct ItemChecker {
    jobs: Option<Sender<Job>>,
    ends: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl ItemChecker {
    /// Starts the thread for a run, and returns the channel of the jobs that are done.
    ///
    /// # Errors
    /// Returns an error if the system has no thread left.
    pub fn start(
        run: RunFacts,
        exchange: Arc<Exchange>,
        key: RandomState,
    ) -> std::io::Result<(ItemChecker, UnboundedReceiver<JobDone>)> {
        let (jobs, received) = channel();
        let (done, all_done) = unbounded_channel();
        let ends = Arc::new(AtomicBool::new(false));
        let ended = ends.clone();
        let builder = std::thread::Builder::new().name("item_checker".into());
        let thread = builder.spawn(move || work(&received, &done, &ended, &run, &exchange, &key))?;
        Ok((ItemChecker { jobs: Some(jobs), ends, thread: Some(thread) }, all_done))
    }

    /// Adds a job.
    pub fn add(&self, job: Job) {
        if let Some(jobs) = &self.jobs {
            // The thread ends with this value.
            let _ = jobs.send(job);
        }
    }
}

impl Drop for ItemChecker {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Relaxed);
        self.jobs = None;
        // If it panicked, there is nothing to wait for.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

fn work(
    jobs: &Receiver<Job>,
    all_done: &UnboundedSender<JobDone>,
    ends: &Arc<AtomicBool>,
    run: &RunFacts,
    exchange: &Exchange,
    key: &RandomState,
) {
    let mut player: Option<ItemPlayer> = None;
    while let Ok(job) = jobs.recv() {
        if ends.load(Ordering::Relaxed) {
            return;
        }
        let done = match job {
            Job::PlayCanary(orders) => {
                let Ok(games) = catch_unwind(|| canary::play(*orders)) else { continue };
                JobDone::CanaryPlayed(games)
            }
            Job::Judge(case, session) => {
                let judge = || {
                    let item = case.claims.first()?.item;
                    let digest = ItemPlayer::renewed(&mut player, &session, ends).play(item).keyed_digest(key);
                    if case.claims.iter().all(|claim| claim.digest == digest) {
                        return Some(digest);
                    }
                    // A machine that does not agree with itself bans no worker.
                    let again = ItemPlayer::stopped_by(session.clone(), ends.clone()).play(item).keyed_digest(key);
                    (digest == again).then_some(digest)
                };
                let digest = catch_unwind(AssertUnwindSafe(judge));
                if digest.is_err() {
                    player = None;
                }
                JobDone::Judged(case, digest.unwrap_or_default())
            }
            Job::Search(search) => {
                let find = || (run.finished)(exchange.isa()).and_then(|finished| find_fake(&*finished, &search, ends));
                let found = catch_unwind(AssertUnwindSafe(find)).unwrap_or_default();
                JobDone::Searched(search, found)
            }
        };
        // What was cut short says nothing about a worker.
        if ends.load(Ordering::Relaxed) || all_done.send(done).is_err() {
            return;
        }
    }
}

/// Plays what a worker played of generations that were learned from, from the oldest on, and returns
/// the first with a false result. A generation that cannot be read was not learned from, or its shard
/// is lost to the run too.
pub(crate) fn find_fake(finished: &dyn FinishedItems, search: &Search, ends: &AtomicBool) -> Option<u64> {
    let is_searched = |generation: u64, item: u32| match &search.only {
        Some(only) => only.contains(&(generation, item)),
        None => true,
    };
    (1..=finished.generations()).take_while(|_| !ends.load(Ordering::Relaxed)).find(|&generation| {
        let items = finished.workers(generation).remove(&search.worker).unwrap_or_default();
        let items = items.into_iter().filter(|&(item, _)| is_searched(generation, item));
        let items: Vec<(u32, Option<u64>)> = items.map(|(item, digest)| (item, Some(digest))).collect();
        !items.is_empty() && finished.differ(generation, &items)
    })
}
