//! Blocks of a table's entries, of which those that hold nothing are left out.
//!
//! All numbers are little-endian words. A block has a header, which is its number, a set of the
//! entries that are used and the inverted checksum of both, so that no entries are taken for a
//! header, and then these entries and their checksum. A block whose entries are damaged is passed
//! over. After a damaged header, the next header is looked for word by word.

use std::io::{self, ErrorKind, Read, Write};

use crate::mix::split_mix;

/// The number of entries of a block.
const BLOCK: usize = 512;

/// The number of words of the set of entries.
const SET: usize = BLOCK / 64;

/// The number of words of a header.
const HEADER: usize = SET + 2;

/// Writes the words of a table's entries, where 0 is an entry that is not used.
pub(super) fn write(file: &mut impl Write, mut words: impl Iterator<Item = u64>) -> io::Result<()> {
    let mut block = Vec::with_capacity(BLOCK);
    for number in 0.. {
        block.clear();
        block.extend(words.by_ref().take(BLOCK));
        if block.is_empty() {
            break;
        }
        let mut header = [0; HEADER - 1];
        header[0] = number;
        for (index, _) in block.iter().enumerate().filter(|(_, word)| **word != 0) {
            header[1 + index / 64] |= 1 << (index % 64);
        }
        block.retain(|word| *word != 0);
        if block.is_empty() {
            continue;
        }
        let sums = (!checksum(&header), checksum(&block));
        for word in header.into_iter().chain([sums.0]).chain(block.iter().copied()).chain([sums.1]) {
            file.write_all(&word.to_le_bytes())?;
        }
    }
    Ok(())
}

/// Returns a checksum. It changes if one word does, and almost always if several do.
fn checksum(words: &[u64]) -> u64 {
    words.iter().fold(words.len() as u64, |state, word| split_mix(state ^ word))
}

/// An iterator over the words of a table's entries, as they were given to [`write`], with 0 for
/// those that are damaged.
pub(super) struct Words<R> {
    file: R,
    /// The number of entries that are left.
    left: u64,
    /// The number of the current block, whose words from `next` on are left.
    number: u64,
    block: Vec<u64>,
    next: usize,
    /// The next block of the file with its number, or `None` at the end of the file.
    ahead: Option<(u64, Vec<u64>)>,
    /// The error that ended reading, other than the end of the file.
    pub error: Option<io::Error>,
}

impl<R: Read> Words<R> {
    /// Reads a table of so many entries.
    pub fn new(file: R, entries: u64) -> Words<R> {
        let mut words = Words { file, left: entries, number: 0, block: Vec::new(), next: 0, ahead: None, error: None };
        words.advance(None);
        words.start_block();
        words
    }

    /// Begins the block `number`.
    fn start_block(&mut self) {
        self.next = 0;
        self.block.clear();
        if let Some((number, _)) = &self.ahead
            && *number == self.number
        {
            let (number, block) = self.ahead.take().unwrap_or_default();
            self.block = block;
            self.advance(Some(number));
        } else {
            self.block.resize(BLOCK, 0);
        }
    }

    /// Reads the next block after this one into `ahead`.
    fn advance(&mut self, after: Option<u64>) {
        match read_block(&mut self.file, after) {
            Ok(block) => self.ahead = Some(block),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => self.ahead = None,
            Err(error) => self.error = Some(error),
        }
    }
}

impl<R: Read> Iterator for Words<R> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.left = self.left.checked_sub(1)?;
        if self.next == BLOCK {
            self.number += 1;
            self.start_block();
        }
        let word = self.block[self.next];
        self.next += 1;
        Some(word)
    }
}

/// Reads the next block with a number above `after`, and returns its number and the words of all
/// its entries.
fn read_block(file: &mut impl Read, after: Option<u64>) -> io::Result<(u64, Vec<u64>)> {
    let mut header = [0; HEADER];
    for word in &mut header {
        *word = read_word(file)?;
    }
    while header[HEADER - 1] != !checksum(&header[..HEADER - 1]) || after.is_some_and(|after| header[0] <= after) {
        header.rotate_left(1);
        header[HEADER - 1] = read_word(file)?;
    }
    let is_used = |index: &usize| header[1 + index / 64] >> (index % 64) & 1 == 1;
    let mut block = vec![0; BLOCK];
    let mut used = Vec::with_capacity(BLOCK);
    for index in (0..BLOCK).filter(is_used) {
        block[index] = read_word(file)?;
        used.push(block[index]);
    }
    if read_word(file)? != checksum(&used) {
        block.fill(0);
    }
    Ok((header[0], block))
}

fn read_word(file: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    file.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words_of(bytes: &[u8], entries: usize) -> Vec<u64> {
        Words::new(bytes, entries as u64).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn words_are_read_back_and_damage_costs_a_block(
            used in prop::collection::btree_map(0..3000usize, 1u64.., 0..300), at in 0..20_000usize, cut in 0..20_000usize,
        ) {
            let mut words = vec![0; 3000];
            used.iter().for_each(|(index, word)| words[*index] = *word);
            let mut bytes = Vec::new();
            write(&mut bytes, words.iter().copied()).unwrap();
            prop_assert!(bytes.len() <= 8 * used.len() + 6 * 8 * (HEADER + 1));
            prop_assert_eq!(&words_of(&bytes, 3000), &words);
            let wrong = |bytes: &[u8]| -> Vec<usize> {
                let read = words_of(bytes, 3000);
                assert!(read.iter().zip(&words).all(|(read, word)| read == word || *read == 0), "a word is invented");
                let lost = (0..3000).filter(|&index| read[index] != words[index]).map(|index| index / BLOCK);
                std::collections::BTreeSet::from_iter(lost).into_iter().collect()
            };
            if !bytes.is_empty() {
                let at = at % bytes.len();
                bytes[at] ^= 0x10;
                prop_assert!(wrong(&bytes).len() <= 1, "byte {} of {}: blocks {:?}", at, bytes.len(), wrong(&bytes));
                bytes[at] ^= 0x10;
                // What precedes the end of a cut file is read.
                let lost = wrong(&bytes[..cut % bytes.len()]);
                prop_assert!(lost.windows(2).all(|pair| pair[0] < pair[1]));
            }
        }
    }
}
