//! The run's folder in memory, with the faults of a disk and of a process that dies while it writes.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::games;
use super::learner::Learner;
use crate::coordinator::roster::AccountStore;
use doublecross_run::workers::Workers;
use doublecross_selfplay::{Exchange, FinishedItems, Orders, PartStorage, Session};

/// The contents of the folder, and what it will fail at.
#[derive(Default)]
pub struct Disk {
    pub shards: BTreeMap<u64, Vec<u64>>,
    pub workers: BTreeMap<u64, Workers>,
    pub parts: BTreeMap<u64, Vec<u8>>,
    pub accounts: String,
    /// The newest generation that was learned from.
    pub learned: u64,
    /// `true` while the disk is full.
    pub is_full: bool,
    /// The number of writes until the process dies, in the midst of the last of them.
    pub dies_in: Option<u32>,
    /// `true` if it has died, and writes nothing any more.
    pub is_dead: bool,
    /// `true` to lose what was written last before a death, as a disk that lies about a sync.
    pub lies: bool,
    last_accounts: String,
}

/// The outcome of a write.
enum Write {
    Whole,
    /// The process died; only the beginning may be there.
    Torn,
}

impl Disk {
    fn write(&mut self) -> io::Result<Write> {
        if self.is_full || self.is_dead {
            return Err(io::Error::other("the disk is full"));
        }
        match &mut self.dies_in {
            Some(0) => {
                (self.dies_in, self.is_dead) = (None, true);
                Ok(Write::Torn)
            }
            Some(left) => {
                *left -= 1;
                Ok(Write::Whole)
            }
            None => Ok(Write::Whole),
        }
    }

    /// Writes who played a generation, and then its shard.
    pub fn write_shard(&mut self, generation: u64, workers: Workers, shard: Vec<u64>) -> io::Result<()> {
        if let Write::Torn = self.write()? {
            return Err(io::Error::other("it died"));
        }
        self.workers.insert(generation, workers);
        if let Write::Torn = self.write()? {
            return Err(io::Error::other("it died"));
        }
        self.shards.insert(generation, shard);
        self.parts.remove(&generation);
        Ok(())
    }

    /// Returns the seed of a generation's orders.
    pub fn seed_of(&self, generation: u64, lag: u64) -> u64 {
        games::seed_after(self.shards.range(..generation.saturating_sub(lag)).map(|(_, shard)| shard))
    }

    /// Takes the run back to before a generation.
    pub fn go_back(&mut self, generation: u64) {
        self.shards.split_off(&generation);
        self.workers.split_off(&generation);
        self.parts.split_off(&generation);
        self.learned = self.learned.min(generation - 1);
    }

    /// Notes that the process has died.
    pub fn revive(&mut self) {
        (self.is_dead, self.dies_in) = (false, None);
        if self.lies {
            self.accounts = std::mem::take(&mut self.last_accounts);
        }
    }
}

/// A folder that several parts of a process use.
#[derive(Clone, Default)]
pub struct SharedDisk(Arc<Mutex<Disk>>);

impl SharedDisk {
    pub fn lock(&self) -> MutexGuard<'_, Disk> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the storage of a generation's parts.
    pub fn parts(&self, generation: u64) -> Box<dyn PartStorage> {
        Box::new(Parts { disk: self.clone(), generation })
    }
}

/// The parts of a generation.
struct Parts {
    disk: SharedDisk,
    generation: u64,
}

impl PartStorage for Parts {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        Ok(self.disk.lock().parts.get(&self.generation).cloned().unwrap_or_default())
    }

    fn shorten(&mut self, length: u64) -> io::Result<()> {
        self.disk.lock().parts.entry(self.generation).or_default().truncate(length as usize);
        Ok(())
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut disk = self.disk.lock();
        let (write, torn) = (disk.write()?, bytes.len() as u64 * 7 % 11 * bytes.len() as u64 / 11);
        let parts = disk.parts.entry(self.generation).or_default();
        match write {
            Write::Whole => parts.extend(bytes),
            Write::Torn => {
                parts.extend(&bytes[..torn as usize]);
                return Err(io::Error::other("it died"));
            }
        }
        Ok(())
    }

    fn remove(&mut self) -> io::Result<()> {
        self.disk.lock().parts.remove(&self.generation);
        Ok(())
    }
}

/// The accounts of the workers. While they are written, the learner goes on beside.
pub struct Accounts {
    pub disk: SharedDisk,
    pub exchange: Arc<Exchange>,
    pub learner: Arc<Mutex<Learner>>,
}

impl AccountStore for Accounts {
    fn read(&self) -> String {
        self.disk.lock().accounts.clone()
    }

    fn write(&self, text: &str) -> io::Result<()> {
        self.learner.lock().unwrap_or_else(PoisonError::into_inner).work_beside(&self.exchange, &self.disk);
        let mut disk = self.disk.lock();
        if let Write::Torn = disk.write()? {
            return Err(io::Error::other("it died"));
        }
        disk.last_accounts = std::mem::replace(&mut disk.accounts, text.into());
        Ok(())
    }
}

/// The finished generations of a folder.
pub struct Finished {
    pub disk: SharedDisk,
    pub items: usize,
    pub lag: u64,
}

impl Finished {
    fn session(&self, generation: u64) -> Arc<Session> {
        games::session(self.items, generation, self.disk.lock().seed_of(generation, self.lag))
    }

    /// Returns the items of a generation that are not what its orders say.
    pub fn false_items(&self, generation: u64) -> Vec<u32> {
        let session = self.session(generation);
        let disk = self.disk.lock();
        let is_false = |orders: &Orders, (item, found): (usize, &u64)| games::truth(orders, item as u32) != *found;
        let shard = disk.shards.get(&generation).into_iter().flatten().enumerate();
        shard.filter(|&item| is_false(&session.orders, item)).map(|(item, _)| item as u32).collect()
    }
}

impl FinishedItems for Finished {
    fn generations(&self) -> u64 {
        self.disk.lock().shards.len() as u64
    }

    fn workers(&self, generation: u64) -> Workers {
        self.disk.lock().workers.get(&generation).cloned().unwrap_or_default()
    }

    fn differ(&self, generation: u64, items: &[(u32, Option<u64>)]) -> bool {
        let false_items = self.false_items(generation);
        items.iter().any(|(item, _)| false_items.contains(item))
    }
}
