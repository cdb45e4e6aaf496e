//! The file of the parts of a generation that are there before the generation is whole.
//!
//! It begins with the magic `DXPARTS3` and the id of the orders (u64). A record is its length
//! without this (u32), a byte that says what it is, the length of a worker's name (a byte) and the
//! name, which is empty for this process, and then: for 0, a part that it played; for 1, which says
//! that nothing counts any more that the worker played so far, nothing. A kill may cut the last
//! record short, which is then played again.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use crate::data::bytes::Unparsed;
use crate::data::part::Part;
use crate::data::part_storage::{DiskStorage, PartStorage};
use crate::data::played_item::{Origin, PlayedItem};
use doublecross_core::board::Board;

const MAGIC: &[u8; 8] = b"DXPARTS3";

/// The kinds of records.
const PLAYED: u8 = 0;
const REJECTED: u8 = 1;

/// The parts of a generation that are saved.
pub struct PartFile {
    path: PathBuf,
    /// The id of the orders.
    orders: u64,
    storage: Box<dyn PartStorage>,
    /// `true` once the storage has the header.
    has_header: bool,
}

impl PartFile {
    /// Opens the file of a generation with these orders, and returns what it holds. A file of other
    /// orders is dropped.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or shortened to what is whole.
    pub fn open(path: PathBuf, orders: u64, board: Board, items: u32) -> io::Result<(PartFile, Vec<PlayedItem>)> {
        let storage = Box::new(DiskStorage::new(path.clone()));
        PartFile::open_in(storage, path, orders, board, items)
    }

    /// Opens the file of a generation as [`PartFile::open`] does, in a storage of the caller's.
    ///
    /// # Errors
    /// Returns an error if the storage cannot be read or shortened to what is whole.
    pub fn open_in(
        mut storage: Box<dyn PartStorage>,
        path: PathBuf,
        orders: u64,
        board: Board,
        items: u32,
    ) -> io::Result<(PartFile, Vec<PlayedItem>)> {
        let bytes = storage.read()?;
        let Some(mut rest) = bytes.strip_prefix(header(orders).as_slice()) else {
            storage.remove()?;
            return Ok((PartFile { path, orders, storage, has_header: false }, Vec::new()));
        };
        let mut saved: BTreeMap<u32, PlayedItem> = BTreeMap::new();
        while let Some((record, after)) = Record::next(rest, orders, board, items) {
            match record {
                // An item that comes again was played again, since the first did not count.
                Record::Played(items) => saved.extend(items.into_iter().map(|item| (item.number, item))),
                Record::Rejected(worker) => saved.retain(|_, saved| saved.origin != worker),
            }
            rest = after;
        }
        storage.shorten((bytes.len() - rest.len()) as u64)?;
        Ok((PartFile { path, orders, storage, has_header: true }, saved.into_values().collect()))
    }

    /// Saves items of a generation: a record for each of those that played them.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written. What was saved before is kept.
    pub fn save_items(&mut self, generation: u64, items: Vec<PlayedItem>) -> io::Result<()> {
        let mut parts: Vec<(Origin, Part)> = Vec::new();
        for item in items {
            match parts.iter_mut().find(|(origin, _)| *origin == item.origin) {
                Some((_, part)) => part.items.push(item),
                None => {
                    let origin = item.origin.clone();
                    parts.push((origin, Part { orders: self.orders, generation, items: vec![item] }));
                }
            }
        }
        if parts.is_empty() {
            return Ok(());
        }
        let records: Vec<u8> =
            parts.iter().flat_map(|(origin, part)| record(PLAYED, origin, &part.to_bytes())).collect();
        self.append(&records)
    }

    /// Saves that nothing counts any more that this worker played so far.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn reject(&mut self, worker: &str) -> io::Result<()> {
        self.append(&record(REJECTED, &Origin::Worker(worker.into()), &[]))
    }

    /// Appends records, behind the header if they are the first.
    fn append(&mut self, records: &[u8]) -> io::Result<()> {
        if self.has_header {
            return self.storage.append(records);
        }
        self.storage.append(&[&header(self.orders), records].concat())?;
        self.has_header = true;
        Ok(())
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the parts at a path, which only cost their space if they stay.
    pub fn remove(path: &Path) {
        let _ = std::fs::remove_file(path);
    }
}

