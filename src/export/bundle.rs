//! The native form: this program with a bot's weights behind it, which plays instead of asking what to do.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// What the file ends with: the budget, the weights' length and this.
const MARK: &[u8; 16] = b"DOUBLECROSS BOT\0";

const TRAILER: usize = 4 + 4 + 8 + MARK.len();

/// A bot behind a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundled {
    /// The weights file.
    pub weights: Vec<u8>,
    /// Simulations of a move.
    pub simulations: u32,
    /// Nodes of the solver at the root.
    pub nodes: u32,
}

/// A program with a bot behind it, instead of the one that it may have.
pub fn bundle(program: &[u8], bot: &Bundled) -> Vec<u8> {
    let own = program.len() - bot_length(program).unwrap_or(0);
    let trailer = [bot.simulations.to_le_bytes(), bot.nodes.to_le_bytes()].concat();
    [&program[..own], &bot.weights, &trailer, &(bot.weights.len() as u64).to_le_bytes(), MARK].concat()
}

/// The bytes that a bot takes at the end of these, if there is one.
fn bot_length(bytes: &[u8]) -> Option<usize> {
    let length = bytes.strip_suffix(MARK)?.last_chunk().map(|length| u64::from_le_bytes(*length))?;
    usize::try_from(length).ok()?.checked_add(TRAILER).filter(|&length| length <= bytes.len())
}

/// The bot behind the program that is running, if there is one.
///
/// # Errors
/// When the program's file cannot be read.
pub fn bundled() -> io::Result<Option<Bundled>> {
    read(&mut File::open(std::env::current_exe()?)?)
}

fn read(file: &mut (impl Read + Seek)) -> io::Result<Option<Bundled>> {
    let length = file.seek(SeekFrom::End(0))?;
    if length < TRAILER as u64 {
        return Ok(None);
    }
    let mut trailer = [0; TRAILER];
    file.seek(SeekFrom::End(-(TRAILER as i64)))?;
    file.read_exact(&mut trailer)?;
    let number = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| trailer[at + i]));
    let weights = u64::from_le_bytes(std::array::from_fn(|i| trailer[8 + i]));
    if !trailer.ends_with(MARK) || weights > length - TRAILER as u64 {
        return Ok(None);
    }
    let mut bot = Bundled { weights: vec![0; weights as usize], simulations: number(0), nodes: number(4) };
    file.seek(SeekFrom::Start(length - TRAILER as u64 - weights))?;
    file.read_exact(&mut bot.weights)?;
    Ok(Some(bot))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn a_program_has_one_bot_at_most() {
        let bot = |weights: &[u8]| Bundled { weights: weights.to_vec(), simulations: 7, nodes: 9 };
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
