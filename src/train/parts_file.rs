//! The file of the parts of a generation that are there before the generation is whole.
//!
//! It begins with the magic `DXPARTS1` and the id of the orders (u64); each part follows its length
//! (u32). A kill may cut the last one short, which is then played again.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::bytes::Unparsed;
use super::part::{Part, Played};
use crate::board::Board;

const MAGIC: &[u8; 8] = b"DXPARTS1";

/// The parts of a generation on disk.
pub(super) struct PartsFile {
    path: PathBuf,
    /// The id of the orders.
    orders: u64,
    /// `None` until the first part is saved.
    file: Option<File>,
}

impl PartsFile {
    /// Opens the file of a generation with these orders, and returns what it holds. A file of other
    /// orders is dropped.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or shortened to what is whole.
    pub fn open(path: PathBuf, orders: u64, board: Board, items: u32) -> io::Result<(PartsFile, Vec<(u32, Played)>)> {
        let bytes = match fs::read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok((PartsFile { path, orders, file: None }, Vec::new()));
            }
            bytes => bytes?,
        };
        let header = [MAGIC.as_slice(), &orders.to_le_bytes()].concat();
        let Some(mut rest) = bytes.strip_prefix(header.as_slice()) else {
            fs::remove_file(&path)?;
            return Ok((PartsFile { path, orders, file: None }, Vec::new()));
        };
        let mut played = Vec::new();
        while let Some((part, after)) = next_part(rest, board, items).filter(|(part, _)| part.orders == orders) {
            played.extend(part.items);
            rest = after;
        }
        let mut file = File::options().write(true).open(&path)?;
        let whole = (bytes.len() - rest.len()) as u64;
        file.set_len(whole)?;
        file.seek(SeekFrom::Start(whole))?;
        Ok((PartsFile { path, orders, file: Some(file) }, played))
    }

    /// Saves items of a generation, if there are any.
    ///
    /// # Errors
    /// Returns an error if [`PartsFile::save`] does.
    pub fn save_items(&mut self, generation: u64, items: Vec<(u32, Played)>) -> io::Result<()> {
        if items.is_empty() { Ok(()) } else { self.save(&Part { orders: self.orders, generation, items }) }
    }

    /// Appends a part and syncs it to disk.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written. What was saved before is kept.
    pub fn save(&mut self, part: &Part) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(create(&self.path, self.orders)?),
        };
        let before = file.stream_position()?;
        let bytes = part.to_bytes();
        let written = file
            .write_all(&(bytes.len() as u32).to_le_bytes())
            .and_then(|()| file.write_all(&bytes))
            .and_then(|()| file.sync_data());
        written.inspect_err(|_| {
            // Half a part would hide those behind it.
            let _ = file.set_len(before).and_then(|()| file.seek(SeekFrom::Start(before)));
        })
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Removes the parts at a path, which only cost their space if they stay.
pub(super) fn remove(path: &Path) {
    let _ = fs::remove_file(path);
}

fn create(path: &Path, orders: u64) -> io::Result<File> {
    let mut file = File::create(path)?;
    let written = file.write_all(MAGIC).and_then(|()| file.write_all(&orders.to_le_bytes()));
    written.inspect_err(|_| drop(fs::remove_file(path))).map(|()| file)
}

/// Returns the first part of these bytes, and the bytes behind it.
fn next_part(bytes: &[u8], board: Board, items: u32) -> Option<(Part, &[u8])> {
    let mut unparsed = Unparsed(bytes);
    let length = unparsed.count(4, 1).ok()?;
    let part = Part::from_bytes(unparsed.take(length).ok()?, board, items).ok()?;
    Some((part, unparsed.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(orders: u64, items: std::ops::Range<u32>) -> Part {
        Part { orders, generation: 2, items: items.map(|item| (item, Played::default())).collect() }
    }

    #[test]
    fn saved_parts_survive_a_kill_at_any_byte() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("parts");
        let board = Board::new(2, 2).unwrap();
        let open = || PartsFile::open(path.clone(), 5, board, 10).unwrap();
        let (mut file, played) = open();
        assert!(played.is_empty() && !path.exists());
        file.save(&part(5, 0..2)).unwrap();
        let first = fs::metadata(&path).unwrap().len() as usize;
        file.save(&part(5, 2..5)).unwrap();
        assert_eq!(open().1.len(), 5);
        let bytes = fs::read(&path).unwrap();
        for cut in 0..bytes.len() {
            fs::write(&path, &bytes[..cut]).unwrap();
            let (mut file, played) = open();
            assert_eq!(played.len(), if cut < first { 0 } else { 2 }, "{cut}");
            file.save(&part(5, 7..8)).unwrap();
            assert_eq!(open().1.last().unwrap().0, 7, "{cut}");
        }
        // Of other orders.
        let (_, played) = PartsFile::open(path.clone(), 6, board, 10).unwrap();
        assert!(played.is_empty() && !path.exists());
    }
}