/// The bytes that a file of these orders begins with.
fn header(orders: u64) -> [u8; 16] {
    let mut header = [0; 16];
    header[..8].copy_from_slice(MAGIC);
    header[8..].copy_from_slice(&orders.to_le_bytes());
    header
}

/// Returns a record as bytes.
fn record(kind: u8, origin: &Origin, contents: &[u8]) -> Vec<u8> {
    let name = match origin {
        Origin::Here => "",
        Origin::Worker(name) => name,
    };
    // Names of machines have at most 32 bytes.
    let length = 2 + name.len() + contents.len();
    [&(length as u32).to_le_bytes(), [kind, name.len() as u8].as_slice(), name.as_bytes(), contents].concat()
}

/// A record as it was read.
enum Record {
    Played(Vec<PlayedItem>),
    Rejected(Origin),
}

impl Record {
    /// Returns the first record of these bytes, and the bytes behind it.
    fn next(bytes: &[u8], orders: u64, board: Board, items: u32) -> Option<(Record, &[u8])> {
        let mut unparsed = Unparsed(bytes);
        let length = unparsed.count(4, 1).ok()?;
        let mut contents = Unparsed(unparsed.take(length).ok()?);
        let (kind, length) = (contents.number(1).ok()? as u8, contents.number(1).ok()? as usize);
        let name = std::str::from_utf8(contents.take(length).ok()?).ok()?;
        let origin = if name.is_empty() { Origin::Here } else { Origin::Worker(name.into()) };
        let record = match kind {
            PLAYED => {
                let part = Part::from_bytes(contents.0, board, items).ok().filter(|part| part.orders == orders)?;
                let by_origin = |item| PlayedItem { origin: origin.clone(), ..item };
                Record::Played(part.items.into_iter().map(by_origin).collect())
            }
            REJECTED => Record::Rejected(origin),
            _ => return None,
        };
        Some((record, unparsed.0))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn items(origin: &Origin, items: std::ops::Range<u32>) -> Vec<PlayedItem> {
        items.map(|number| PlayedItem { number, origin: origin.clone(), ..PlayedItem::default() }).collect()
    }

    #[test]
    fn saved_parts_survive_a_kill_at_any_byte() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("parts");
        let board = Board::new(2, 2).unwrap();
        let open = || PartFile::open(path.clone(), 5, board, 10).unwrap();
        let (mut file, saved) = open();
        assert!(saved.is_empty() && !path.exists());
        file.save_items(2, Vec::new()).unwrap();
        assert!(!path.exists());
        file.save_items(2, items(&Origin::Here, 0..2)).unwrap();
        let first = fs::metadata(&path).unwrap().len() as usize;
        let worker = Origin::Worker("worker-1".into());
        file.save_items(2, items(&worker, 2..5)).unwrap();
        assert_eq!(open().1, [items(&Origin::Here, 0..2), items(&worker, 2..5)].concat());
        let bytes = fs::read(&path).unwrap();
        for cut in 0..bytes.len() {
            fs::write(&path, &bytes[..cut]).unwrap();
            let (mut file, saved) = open();
            assert_eq!(saved.len(), if cut < first { 0 } else { 2 }, "{cut}");
            file.save_items(2, items(&worker, 7..8)).unwrap();
            assert_eq!(open().1.last().unwrap().number, 7, "{cut}");
        }
        // Of other orders.
        let (_, saved) = PartFile::open(path.clone(), 6, board, 10).unwrap();
        assert!(saved.is_empty() && !path.exists());
    }

    #[test]
    fn what_is_rejected_does_not_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("parts");
        let board = Board::new(2, 2).unwrap();
        let open = || PartFile::open(path.clone(), 5, board, 10).unwrap();
        let (liar, honest) = (Origin::Worker("liar".into()), Origin::Worker("honest".into()));
        let mut file = open().0;
        file.save_items(2, [items(&liar, 0..3), items(&honest, 3..6)].concat()).unwrap();
        file.reject("liar").unwrap();
        file.save_items(2, items(&Origin::Here, 1..2)).unwrap();
        assert_eq!(open().1, [items(&Origin::Here, 1..2), items(&honest, 3..6)].concat());
    }
}
