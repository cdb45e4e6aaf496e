//! The learner of a run: opens generations, waits for their items, and writes their shards.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use super::disk::SharedDisk;
use super::games;
use doublecross_run::workers::Workers;
use doublecross_selfplay::{Collected, Exchange, Origin, PartFile, PlayedItem};

/// The stage of the generation that is being made.
pub enum Stage {
    /// Its items are being played.
    Waiting,
    /// They are all there, and are to be written.
    Collected(Vec<PlayedItem>),
    /// Its shard is written, and is to be learned from.
    Written,
    /// It is being learned from.
    Learning,
    /// All generations were learned from.
    Done,
}

/// The state of a learner.
pub struct Learner {
    pub stage: Stage,
    /// The generation that is being made.
    pub generation: u64,
    opened: u64,
    generations: u64,
    items: usize,
    lag: u64,
    /// `true` to write a shard as soon as its items are there, whatever else is under way.
    is_hasty: bool,
    /// `true` if it could not write a file.
    pub has_failed: bool,
}

impl Learner {
    /// Resumes the run in a folder, on an exchange of its own.
    pub fn resume(
        disk: &SharedDisk,
        exchange: &Exchange,
        (generations, items, lag): (u64, usize, u64),
        is_hasty: bool,
    ) -> io::Result<Learner> {
        let learned = disk.lock().learned;
        let (generation, stage) = (learned + 1, Stage::Waiting);
        let has_failed = false;
        let mut learner = Learner { stage, generation, opened: learned, generations, items, lag, is_hasty, has_failed };
        learner.enter(disk, exchange)?;
        Ok(learner)
    }

    /// Enters the generation that is next, and opens those that are to be played.
    pub fn enter(&mut self, disk: &SharedDisk, exchange: &Exchange) -> io::Result<()> {
        self.stage = Stage::Done;
        if self.generation > self.generations {
            return Ok(());
        }
        let last = (self.generation + self.lag).min(self.generations);
        for generation in self.generation.max(self.opened + 1)..=last {
            self.opened = generation;
            if disk.lock().shards.contains_key(&generation) {
                disk.lock().parts.remove(&generation);
                continue;
            }
            let session = games::session(self.items, generation, disk.lock().seed_of(generation, self.lag));
            let (id, items, storage) = (session.sealed.id, session.orders.items(), disk.parts(generation));
            let (parts, saved) = PartFile::open_in(storage, PathBuf::new(), id, games::board(), items)?;
            exchange.open(session, Some(parts), saved);
        }
        let is_there = disk.lock().shards.contains_key(&self.generation);
        self.stage = if is_there { Stage::Written } else { Stage::Waiting };
        Ok(())
    }

    /// Takes the items of the generation if they are all there.
    pub fn collect(&mut self, exchange: &Arc<Exchange>) -> bool {
        if !matches!(self.stage, Stage::Waiting) {
            return false;
        }
        let Some(Collected { items, .. }) = exchange.collect(self.generation, 0.0) else { return false };
        self.stage = Stage::Collected(items);
        true
    }

    /// Writes the shard of the items that were taken.
    pub fn write(&mut self, disk: &SharedDisk) -> io::Result<()> {
        let Stage::Collected(items) = &self.stage else { return Ok(()) };
        let mut workers = Workers::new();
        for item in items {
            if let Origin::Worker(name) = &item.origin {
                workers.entry(name.to_string()).or_default().push((item.number, item.digest()));
            }
        }
        let shard = items.iter().map(|item| item.costs.searches).collect();
        disk.lock().write_shard(self.generation, workers, shard)?;
        self.stage = Stage::Written;
        Ok(())
    }

    /// Goes on while the coordinator is in the midst of something.
    pub fn work_beside(&mut self, exchange: &Arc<Exchange>, disk: &SharedDisk) {
        if self.is_hasty && self.collect(exchange) {
            self.has_failed |= self.write(disk).is_err();
        }
    }
}
