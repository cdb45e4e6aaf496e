//! The games of a run, played again to see whether they come out as its shards say.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rand::RngExt;
use rayon::prelude::*;

use super::error::{RunError, file_error};
use super::folder::{config_of_games, played};
use super::held_out::HeldOut;
use super::isa::isa_of_run;
use super::orders::{orders, starts_of, weights_of};
use doublecross_arena::random::{Purpose, stream};
use doublecross_core::net::Isa;
use doublecross_proof::Books;
use doublecross_run::IsaSetting;
use doublecross_run::checkpoint::{self, Checkpoint};
use doublecross_run::config::{Config, GenerationConfig};
use doublecross_run::layout::shard_path;
use doublecross_run::layout::suite_path;
use doublecross_run::observer::{Observer, Progress, Task};
use doublecross_run::workers::{Workers, read_workers};
use doublecross_selfplay::{FinishedItems, ItemPlayer, Session, Shard};

/// Plays items of a run again, from the files in its folder alone.
pub struct Verifier {
    folder: PathBuf,
    config: Config,
    books: Books,
    /// The items of a generation in each part of the run, with the part's first one.
    parts: Vec<(u64, Items)>,
    /// The positions that the run's shards leave out.
    held_out: HeldOut,
}

/// The items of a generation: its games come first, and the labeled positions after them.
#[derive(Clone, Copy, Debug, Default)]
struct Items {
    games: usize,
    positions: usize,
}

impl Items {
    fn count(self) -> usize {
        self.games + self.positions
    }

    fn is_game(self, item: u32) -> bool {
        (item as usize) < self.games
    }
}

/// The outcome of a verification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verification {
    /// The number of games that were played again.
    pub games: usize,
    /// The number of positions that were labeled again.
    pub positions: usize,
    /// The number of generations that they are of.
    pub generations: usize,
    /// The number of generations left out, whose samples, or the weights that played them, are gone.
    pub left_out: usize,
    /// Those that came out otherwise.
    pub differing: Vec<DifferingItem>,
}

impl Verification {
    /// Returns the number of games and labeled positions.
    pub fn checked(&self) -> usize {
        self.games + self.positions
    }
}

/// A game or a labeled position that came out otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DifferingItem {
    /// The generation.
    pub generation: u64,
    /// The number among the generation's items, of which games are the first.
    pub item: u32,
    /// `true` for a game, `false` for a labeled position.
    pub is_game: bool,
}

impl fmt::Display for DifferingItem {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let &DifferingItem { generation, item, is_game } = self;
        let kind = if is_game { "game" } else { "labeled position" };
        write!(f, "generation {generation}, item {item} (a {kind})")
    }
}

impl Verifier {
    /// Opens the run in `folder`, whose games may begin with positions of these books.
    ///
    /// # Errors
    /// Returns an error if the folder holds no run, or if this processor lacks the instruction set of
    /// the run.
    pub fn open(folder: &Path, isa: Option<Isa>, books: Books) -> Result<Verifier, RunError> {
        let mut config = config_of_games(folder, Checkpoint::newest(folder).ok().flatten().as_ref())?;
        config.isa = IsaSetting::Named(isa_of_run(folder, config.isa, IsaSetting::Auto, isa)?);
        let mut held_out = HeldOut::read(folder)?;
        for board in config.boards() {
            let suite = config.suite_on(board);
            // Of a suite none of whose positions was settled nothing is left out. The file may be gone.
            let is_kept = suite_path(folder, config.board, board).exists();
            if is_kept || !suite.make(&|| ()).suite.positions.is_empty() {
                held_out.extend(suite.held_out());
            }
        }
        let items =
            |config: GenerationConfig| Items { games: config.selfplay.games, positions: config.labeled.positions };
        let parts = config.first_generations().map(|first| (first, items(config.at(first)))).collect();
        Ok(Verifier { folder: folder.into(), config, books, parts, held_out })
    }

    /// Returns the newest generation with games, or 0.
    pub fn generations(&self) -> u64 {
        played(&self.folder)
    }

    /// Returns `true` if a generation's shard, the weights that played it and the shard with its starts are there.
    fn has_files(&self, generation: u64) -> bool {
        let base = weights_of(&self.config, generation);
        let has_shard = |generation| shard_path(&self.folder, generation).exists();
        has_shard(generation)
            && starts_of(&self.config, generation).is_none_or(has_shard)
            && (base == 0 || checkpoint::folder(&self.folder, base).exists())
    }

