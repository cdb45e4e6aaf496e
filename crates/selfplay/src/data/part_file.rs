//! The file of the parts of a generation that are there before the generation is whole.
//!
//! It begins with the magic `DXPARTS2` and the id of the orders (u64). A record is its length
//! without this (u32), a byte that says what it is, the length of a worker's name (a byte) and the
//! name, which is empty for this process, and then: for 0, a part that it played; for 1, which says
//! that nothing counts any more that the worker played so far, nothing. A kill may cut the last
//! record short, which is then played again.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::data::bytes::Unparsed;
use crate::data::part::Part;
use crate::data::played_item::{Origin, PlayedItem};
use doublecross_core::board::Board;
use doublecross_files::sync_folder;

const MAGIC: &[u8; 8] = b"DXPARTS2";

/// The kinds of records.
const PLAYED: u8 = 0;
const REJECTED: u8 = 1;

/// The parts of a generation on disk.
pub struct PartFile {
    path: PathBuf,
    /// The id of the orders.
    orders: u64,
    /// `None` until the first part is saved.
    file: Option<File>,
}

impl PartFile {
    /// Opens the file of a generation with these orders, and returns what it holds. A file of other
    /// orders is dropped.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or shortened to what is whole.
    pub fn open(path: PathBuf, orders: u64, board: Board, items: u32) -> io::Result<(PartFile, Vec<PlayedItem>)> {
        let bytes = match fs::read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok((PartFile { path, orders, file: None }, Vec::new()));
            }
            bytes => bytes?,
        };
        let header = [MAGIC.as_slice(), &orders.to_le_bytes()].concat();
        let Some(mut rest) = bytes.strip_prefix(header.as_slice()) else {
            fs::remove_file(&path)?;
            return Ok((PartFile { path, orders, file: None }, Vec::new()));
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
        let mut file = File::options().write(true).open(&path)?;
        let whole = (bytes.len() - rest.len()) as u64;
        file.set_len(whole)?;
        file.seek(SeekFrom::Start(whole))?;
        Ok((PartFile { path, orders, file: Some(file) }, saved.into_values().collect()))
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

    /// Appends records and syncs them to disk.
    fn append(&mut self, records: &[u8]) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(create(&self.path, self.orders)?),
        };
        let before = file.stream_position()?;
        let written = file.write_all(records).and_then(|()| file.sync_data());
        written.inspect_err(|_| {
            // Half a record would hide those behind it.
            let _ = file.set_len(before).and_then(|()| file.seek(SeekFrom::Start(before)));
        })
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the parts at a path, which only cost their space if they stay.
    pub fn remove(path: &Path) {
        let _ = fs::remove_file(path);
    }
}

fn create(path: &Path, orders: u64) -> io::Result<File> {
    let mut file = File::create(path)?;
    let written = file.write_all(MAGIC).and_then(|()| file.write_all(&orders.to_le_bytes()));
    // Records are synced from now on, and would be lost with the file.
    let synced = written.and_then(|()| path.parent().map_or(Ok(()), sync_folder));
    synced.inspect_err(|_| drop(fs::remove_file(path))).map(|()| file)
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
