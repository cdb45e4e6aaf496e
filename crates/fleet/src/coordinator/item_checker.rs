//! The thread on which the coordinator plays items again that workers have handed in.

use std::hash::RandomState;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::RunFacts;
use crate::coordinator::audit::ItemClaim;
use doublecross_run::workers::read_workers;
use doublecross_selfplay::{Exchange, ItemPlayer, Session};

/// The true digest of an item, by which the claims about it are judged.
pub struct Verdict {
    /// The claims.
    pub claims: Vec<ItemClaim>,
    /// The digest; `None` if the coordinator's machine does not agree with itself.
    pub digest: Option<u64>,
}

enum Job {
    /// To play an item again.
    Replay(Vec<ItemClaim>, Arc<Session>),
    /// To play what a worker played of generations that were learned from.
    SearchPast(String),
}

/// The thread. Dropping this ends it after the item that it is playing.
pub struct ItemChecker {
    jobs: Option<Sender<Job>>,
    verdicts: UnboundedReceiver<Verdict>,
    /// The number of jobs that are not done.
    waiting: Arc<AtomicUsize>,
    thread: Option<JoinHandle<()>>,
}

impl ItemChecker {
    /// Starts the thread for a run. A fake that was learned from is reported
    /// in the exchange.
    ///
    /// # Errors
    /// Returns an error if the system has no thread left.
    pub fn start(run: RunFacts, exchange: Arc<Exchange>, key: RandomState) -> std::io::Result<ItemChecker> {
        let (jobs, received) = channel();
        let (found, verdicts) = unbounded_channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let counted = waiting.clone();
        let builder = std::thread::Builder::new().name("item_checker".into());
        let thread = builder.spawn(move || work(&received, &found, &counted, &run, &exchange, &key))?;
        Ok(ItemChecker { jobs: Some(jobs), verdicts, waiting, thread: Some(thread) })
    }

    fn send(&self, job: Job) {
        if let Some(jobs) = &self.jobs {
            self.waiting.fetch_add(1, Ordering::SeqCst);
            if jobs.send(job).is_err() {
                self.waiting.fetch_sub(1, Ordering::SeqCst);
            }
        }
    }

    /// Plays the item that these claims are about, unless its session is gone.
    pub fn replay(&self, claims: Vec<ItemClaim>, session: Option<Arc<Session>>) {
        if let Some(session) = session {
            self.send(Job::Replay(claims, session));
        }
    }

    /// Plays what a worker played of the generations that were learned from, from the oldest on.
    pub fn search_past(&self, worker: String) {
        self.send(Job::SearchPast(worker));
    }

    /// Returns the number of jobs that are not done.
    pub fn waiting(&self) -> usize {
        // After a panic they are not done.
        let has_ended = self.thread.as_ref().is_none_or(JoinHandle::is_finished);
        if has_ended { 0 } else { self.waiting.load(Ordering::SeqCst) }
    }

    /// Returns `true` if there are jobs that are not done, or verdicts that were not heard.
    pub fn is_busy(&self) -> bool {
        self.waiting() > 0 || !self.verdicts.is_empty()
    }

    /// Waits for a verdict. Returns `None` when a search of the past has ended.
    pub async fn verdict(&mut self) -> Option<Verdict> {
        loop {
            tokio::select! {
                verdict = self.verdicts.recv() => return verdict,
                () = tokio::time::sleep(std::time::Duration::from_millis(100)) => {
                    if !self.is_busy() {
                        return None;
                    }
                }
            }
        }
    }
}

impl Drop for ItemChecker {
    fn drop(&mut self) {
        self.jobs = None;
        // If it panicked, there is nothing to wait for.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

fn work(
    jobs: &Receiver<Job>,
    verdicts: &UnboundedSender<Verdict>,
    waiting: &AtomicUsize,
    run: &RunFacts,
    exchange: &Exchange,
    key: &RandomState,
) {
    let mut player: Option<ItemPlayer> = None;
    while let Ok(job) = jobs.recv() {
        match job {
            Job::Replay(claims, session) => {
                let item = claims[0].item;
                let mut digest =
                    Some(ItemPlayer::renewed(&mut player, &session, &Arc::default()).play(item).keyed_digest(key));
                if claims.iter().any(|claim| Some(claim.digest) != digest) {
                    // A machine that does not agree with itself bans no worker.
                    let again = ItemPlayer::new(session).play(item).keyed_digest(key);
                    digest = digest.filter(|&digest| digest == again);
                }
                let _ = verdicts.send(Verdict { claims, digest });
            }
            Job::SearchPast(worker) => search_past(&worker, run, exchange),
        }
        waiting.fetch_sub(1, Ordering::SeqCst);
    }
}

fn search_past(worker: &str, run: &RunFacts, exchange: &Exchange) {
    let Some(finished) = (run.finished)(exchange.isa()) else { return };
    for generation in 1..=finished.generations() {
        let Some(items) = read_workers(&run.folder, generation).remove(worker) else { continue };
        let items: Vec<(u32, Option<u64>)> = items.into_iter().map(|(item, digest)| (item, Some(digest))).collect();
        // A generation that cannot be read was not learned from, or its shard is lost to the run too.
        if finished.differ(generation, &items) {
            exchange.report_fake(generation);
            return;
        }
    }
}
