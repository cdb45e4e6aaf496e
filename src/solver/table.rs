//! The transposition table: a lower and an upper bound of each position.

/// What the table knows of a position, in boxes still to come, for the player to move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub lower: i8,
    pub upper: i8,
    /// The rank that the best move had in the last search, to be tried first; [`NO_MOVE`] for none.
    pub best: u8,
}

pub(super) const NO_MOVE: u8 = u8::MAX;

#[derive(Clone, Copy)]
struct Entry {
    key: u64,
    lower: i8,
    upper: i8,
    best: u8,
    /// Undrawn edges: what is worth keeping.
    depth: u8,
    /// Entries of another epoch are empty, so that forgetting everything costs nothing.
    epoch: u32,
}

/// Two entries a bucket: one that gives way only to a deeper position, one that always gives way.
pub(super) struct Table {
    entries: Vec<[Entry; 2]>,
    epoch: u32,
    shift: u32,
}

const EMPTY: Entry = Entry { key: 0, lower: 0, upper: 0, best: NO_MOVE, depth: 0, epoch: 0 };

impl Table {
    pub fn new(entries: usize) -> Table {
        let buckets = (entries / 2).max(2).next_power_of_two();
        Table { entries: vec![[EMPTY; 2]; buckets], epoch: 1, shift: 64 - buckets.trailing_zeros() }
    }

    pub fn forget(&mut self) {
        self.epoch = self.epoch.wrapping_add(1);
        if self.epoch == 0 {
            self.entries.fill([EMPTY; 2]);
            self.epoch = 1;
        }
    }

    fn bucket(&self, key: u64) -> usize {
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize
    }

    pub fn get(&self, key: u64) -> Option<Bounds> {
        let bucket = &self.entries[self.bucket(key)];
        let entry = bucket.iter().find(|entry| entry.key == key && entry.epoch == self.epoch)?;
        Some(Bounds { lower: entry.lower, upper: entry.upper, best: entry.best })
    }

    pub fn put(&mut self, key: u64, depth: u8, bounds: Bounds) {
        let (index, epoch) = (self.bucket(key), self.epoch);
        let bucket = &mut self.entries[index];
        let entry = Entry { key, lower: bounds.lower, upper: bounds.upper, best: bounds.best, depth, epoch };
        let [deep, recent] = bucket;
        if deep.epoch != epoch || deep.key == key || depth >= deep.depth {
            if deep.epoch == epoch && deep.key != key {
                *recent = *deep;
            }
            *deep = entry;
        } else {
            *recent = entry;
        }
    }
}
