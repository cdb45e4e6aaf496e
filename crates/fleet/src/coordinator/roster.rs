//! The workers of a run, kept in the run's folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fs, io};

use serde::{Deserialize, Serialize};

use crate::coordinator::audit::{Auditor, OpenCheck, PROBATION, Trust};
use crate::protocol::messages::{Hello, Id};
use doublecross_files::write_whole;

/// The file in the run's folder.
const FILE: &str = "fleet.json";

/// The time without a heartbeat after which a worker is taken for gone.
const SILENCE: Duration = Duration::from_secs(10);

/// The most processes of one key that are counted.
const MOST_PROCESSES: usize = 64;

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
    /// The number of its first items of which the checks are not settled.
    pub probation: Option<u32>,
    /// The checks of its items that are not settled.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<OpenCheck>,
    /// The reason for which nothing is taken from it any more.
    pub ban: Option<String>,
}

impl Account {
    /// Returns the account of its checks.
    pub fn trust(&self) -> Trust {
        let passed = PROBATION.saturating_sub(self.probation.unwrap_or(PROBATION));
        Trust { passed, checked: self.checked }
    }
}

/// A worker as it is now.
#[derive(Clone, Debug, Default)]
pub struct Worker {
    /// The account.
    pub account: Account,
    /// The last heartbeat, and its time.
    pub hello: Option<(Instant, Hello)>,
    /// The processes that use the key, and the time of each one's last heartbeat.
    processes: BTreeMap<Id, Instant>,
    /// The number of items a second, over the last seconds.
    pub rate: f64,
    /// The number of items since the rate was taken.
    since: u64,
}

/// The place where the accounts are kept.
pub trait AccountStore: Send {
    /// Returns the text that was written last; nothing if it cannot be read.
    fn read(&self) -> String;

    /// Writes a text in the place of the last one, as a whole.
    ///
    /// # Errors
    /// Returns an error if it cannot be written. The last one is kept then.
    fn write(&self, text: &str) -> io::Result<()>;
}

/// The file of the accounts in the run's folder.
pub struct AccountFile(PathBuf);

impl AccountFile {
    /// The file in the folder of a run.
    pub fn of(run: &Path) -> AccountFile {
        AccountFile(run.join(FILE))
    }
}

impl AccountStore for AccountFile {
    fn read(&self) -> String {
        fs::read_to_string(&self.0).unwrap_or_default()
    }

    fn write(&self, text: &str) -> io::Result<()> {
        write_whole(&self.0, text.as_bytes())
    }
}

/// Returns the number of checks of workers' items that a run's processes have left open.
pub fn open_checks(run: &Path) -> usize {
    let roster = Roster::open(Box::new(AccountFile::of(run)));
    roster.workers.values().filter(|worker| worker.account.ban.is_none()).map(|worker| worker.account.open.len()).sum()
}

/// The workers by their names.
pub struct Roster {
    store: Box<dyn AccountStore>,
    workers: BTreeMap<String, Worker>,
    measured: Option<Instant>,
}

impl Roster {
    /// Opens the roster of a run. One that cannot be read is as none.
    pub fn open(store: Box<dyn AccountStore>) -> Roster {
        let accounts: BTreeMap<String, Account> = serde_json::from_str(&store.read()).unwrap_or_default();
        let worker = |(name, account)| (name, Worker { account, ..Worker::default() });
        Roster { store, workers: accounts.into_iter().map(worker).collect(), measured: None }
    }

    /// Writes the accounts, with the auditor's account of each worker.
    ///
    /// # Errors
    /// Returns an error if they cannot be written.
    pub fn save(&mut self, auditor: &mut Auditor) -> io::Result<()> {
        let mut open = auditor.open();
        for (name, Worker { account, .. }) in &mut self.workers {
            let Trust { passed, checked } = auditor.trust(name);
            account.probation = Some(PROBATION.saturating_sub(passed));
            account.checked = checked;
            account.open = open.remove(name.as_str()).unwrap_or_default();
        }
        if !self.workers.is_empty() {
            let accounts: BTreeMap<&String, &Account> =
                self.workers.iter().map(|(name, worker)| (name, &worker.account)).collect();
            let text = serde_json::to_string_pretty(&accounts).map_err(io::Error::other)?;
            self.store.write(&format!("{text}\n"))?;
        }
        auditor.set_written();
        Ok(())
    }

    /// Returns a worker's entry.
    pub fn worker(&mut self, name: &str) -> &mut Worker {
        if !self.workers.contains_key(name) {
            self.workers.insert(name.into(), Worker::default());
        }
        self.workers.get_mut(name).expect("it was inserted")
    }

    /// Returns a worker that has said hello, or handed something in, before.
    pub fn known(&mut self, name: &str) -> Option<&mut Worker> {
        self.workers.get_mut(name)
    }

