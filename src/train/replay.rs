//! The window of rows to learn from, and how often each has been learnt from.

use std::collections::VecDeque;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::Row;
use super::config::LearnConfig;
use super::shard::Shard;

/// The newest shards, and the passes over each of their rows.
#[derive(Default)]
pub(super) struct Replay {
    shards: VecDeque<(Shard, Vec<u8>)>,
    /// Rows of all shards there ever were.
    total: usize,
}

/// The passes over each row of the window's shards: what a checkpoint keeps of a replay.
pub(super) type Passes = Vec<(u64, Vec<u8>)>;

impl Replay {
    /// Adds the newest shard and lets go of what the window no longer needs.
    pub fn push(&mut self, shard: Shard, config: &LearnConfig) {
        self.total += shard.rows.len();
        let passes = vec![0; shard.rows.len()];
        self.shards.push_back((shard, passes));
        let wanted = config.window_rows.max((config.window_share * self.total as f64) as usize);
        while self.shards.len() > 1 && self.len() - self.shards[0].0.rows.len() >= wanted {
            self.shards.pop_front();
        }
    }

    /// Rows in the window.
    pub fn len(&self) -> usize {
        self.shards.iter().map(|(shard, _)| shard.rows.len()).sum()
    }

    /// The newest shard's rows.
    pub fn newest(&self) -> &[Row] {
        self.shards.back().map_or(&[], |(shard, _)| &shard.rows)
    }

    /// Mean passes over the rows of the window.
    pub fn mean_passes(&self) -> f64 {
        let sum: u64 = self.shards.iter().flat_map(|(_, passes)| passes).map(|&p| p as u64).sum();
        sum as f64 / self.len().max(1) as f64
    }

    /// The rows to learn from in this generation: as many as the newest shard's rows times `passes`, drawn at random
    /// from the window so that none is ever drawn more than `passes` times in all. The draw is counted as done.
    pub fn draw(&mut self, passes: u8, rng: &mut ChaCha8Rng) -> Vec<(usize, usize)> {
        let mut tickets = Vec::new();
        for (s, (_, done)) in self.shards.iter().enumerate() {
            for (r, &done) in done.iter().enumerate() {
                tickets.extend(std::iter::repeat_n((s, r), passes.saturating_sub(done) as usize));
            }
        }
        let count = (self.newest().len() * passes as usize).min(tickets.len());
        for index in 0..count {
            let other = rng.random_range(index..tickets.len());
            tickets.swap(index, other);
        }
        tickets.truncate(count);
        for &(s, r) in &tickets {
            self.shards[s].1[r] += 1;
        }
        tickets
    }

    /// A row by what [`Replay::draw`] gave.
    pub fn row(&self, (shard, row): (usize, usize)) -> &Row {
        &self.shards[shard].0.rows[row]
    }

    /// The passes over every row of the window.
    pub fn passes(&self) -> Passes {
        self.shards.iter().map(|(shard, passes)| (shard.generation, passes.clone())).collect()
    }

    /// Takes over passes that [`Replay::passes`] gave for these shards. Shards it does not name keep theirs.
    pub fn restore_passes(&mut self, saved: &Passes) {
        for (shard, passes) in &mut self.shards {
            let saved = saved.iter().find(|(generation, p)| *generation == shard.generation && p.len() == passes.len());
            if let Some((_, saved)) = saved {
                passes.clone_from(saved);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Edges};
    use crate::random::{Purpose, stream};

    fn shard(generation: u64, rows: usize) -> Shard {
        let board = Board::new(2, 2).unwrap();
        let row = Row { drawn: Edges::EMPTY, margin: 0, is_exact: false, policy: Vec::new() };
        Shard { board, generation, games: 1, rows: vec![row; rows] }
    }

    #[test]
    fn the_window_grows_and_no_row_is_passed_over_too_often() {
        let config = LearnConfig { window_rows: 30, window_share: 0.5, passes: 3, ..LearnConfig::default() };
        let mut replay = Replay::default();
        for generation in 1..=20 {
            replay.push(shard(generation, 10), &config);
            let drawn = replay.draw(config.passes, &mut stream(1, generation, 0, Purpose::Learning));
            assert!(drawn.len() <= 30);
            assert!(replay.passes().iter().all(|(_, p)| p.iter().all(|&p| p <= 3)));
        }
        assert_eq!((replay.len(), replay.total), (100, 200));
        let saved = replay.passes();
        let mut fresh = Replay::default();
        (1..=20).for_each(|generation| fresh.push(shard(generation, 10), &config));
        fresh.restore_passes(&saved);
        assert_eq!(fresh.passes(), saved);
        assert!(replay.mean_passes() > 1.0);
    }
}
