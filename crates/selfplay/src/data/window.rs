//! The window of training samples: those of each kind in the newest shards.

use std::collections::VecDeque;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::Sample;
use crate::data::kinds::{Kind, Kinds};
use crate::data::shard::Shard;
use doublecross_core::board::Board;
use doublecross_run::config::LearnConfig;

/// The newest shards, from the first that the window has a kind of samples from.
#[derive(Default)]
pub struct Window {
    shards: VecDeque<Counted>,
    /// The number of samples of all shards ever pushed.
    total: Kinds,
    /// The index of the first shard that each kind of samples is drawn from.
    first: Kinds,
}

/// A shard with the numbers of its samples.
struct Counted {
    shard: Shard,
    kinds: Kinds,
}

impl Counted {
    fn new(shard: Shard) -> Counted {
        Counted { kinds: shard.kinds(), shard }
    }
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
        total: Kinds,
        wanted: Kinds,
        newest_first: impl IntoIterator<Item = Result<Shard, E>>,
    ) -> Result<Window, E> {
        let mut window = Window { total, ..Window::default() };
        // The number of shards that each kind is drawn from, and that of their samples.
        let (mut shards, mut found) = (Kinds::default(), Kinds::default());
        for shard in newest_first {
            let counted = Counted::new(shard?);
            for kind in Kind::ALL {
                if found[kind] < wanted[kind] || window.shards.is_empty() {
                    found[kind] += counted.kinds[kind];
                    shards[kind] += 1;
                }
            }
            window.shards.push_front(counted);
            if Kind::ALL.iter().all(|&kind| found[kind] >= wanted[kind]) {
                break;
            }
        }
        for kind in Kind::ALL {
            window.first[kind] = window.shards.len() - shards[kind];
        }
        Ok(window)
    }

    /// Adds the newest shard and drops those that the window no longer needs.
    pub fn push(&mut self, shard: Shard, config: &LearnConfig) {
        let counted = Counted::new(shard);
        self.total += counted.kinds;
        self.shards.push_back(counted);
        let last = self.shards.len() - 1;
        for (kind, share) in [(Kind::Exact, config.window_share), (Kind::Played, config.played_share)] {
            let wanted = config.window_samples.max((share * self.total[kind] as f64) as usize);
            let mut left = self.count(kind);
            while self.first[kind] < last {
                let oldest = self.shards[self.first[kind]].kinds[kind];
                if oldest > 0 && left - oldest < wanted {
                    break;
                }
                left -= oldest;
                self.first[kind] += 1;
            }
        }
        let unused = self.first.exact.min(self.first.played);
        self.shards.drain(..unused);
        self.first -= Kinds { exact: unused, played: unused };
    }

    /// Returns `true` if the window holds no samples.
    pub fn is_empty(&self) -> bool {
        self.kinds().sum() == 0
    }

    /// Returns the number of samples in the window.
    pub fn kinds(&self) -> Kinds {
        Kinds { exact: self.count(Kind::Exact), played: self.count(Kind::Played) }
    }

    /// Returns the number of samples of all shards ever pushed.
    pub fn total(&self) -> Kinds {
        self.total
    }

    /// Returns the number of samples of a kind.
    fn count(&self, kind: Kind) -> usize {
        self.shards.iter().skip(self.first[kind]).map(|counted| counted.kinds[kind]).sum()
    }

    /// Returns the newest shard's samples.
    pub fn newest(&self) -> &[Sample] {
        self.shards.back().map_or(&[], |counted| &counted.shard.samples)
    }

    /// Draws the samples to learn from in this generation, `passes` times as many as the newest shard
    /// holds, in random order.
    ///
    /// Each of the newest shard is among them once. The others are older ones of the window, as many of
    /// each kind as the newest shard has for each pass but the first. Every older sample of a kind is
    /// drawn once before any is drawn twice, and none more than `passes` times: where there are few, the
    /// rest comes from the newest shard again.
    pub fn draw(&self, passes: u8, rng: &mut ChaCha8Rng) -> Vec<Place> {
        let Some(newest) = self.shards.len().checked_sub(1) else { return Vec::new() };
        let mut drawn: Vec<Place> = Kind::ALL.iter().flat_map(|&kind| self.places(newest, kind)).collect();
        for kind in Kind::ALL {
            let older: Vec<Place> = (self.first[kind]..newest).flat_map(|shard| self.places(shard, kind)).collect();
            let new: Vec<Place> = self.places(newest, kind).collect();
            let mut left = new.len() * (passes as usize - 1);
            for mut pool in [older, new] {
                for _ in 0..passes {
                    let count = pool.len().min(left);
                    shuffle(&mut pool, count, rng);
                    drawn.extend_from_slice(&pool[..count]);
                    left -= count;
                }
            }
        }
        let count = drawn.len();
        shuffle(&mut drawn, count, rng);
        drawn
    }

    /// Returns the places of a shard's samples of a kind.
    fn places(&self, shard: usize, kind: Kind) -> impl Iterator<Item = Place> {
        let samples = self.shards[shard].shard.samples.iter().enumerate();
        let of_kind = samples.filter(move |(_, sample)| Kind::of(sample) == kind);
        of_kind.map(move |(sample, _)| Place { shard: shard as u32, sample: sample as u32 })
    }

    /// Divides what was drawn into batches of one board each.
    ///
    /// A batch comes as soon as it is full. Samples that fill none are left out, since a step on few
    /// counts as much as one on many, unless their board would have no batch at all: then they are the
    /// last batch, if it is a quarter full or the only one.
    pub fn batches(&self, drawn: Vec<Place>, size: usize) -> Vec<Vec<Place>> {
        let mut batches: Vec<Vec<Place>> = Vec::with_capacity(drawn.len() / size.max(1) + 1);
        // The batch of each board that is being filled, after so many full ones.
        let mut open: Vec<(Board, Vec<Place>, usize)> = Vec::new();
        for place in drawn {
            let board = self.shards[place.shard as usize].shard.board;
            let index = open.iter().position(|(other, ..)| *other == board).unwrap_or_else(|| {
                open.push((board, Vec::with_capacity(size), 0));
                open.len() - 1
            });
            let (_, batch, full) = &mut open[index];
            batch.push(place);
            if batch.len() == size {
                batches.push(std::mem::take(batch));
                *full += 1;
            }
        }
        let least = if open.len() == 1 { 1 } else { size.div_ceil(4) };
        let rests: Vec<Vec<Place>> =
            open.into_iter().filter(|&(_, _, full)| full == 0).map(|(_, batch, _)| batch).collect();
        let is_only = batches.is_empty();
        batches.extend(rests.into_iter().filter(|batch| is_only || batch.len() >= least));
        batches
    }

    /// Returns the sample at a place that [`Window::draw`] gave.
    pub fn sample(&self, place: Place) -> &Sample {
        &self.shards[place.shard as usize].shard.samples[place.sample as usize]
    }
}