    /// Returns all workers with their names.
    pub fn all(&self) -> impl Iterator<Item = (&String, &Worker)> {
        self.workers.iter()
    }

    /// Returns `true` if this worker has an account.
    pub fn has_account(&self, name: &str) -> bool {
        self.workers.contains_key(name)
    }

    /// Returns `true` if nothing is taken from this worker.
    pub fn is_banned(&self, name: &str) -> bool {
        self.workers.get(name).is_some_and(|worker| worker.account.ban.is_some())
    }

    /// Returns the names of the workers that nothing is taken from.
    pub fn banned(&self) -> impl Iterator<Item = &String> {
        self.workers.iter().filter(|(_, worker)| worker.account.ban.is_some()).map(|(name, _)| name)
    }

    /// Returns the workers that play.
    pub fn playing(&self, now: Instant) -> impl Iterator<Item = (&String, &Hello)> {
        self.workers.iter().filter_map(move |(name, worker)| {
            let hello = worker.last_hello(now).filter(|hello| hello.refusal.is_none())?;
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
    pub fn measure(&mut self, now: Instant) {
        let seconds = self.measured.map_or(f64::MAX, |last| (now - last).as_secs_f64());
        if seconds < 5.0 {
            return;
        }
        self.measured = Some(now);
        for worker in self.workers.values_mut() {
            let rate = std::mem::take(&mut worker.since) as f64 / seconds;
            worker.rate = if worker.rate == 0.0 { rate } else { 0.5 * (worker.rate + rate) };
        }
    }
}

impl Worker {
    /// Receives a heartbeat. Returns `true` if it is of a process that sent none lately.
    pub fn receive(&mut self, now: Instant, hello: Hello) -> bool {
        self.processes.retain(|_, at| now - *at < SILENCE);
        let is_new = !self.processes.contains_key(&hello.process) && self.processes.len() < MOST_PROCESSES;
        if is_new || self.processes.contains_key(&hello.process) {
            self.processes.insert(hello.process, now);
        }
        self.hello = Some((now, hello));
        is_new
    }

    /// Returns the number of processes that use the key.
    pub fn processes(&self, now: Instant) -> usize {
        self.processes.values().filter(|at| now - **at < SILENCE).count()
    }

    /// Returns the last heartbeat, if it was not long ago.
    pub fn last_hello(&self, now: Instant) -> Option<&Hello> {
        self.hello.as_ref().filter(|(at, _)| now - *at < SILENCE).map(|(_, hello)| hello)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coordinator::audit::ItemClaim;
    use doublecross_arena::random::{Purpose, stream};

    fn auditor() -> Auditor {
        Auditor::new(stream(1, 0, 0, Purpose::Verifying))
    }

    #[test]
    fn accounts_and_open_checks_outlive_the_process() {
        let folder = tempfile::tempdir().unwrap();
        let open = || Roster::open(Box::new(AccountFile::of(folder.path())));
        let (mut roster, mut auditor, now) = (open(), auditor(), Instant::now());
        roster.count_items("a", 5, 1);
        let claim = |item| ItemClaim { generation: 3, item, worker: "a".into(), digest: 1 };
        auditor.choose((0..2).map(claim).collect(), 0);
        let case = auditor.next_case().unwrap();
        auditor.settle(case, Some(1));
        roster.worker("b").account.ban = Some("generation 3, game 7".into());
        let hello = Hello { threads: 4, ..Hello::default() };
        for name in ["a", "b"] {
            assert!(roster.worker(name).receive(now, hello.clone()));
        }
        assert!(roster.worker("a").receive(now, Hello { process: Id(2), ..hello.clone() }));
        assert!(!roster.worker("a").receive(now, hello.clone()));
        assert_eq!((roster.worker("a").processes(now), roster.worker("b").processes(now)), (2, 1));
        assert_eq!(roster.playing(now).map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["a"]);
        assert_eq!(roster.playing(now + SILENCE).count(), 0);
        roster.save(&mut auditor).unwrap();
        assert_eq!((auditor.is_unwritten(), open_checks(folder.path())), (false, 1));
        let mut again = open();
        assert!(again.is_banned("b") && !again.is_banned("a") && again.playing(now).count() == 0);
        assert_eq!(again.worker("a").account, roster.worker("a").account);
        assert_eq!(again.worker("a").account.trust(), auditor.trust("a"));
        assert_eq!(again.worker("a").account.open, [OpenCheck { generation: 3, item: 1, is_first: true }]);
    }

    #[test]
    fn a_key_has_few_processes_however_many_it_claims() {
        let (mut worker, now) = (Worker::default(), Instant::now());
        let hellos = (0..1000).map(|number| Hello { process: Id(number), ..Hello::default() });
        assert_eq!(hellos.filter(|hello| worker.receive(now, hello.clone())).count(), MOST_PROCESSES);
        assert_eq!((worker.processes(now), worker.processes(now + SILENCE)), (MOST_PROCESSES, 0));
    }
}