    /// Plays a random sample of the games and labeled positions of all generations again, on the
    /// threads of the calling thread's pool.
    ///
    /// # Errors
    /// Returns an error if a shard or the weights that it was played with cannot be read.
    pub fn verify_sample(&self, games: usize, seed: u64, observer: &dyn Observer) -> Result<Verification, RunError> {
        let (kept, left_out): (Vec<u64>, Vec<u64>) = (1..=self.generations()).partition(|&one| self.has_files(one));
        // The number of items up to and with each generation.
        let count = |sum: &mut usize, &generation: &u64| {
            *sum += self.items(generation).count();
            Some(*sum)
        };
        let ends: Vec<usize> = kept.iter().scan(0, count).collect();
        let all = ends.last().copied().unwrap_or_default();
        let mut rng = stream(seed, 0, 0, Purpose::Verifying);
        let mut chosen: BTreeMap<u64, BTreeSet<u32>> = BTreeMap::new();
        if games >= all {
            let whole = |generation| (generation, (0..self.items(generation).count() as u32).collect());
            chosen.extend(kept.into_iter().map(whole));
        } else {
            let mut count = 0;
            while count < games {
                let at = rng.random_range(0..all);
                let index = ends.partition_point(|&end| end <= at);
                let generation = kept[index];
                let item = (at + self.items(generation).count() - ends[index]) as u32;
                count += chosen.entry(generation).or_default().insert(item) as usize;
            }
        }
        let progress = Progress::new(observer, Task::Verifying, games.min(all));
        let (generations, left_out) = (chosen.len(), left_out.len());
        let mut verification = Verification { generations, left_out, ..Verification::default() };
        for (generation, items) in chosen {
            let of_generation = self.items(generation);
            let games = items.iter().filter(|&&item| of_generation.is_game(item)).count();
            verification.games += games;
            verification.positions += items.len() - games;
            let items: Vec<(u32, Option<u64>)> = items.into_iter().map(|item| (item, None)).collect();
            let differing = self.differing(generation, &items, &|| progress.advance(1))?;
            let as_differing = |item| DifferingItem { generation, item, is_game: of_generation.is_game(item) };
            verification.differing.extend(differing.into_iter().map(as_differing));
        }
        Ok(verification)
    }

    /// Returns the items of a generation.
    fn items(&self, generation: u64) -> Items {
        let begun = self.parts.iter().take_while(|(first, _)| *first <= generation);
        begun.last().map_or(Items::default(), |&(_, items)| items)
    }

    /// Plays items of a generation again, and returns those that do not come out as its shard says, or
    /// by the digest that is given.
    ///
    /// # Errors
    /// Returns an error as [`Verifier::verify_sample`] does.
    pub fn differing(
        &self,
        generation: u64,
        items: &[(u32, Option<u64>)],
        advance: &(dyn Fn() + Sync),
    ) -> Result<Vec<u32>, RunError> {
        let path = shard_path(&self.folder, generation);
        let shard = Shard::read_of(&path, generation, self.config.board_of(generation))?;
        let mut firsts = vec![0];
        firsts.extend(shard.counts.iter().scan(0, |sum, &count| {
            *sum += count as usize;
            Some(*sum)
        }));
        let orders = orders(&self.folder, &self.config, generation, &self.books)?;
        // What comes after them was labeled elsewhere.
        let (found, own) = (shard.counts.len(), orders.items() as usize);
        if found < own || (found > own && self.config.labeled.data.is_none()) {
            let reason = "it has not as many games and positions as its generation";
            return Err(file_error(&path, std::io::Error::other(reason)));
        }
        let session = Arc::new(Session::new(orders));
        let differs = |player: &mut ItemPlayer, item: u32, digest: Option<u64>| {
            let played = player.play(item);
            let is_other = digest.is_some_and(|digest| digest != played.digest());
            let mut samples = played.samples;
            samples.retain(|sample| !self.held_out.holds(sample.state));
            advance();
            let kept = &shard.samples[firsts[item as usize]..firsts[item as usize + 1]];
            (is_other || samples != kept).then_some(item)
        };
        let is_item = |(item, _): &&(u32, Option<u64>)| *item < session.orders.items();
        let differing = items.par_iter().filter(is_item);
        Ok(differing
            .map_init(|| ItemPlayer::new(session.clone()), |player, &(item, digest)| differs(player, item, digest))
            .flatten()
            .collect())
    }
}

impl FinishedItems for Verifier {
    fn generations(&self) -> u64 {
        Verifier::generations(self)
    }

    fn workers(&self, generation: u64) -> Workers {
        read_workers(&self.folder, generation)
    }

    fn differ(&self, generation: u64, items: &[(u32, Option<u64>)]) -> bool {
        self.differing(generation, items, &|| ()).is_ok_and(|differing| !differing.is_empty())
    }
}
