//! The bundle: this program with a bot's weights appended, which plays as soon as it is started.
//!
//! The file is the program, the weights file, the budget (simulations and nodes, each u32), the
//! length of the weights file (u64) and a magic of 16 bytes, all numbers little-endian.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};

/// The last bytes of a bundle.
const MAGIC: &[u8; 16] = b"DOUBLECROSS BOT\0";

/// The length in bytes of everything after the weights file.
const TRAILER: usize = 4 + 4 + 8 + MAGIC.len();

/// A bot that is appended to a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundledBot {
    /// The bytes of the weights file.
    pub weights: Vec<u8>,
    /// Simulations of each move.
    pub simulations: u32,
    /// The solver's budget for each move, in nodes.
    pub nodes: u32,
}

/// Returns the program with `bot` appended, in place of a bot that it already has.
pub fn bundle(program: &[u8], bot: &BundledBot) -> Vec<u8> {
    // Bytes in memory are read without errors.
    let former = read(&mut Cursor::new(program)).ok().flatten();
    let own = program.len() - former.map_or(0, |bot| bot.weights.len() + TRAILER);
    let trailer = [bot.simulations.to_le_bytes(), bot.nodes.to_le_bytes()].concat();
    [&program[..own], &bot.weights, &trailer, &(bot.weights.len() as u64).to_le_bytes(), MAGIC].concat()
}

/// Reads the bot that is appended to the running program, if there is one.
///
/// # Errors
/// Returns an error if the program's file cannot be read.
pub fn bundled_bot() -> io::Result<Option<BundledBot>> {
    read(&mut File::open(std::env::current_exe()?)?)
}

fn read(file: &mut (impl Read + Seek)) -> io::Result<Option<BundledBot>> {
    let length = file.seek(SeekFrom::End(0))?;
    if length < TRAILER as u64 {
        return Ok(None);
    }
    let mut trailer = [0; TRAILER];
    file.seek(SeekFrom::End(-(TRAILER as i64)))?;
    file.read_exact(&mut trailer)?;
    let number = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| trailer[at + i]));
    let weights = u64::from_le_bytes(std::array::from_fn(|i| trailer[8 + i]));
    if !trailer.ends_with(MAGIC) || weights > length - TRAILER as u64 {
        return Ok(None);
    }
    let mut bot = BundledBot { weights: vec![0; weights as usize], simulations: number(0), nodes: number(4) };
    file.seek(SeekFrom::Start(length - TRAILER as u64 - weights))?;
    file.read_exact(&mut bot.weights)?;
    Ok(Some(bot))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_has_at_most_one_bot() {
        let bot = |weights: &[u8]| BundledBot { weights: weights.to_vec(), simulations: 7, nodes: 9 };
        let first = bundle(b"program", &bot(b"some weights"));
        assert_eq!(read(&mut Cursor::new(&first)).unwrap(), Some(bot(b"some weights")));
        let second = bundle(&first, &bot(b"others"));
        assert!(second.starts_with(b"programothers"));
        assert_eq!(read(&mut Cursor::new(&second)).unwrap(), Some(bot(b"others")));
        for foreign in [&b"program"[..], &[0; 100], &second[1..second.len() - 1], &second[second.len() - TRAILER..]] {
            assert_eq!(read(&mut Cursor::new(foreign)).unwrap(), None);
        }
    }
}