/// Puts random places, so many of them, first.
fn shuffle(places: &mut [Place], count: usize, rng: &mut ChaCha8Rng) {
    for index in 0..count {
        let other = rng.random_range(index..places.len());
        places.swap(index, other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MarginTarget;
    use doublecross_arena::random::{Purpose, stream};
    use doublecross_core::board::State;

    const KEPT: f64 = 0.5;

    /// A shard with so many exact and so many played samples.
    fn shard(generation: u64, exact: usize, played: usize) -> Shard {
        let board = Board::new(2, 2).unwrap();
        let sample = |margin| Sample { state: State::new(board), margin, policy: Vec::new(), edge_margins: Vec::new() };
        let targets = [(MarginTarget::Exact(0), exact), (MarginTarget::Played(0), played)];
        let samples = targets.iter().flat_map(|&(target, count)| std::iter::repeat_n(sample(target), count)).collect();
        Shard { board, generation, games: 1, samples, counts: Vec::new() }
    }

    fn kinds(exact: usize, played: usize) -> Kinds {
        Kinds { exact, played }
    }

    /// The number of times that each sample of the window is drawn for a generation, by shard,
    /// oldest first.
    fn draws(window: &Window, passes: u8, generation: u64) -> Vec<Vec<usize>> {
        let mut counts: Vec<Vec<usize>> = window.shards.iter().map(|counted| vec![0; counted.kinds.sum()]).collect();
        for Place { shard, sample } in window.draw(passes, &mut stream(1, generation, 0, Purpose::Learning)) {
            counts[shard as usize][sample as usize] += 1;
        }
        counts
    }

    #[test]
    fn the_window_has_its_share_of_each_kind_and_is_restored() {
        let config =
            LearnConfig { window_samples: 30, window_share: 1.0, played_share: KEPT, ..LearnConfig::default() };
        let mut window = Window::default();
        for generation in 1..=20 {
            window.push(shard(generation, 7, 10), &config);
            let newest_first = (1..=generation).rev().map(|generation| Ok::<Shard, ()>(shard(generation, 7, 10)));
            let restored = Window::restore(window.total(), window.kinds(), newest_first).unwrap();
            assert_eq!(restored.kinds(), window.kinds(), "after {generation} generations");
            assert_eq!((restored.total, restored.first), (window.total, window.first));
            assert_eq!(draws(&restored, 3, generation), draws(&window, 3, generation));
        }
        assert_eq!((window.kinds(), window.total()), (kinds(140, 100), kinds(140, 200)));
        // Played samples come from the newest ten shards, and exact ones from all.
        let counts = draws(&window, 10, 20);
        let drawn = |shards: std::ops::Range<usize>, samples: std::ops::Range<usize>| -> usize {
            counts[shards].iter().flat_map(|shard| &shard[samples.clone()]).sum()
        };
        assert_eq!((drawn(0..10, 7..17), drawn(10..19, 7..17), drawn(19..20, 7..17)), (0, 90, 10));
        assert!(drawn(0..10, 0..7) > 20 && drawn(0..19, 0..7) == 63);
        // Shards older than the window are not read.
        let config = LearnConfig { window_share: KEPT, ..config };
        let mut window = Window::default();
        (1..=20).for_each(|generation| window.push(shard(generation, 7, 10), &config));
        let read = |generation| if generation > 10 { Ok(shard(generation, 7, 10)) } else { Err(generation) };
        let restored = Window::restore(window.total(), window.kinds(), (1..=20).rev().map(read));
        assert_eq!(restored.map(|window| window.kinds()), Ok(kinds(70, 100)));
    }

    #[test]
    fn new_samples_are_drawn_once_and_older_ones_as_evenly_as_can_be() {
        let config = LearnConfig { window_samples: 1_000, window_share: 0.0, ..LearnConfig::default() };
        let mut window = Window::default();
        (1..=11).for_each(|generation| window.push(shard(generation, 100, 0), &config));
        let draw = |passes, generation| {
            let mut counts = draws(&window, passes, generation);
            assert_eq!(counts.pop(), Some(vec![1; 100]));
            assert_eq!(counts.iter().flatten().sum::<usize>(), (passes as usize - 1) * 100);
            counts
        };
        assert!(draw(1, 11).iter().flatten().all(|&count| count == 0));
        // 300 samples of 900: none twice, and about 33 of each shard.
        let counts = draw(4, 11);
        assert!(counts.iter().flatten().all(|&count| count <= 1));
        assert!(counts.iter().all(|shard| (10..60).contains(&shard.iter().sum::<usize>())), "{counts:?}");
        // 2,400 samples of 900: each twice or three times.
        assert!(draw(25, 11).iter().flatten().all(|&count| (2..=3).contains(&count)));
        assert_ne!(draw(4, 11), draw(4, 12));
        // The new ones are not the first.
        let drawn = window.draw(4, &mut stream(1, 11, 0, Purpose::Learning));
        let new = drawn[..200].iter().filter(|place| place.shard as usize == window.shards.len() - 1).count();
        assert!((30..70).contains(&new), "{new}");
        // Those of a window of one shard are drawn several times.
        let mut window = Window::default();
        window.push(shard(1, 6, 4), &config);
        assert_eq!(draws(&window, 3, 1), [vec![3; 10]]);
    }

    #[test]
    fn no_sample_is_drawn_more_often_than_there_are_passes() {
        let mut window = Window::default();
        window.push(shard(1, 2, 100), &LearnConfig::default());
        window.push(shard(2, 98, 10), &LearnConfig::default());
        // The samples of each shard are the exact ones and then the played ones.
        let [older, newest] = <[Vec<usize>; 2]>::try_from(draws(&window, 4, 2)).unwrap();
        assert_eq!((&older[..2], older[2..].iter().sum::<usize>()), (&[4, 4][..], 30));
        assert_eq!((newest[..98].iter().sum::<usize>(), &newest[98..]), (4 * 98 - 8, &[1; 10][..]));
        assert!(newest[..98].iter().all(|count| (3..=4).contains(count)), "{newest:?}");
    }

    #[test]
    fn batches_are_of_one_board_and_full() {
        let mut window = Window::default();
        window.push(shard(1, 0, 30), &LearnConfig::default());
        let other = Board::new(1, 2).unwrap();
        let mut of_other = Shard { board: other, ..shard(2, 0, 25) };
        of_other.samples.iter_mut().for_each(|sample| sample.state = State::new(other));
        window.push(of_other, &LearnConfig::default());
        let drawn = window.draw(2, &mut stream(1, 2, 0, Purpose::Learning));
        let of_shard = |places: &[Place], shard| -> Vec<Place> {
            places.iter().copied().filter(|place| place.shard == shard).collect()
        };
        assert_eq!([0, 1].map(|shard| of_shard(&drawn, shard).len()), [25, 25]);
        let batches = window.batches(drawn.clone(), 8);
        assert!(batches.len() == 6 && batches.iter().all(|batch| batch.len() == 8));
        for batch in &batches {
            let board = window.sample(batch[0]).state.board();
            assert!(batch.iter().all(|&place| window.sample(place).state.board() == board));
        }
        // In the order in which they were drawn.
        for shard in [0, 1] {
            assert_eq!(of_shard(&batches.concat(), shard), of_shard(&drawn, shard)[..24]);
        }
        // A board without a full batch has one that is a quarter full.
        let few = [of_shard(&drawn, 0), of_shard(&drawn, 1)[..2].to_vec()].concat();
        assert_eq!(window.batches(few.clone(), 8).iter().map(Vec::len).collect::<Vec<_>>(), [8, 8, 8, 2]);
        assert_eq!(window.batches(few[..26].to_vec(), 8).len(), 3);
        // And the only batch may be smaller.
        assert_eq!(window.batches(few[..1].to_vec(), 8).len(), 1);
    }

    #[test]
    fn nothing_is_drawn_for_a_generation_without_samples() {
        let mut window = Window::default();
        assert!(window.draw(4, &mut stream(1, 1, 0, Purpose::Learning)).is_empty());
        window.push(shard(1, 5, 0), &LearnConfig::default());
        window.push(shard(2, 0, 0), &LearnConfig::default());
        assert!(window.draw(4, &mut stream(1, 2, 0, Purpose::Learning)).is_empty());
    }
}
