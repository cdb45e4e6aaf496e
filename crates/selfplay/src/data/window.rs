//! The window of training samples: the newest shards.

use std::collections::VecDeque;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::Sample;
use crate::data::shard::Shard;
use doublecross_core::board::Board;
use doublecross_run::config::LearnConfig;

/// The newest shards.
#[derive(Default)]
pub struct Window {
    shards: VecDeque<Shard>,
    /// The number of samples of all shards ever pushed.
    total: usize,
}

/// The place of a sample: that of its shard in the window, and its own in the shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    shard: u32,
    sample: u32,
}

impl Window {
    /// Returns the window of a run whose shards hold `total` samples, `wanted` of which are in the
    /// window.
    ///
    /// Shards are taken from `newest_first` until there are so many.
    ///
    /// # Errors
    /// Returns the error of the first shard that cannot be taken.
    pub fn restore<E>(
        total: usize,
        wanted: usize,
        newest_first: impl IntoIterator<Item = Result<Shard, E>>,
    ) -> Result<Window, E> {
        let mut window = Window { shards: VecDeque::new(), total };
        for shard in newest_first {
            window.shards.push_front(shard?);
            if window.len() >= wanted {
                break;
            }
        }
        Ok(window)
    }

    /// Adds the newest shard and drops those that the window no longer needs.
    pub fn push(&mut self, shard: Shard, config: &LearnConfig) {
        self.total += shard.samples.len();
        self.shards.push_back(shard);
        let wanted = self.wanted(config);
        while self.shards.len() > 1 && self.len() - self.shards[0].samples.len() >= wanted {
            self.shards.pop_front();
        }
    }

    /// Returns the least number of samples that the window should hold.
    fn wanted(&self, config: &LearnConfig) -> usize {
        config.window_samples.max((config.window_share * self.total as f64) as usize)
    }

