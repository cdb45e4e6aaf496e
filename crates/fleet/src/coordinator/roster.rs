//! The workers that a coordinator has heard of, kept in the run's folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fs, io};

use serde::{Deserialize, Serialize};

use crate::protocol::messages::{Hello, Id};
use doublecross_files::write_whole;

/// The file in the run's folder.
const FILE: &str = "fleet.json";

/// A worker that has not been heard for so long is taken for gone.
const SILENCE: Duration = Duration::from_secs(10);

/// A worker's account, which outlives the coordinator's process.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Account {
    /// The number of items that were needed and taken from it.
    pub items: u64,
    /// The number of items that were there already.
    pub duplicates: u64,
    /// The number of messages that could not be used.
    pub faults: u64,
    /// The number of its items that were played again.
    pub checked: u64,
    /// The number of its items that are still to be checked all.
    pub probation: Option<u32>,
    /// The reason for which nothing is taken from it any more.
    pub ban: Option<String>,
}

/// A worker as it is now.
#[derive(Clone, Debug, Default)]
pub struct Worker {
    /// The account.
    pub account: Account,
    /// The last heartbeat, and its time.
    pub hello: Option<(Instant, Hello)>,
    /// The processes that use the key, and when each was last heard.
    processes: BTreeMap<Id, Instant>,
    /// The number of items a second, over the last seconds.
    pub rate: f64,
    /// The number of items since the rate was taken.
    since: u64,
}

/// The workers by their names.
#[derive(Default)]
pub struct Roster {
    path: PathBuf,
    workers: BTreeMap<String, Worker>,
    measured: Option<Instant>,
}

impl Roster {
    /// Opens the roster of the run in `folder`. One that cannot be read is as none.
    pub fn open(folder: &Path) -> Roster {
        let path = folder.join(FILE);
        let text = fs::read_to_string(&path).unwrap_or_default();
        let accounts: BTreeMap<String, Account> = serde_json::from_str(&text).unwrap_or_default();
        let worker = |(name, account)| (name, Worker { account, ..Worker::default() });
        Roster { path, workers: accounts.into_iter().map(worker).collect(), measured: None }
    }

    /// Writes the accounts.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn save(&self) -> io::Result<()> {
        if self.workers.is_empty() {
            return Ok(());
        }
        let accounts: BTreeMap<&String, &Account> =
            self.workers.iter().map(|(name, worker)| (name, &worker.account)).collect();
        let text = serde_json::to_string_pretty(&accounts).map_err(io::Error::other)?;
        write_whole(&self.path, format!("{text}\n").as_bytes())
    }

    /// Returns a worker's entry.
    pub fn worker(&mut self, name: &str) -> &mut Worker {
        self.workers.entry(name.into()).or_default()
    }

    /// Returns all workers with their names.
    pub fn all(&self) -> impl Iterator<Item = (&String, &Worker)> {
        self.workers.iter()
    }

    /// Returns `true` if nothing is taken from this worker.
    pub fn is_banned(&self, name: &str) -> bool {
        self.workers.get(name).is_some_and(|worker| worker.account.ban.is_some())
    }

    /// Returns the workers that play.
    pub fn playing(&self) -> impl Iterator<Item = (&String, &Hello)> {
        self.workers.iter().filter_map(|(name, worker)| {
            let hello = worker.heard().filter(|hello| hello.refusal.is_none())?;
            worker.account.ban.is_none().then_some((name, hello))
        })
    }

    /// Counts items that a worker handed in.
    pub fn count_items(&mut self, name: &str, taken: usize, known: usize) {
        let worker = self.worker(name);
        worker.account.items += taken as u64;
        worker.account.duplicates += known as u64;
        worker.since += (taken + known) as u64;
    }

    /// Takes the workers' rates, if some seconds have gone by since the last time.
    pub fn measure(&mut self) {
        let seconds = self.measured.map_or(f64::MAX, |last| last.elapsed().as_secs_f64());
        if seconds < 5.0 {
            return;
        }
        self.measured = Some(Instant::now());
        for worker in self.workers.values_mut() {
            let rate = std::mem::take(&mut worker.since) as f64 / seconds;
            worker.rate = if worker.rate == 0.0 { rate } else { 0.5 * (worker.rate + rate) };
        }
    }
}

impl Worker {
    /// Receives a heartbeat. Returns `true` if it is of a process that sent none lately.
    pub fn hear(&mut self, hello: Hello) -> bool {
        let now = Instant::now();
        self.processes.retain(|_, at| at.elapsed() < SILENCE);
        let is_new = self.processes.insert(hello.process, now).is_none();
        self.hello = Some((now, hello));
        is_new
    }

    /// Returns the number of processes that use the key.
    pub fn processes(&self) -> usize {
        self.processes.values().filter(|at| at.elapsed() < SILENCE).count()
    }

    /// Returns the last heartbeat, if it was not long ago.
    pub fn heard(&self) -> Option<&Hello> {
        self.hello.as_ref().filter(|(at, _)| at.elapsed() < SILENCE).map(|(_, hello)| hello)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_outlive_the_process() {
        let folder = tempfile::tempdir().unwrap();
        let mut roster = Roster::open(folder.path());
        roster.count_items("a", 5, 1);
        roster.worker("b").account.ban = Some("generation 3, game 7".into());
        let hello = Hello { threads: 4, ..Hello::default() };
        for name in ["a", "b"] {
            assert!(roster.worker(name).hear(hello.clone()));
        }
        assert!(roster.worker("a").hear(Hello { process: Id(2), ..hello.clone() }));
        assert!(!roster.worker("a").hear(hello.clone()));
        assert_eq!((roster.worker("a").processes(), roster.worker("b").processes()), (2, 1));
        assert_eq!(roster.playing().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["a"]);
        roster.save().unwrap();
        let mut again = Roster::open(folder.path());
        assert!(again.is_banned("b") && !again.is_banned("a") && again.playing().count() == 0);
        assert_eq!(again.worker("a").account, roster.worker("a").account);
    }
}