    /// Returns `true` if the window holds no samples.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of samples in the window.
    pub fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.samples.len()).sum()
    }

    /// Returns the newest shard's samples.
    pub fn newest(&self) -> &[Sample] {
        self.shards.back().map_or(&[], |shard| &shard.samples)
    }

    /// Draws the samples to learn from in this generation: `passes` times as many as the newest
    /// shard holds.
    ///
    /// They come at random from the whole window. Every sample is drawn once before any is drawn
    /// twice.
    pub fn draw(&self, passes: u8, rng: &mut ChaCha8Rng) -> Vec<Place> {
        let places = self.shards.iter().enumerate().flat_map(|(shard, Shard { samples, .. })| {
            (0..samples.len()).map(move |sample| Place { shard: shard as u32, sample: sample as u32 })
        });
        let mut window: Vec<Place> = places.collect();
        let count = self.newest().len() * passes as usize;
        let mut drawn = Vec::with_capacity(count);
        while drawn.len() < count {
            let wanted = window.len().min(count - drawn.len());
            for index in 0..wanted {
                let other = rng.random_range(index..window.len());
                window.swap(index, other);
            }
            drawn.extend_from_slice(&window[..wanted]);
        }
        drawn
    }

    /// Divides what was drawn into batches of one board each.
    ///
    /// A batch comes as soon as it is full, and those that do not fill come last. Of several boards
    /// they are left out if less than a quarter is full, since each counts as much as a full one.
    pub fn batches(&self, drawn: Vec<Place>, size: usize) -> Vec<Vec<Place>> {
        let mut batches = Vec::with_capacity(drawn.len().div_ceil(size.max(1)));
        let mut open: Vec<(Board, Vec<Place>)> = Vec::new();
        for place in drawn {
            let board = self.shards[place.shard as usize].board;
            let index = open.iter().position(|(other, _)| *other == board).unwrap_or_else(|| {
                open.push((board, Vec::with_capacity(size)));
                open.len() - 1
            });
            let batch = &mut open[index].1;
            batch.push(place);
            if batch.len() == size {
                batches.push(std::mem::take(batch));
            }
        }
        let least = if open.len() > 1 && !batches.is_empty() { size.div_ceil(4) } else { 1 };
        batches.extend(open.into_iter().map(|(_, batch)| batch).filter(|batch| batch.len() >= least));
        batches
    }

    /// Returns the sample at a place that [`Window::draw`] gave.
    pub fn sample(&self, place: Place) -> &Sample {
        &self.shards[place.shard as usize].samples[place.sample as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use doublecross_arena::random::{Purpose, stream};
    use doublecross_core::board::State;

    fn shard(generation: u64, samples: usize) -> Shard {
        let board = Board::new(2, 2).unwrap();
        let sample = Sample {
            state: State::new(board),
            margin: 0,
            is_exact: false,
            policy: Vec::new(),
            edge_margins: Vec::new(),
        };
        Shard { board, generation, games: 1, samples: vec![sample; samples], counts: Vec::new() }
    }

    /// The number of times that each sample of the window is drawn for a generation, by shard,
    /// oldest first.
    fn draws(window: &Window, passes: u8, generation: u64) -> Vec<Vec<usize>> {
        let mut counts: Vec<Vec<usize>> = window.shards.iter().map(|shard| vec![0; shard.samples.len()]).collect();
        for Place { shard, sample } in window.draw(passes, &mut stream(1, generation, 0, Purpose::Learning)) {
            counts[shard as usize][sample as usize] += 1;
        }
        counts
    }

    #[test]
    fn the_window_grows_and_is_restored() {
        let config = LearnConfig { window_samples: 30, window_share: 0.5, ..LearnConfig::default() };
        let mut window = Window::default();
        for generation in 1..=20 {
            window.push(shard(generation, 10), &config);
            let total = window.total;
            let newest_first = (1..=generation).rev().map(|generation| Ok::<Shard, ()>(shard(generation, 10)));
            let restored = Window::restore(total, window.len(), newest_first).unwrap();
            assert_eq!(restored.len(), window.len(), "after {generation} generations");
            assert_eq!(restored.total, total);
        }
        assert_eq!((window.len(), window.total), (100, 200));
        assert_eq!(window.shards[0].generation, 11);
        // Shards older than the window are not read.
        let read = |generation| if generation > 10 { Ok(shard(generation, 10)) } else { Err(generation) };
        let restored = Window::restore(200, 100, (1..=20).rev().map(read));
        assert_eq!(restored.map(|window| window.len()), Ok(100));
    }

    #[test]
    fn the_whole_window_is_drawn_before_any_sample_twice() {
        let config = LearnConfig { window_samples: 1_000, window_share: 0.0, ..LearnConfig::default() };
        let mut window = Window::default();
        (1..=10).for_each(|generation| window.push(shard(generation, 100), &config));
        // 300 samples of 1,000: none twice, and about 30 of each shard.
        let counts = draws(&window, 3, 10);
        assert_eq!(counts.iter().flatten().sum::<usize>(), 300);
        assert!(counts.iter().flatten().all(|&count| count <= 1));
        assert!(counts.iter().all(|shard| (10..60).contains(&shard.iter().sum::<usize>())), "{counts:?}");
        // 2,500 samples of 1,000: each twice or three times.
        let counts = draws(&window, 25, 10);
        assert_eq!(counts.iter().flatten().sum::<usize>(), 2_500);
        assert!(counts.iter().flatten().all(|&count| (2..=3).contains(&count)));
        assert_ne!(draws(&window, 3, 10), draws(&window, 3, 11));
    }

    #[test]
    fn batches_are_of_one_board_and_hold_what_was_drawn() {
        let mut window = Window::default();
        window.push(shard(1, 30), &LearnConfig::default());
        let other = Board::new(1, 2).unwrap();
        let mut of_other = Shard { board: other, ..shard(2, 25) };
        of_other.samples.iter_mut().for_each(|sample| sample.state = State::new(other));
        window.push(of_other, &LearnConfig::default());
        let drawn = window.draw(2, &mut stream(1, 2, 0, Purpose::Learning));
        let batches = window.batches(drawn.clone(), 8);
        for batch in &batches {
            let board = window.sample(batch[0]).state.board();
            assert!(batch.iter().all(|&place| window.sample(place).state.board() == board));
        }
        // In the order in which they were drawn, but for a rest of less than a quarter of a batch.
        for shard in [0, 1] {
            let of_shard = |places: Vec<Place>| places.into_iter().filter(|place| place.shard == shard).collect();
            let (drawn, batched): (Vec<Place>, Vec<Place>) = (of_shard(drawn.clone()), of_shard(batches.concat()));
            let rest = if drawn.len() % 8 < 2 { drawn.len() % 8 } else { 0 };
            assert_eq!(batched, drawn[..drawn.len() - rest]);
        }
        // Of one board, in the order in which they were drawn.
        let first: Vec<Place> = drawn.into_iter().filter(|place| place.shard == 0).collect();
        assert_eq!(window.batches(first.clone(), 8).concat(), first);
    }

    #[test]
    fn nothing_is_drawn_for_a_generation_without_samples() {
        let mut window = Window::default();
        assert!(window.draw(4, &mut stream(1, 1, 0, Purpose::Learning)).is_empty());
        window.push(shard(1, 5), &LearnConfig::default());
        window.push(shard(2, 0), &LearnConfig::default());
        assert!(window.draw(4, &mut stream(1, 2, 0, Purpose::Learning)).is_empty());
    }
}
