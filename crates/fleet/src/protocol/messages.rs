//! The messages of a fleet's machines beside orders and parts, as JSON.
//!
//! Nothing in these messages can name a command, a path or an address: they have numbers, and texts
//! that are shown to people.

use std::fmt;
use std::str::FromStr;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The bytes of a piece.
pub const PIECE_BYTES: usize = 512 << 10;

/// The most bytes of a message.
const MAX_BYTES: usize = 256 << 10;

/// The most items of a parcel.
pub const MAX_ITEMS: usize = 4096;

/// The most names of banned workers that are broadcast.
pub const MAX_BANNED: usize = 1000;

/// The most characters of a text that is shown.
const MAX_TEXT: usize = 400;

/// A number of 64 bits, written as 16 hexadecimal digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Id(pub u64);

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl From<Id> for String {
    fn from(id: Id) -> String {
        id.to_string()
    }
}

impl FromStr for Id {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Id, &'static str> {
        let is_hex = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let id = is_hex.then(|| u64::from_str_radix(text, 16).ok()).flatten();
        id.map(Id).ok_or("expected 16 hexadecimal digits")
    }
}

impl TryFrom<String> for Id {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Id, &'static str> {
        text.parse()
    }
}

/// Items of a generation for a worker to play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parcel {
    /// The orders.
    pub orders: Id,
    /// The generation.
    pub generation: u64,
    /// The numbers of the items.
    pub items: Vec<u32>,
}

/// Orders that are sent in pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pieces {
    /// The number of bytes.
    pub bytes: usize,
    /// The number of pieces.
    pub pieces: usize,
}

/// The games by which a worker shows that it plays what the coordinator plays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CanaryGames {
    /// The orders of these games.
    pub orders: Id,
    /// The digest of each game.
    pub digests: Vec<Id>,
}

/// The coordinator's broadcast.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Now {
    /// The number of the coordinator's process.
    pub coordinator: Id,
    /// The oldest generation that games are wanted of.
    pub oldest: u64,
    /// The canary games, once the coordinator has played them.
    pub canary: Option<CanaryGames>,
    /// `true` once the run has ended.
    pub has_ended: bool,
    /// The names of workers that nothing is taken from any more.
    pub banned: Vec<String>,
}

/// A worker's heartbeat.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Hello {
    /// The number of the worker's process.
    pub process: Id,
    /// The number of threads that play.
    pub threads: u32,
    /// The program's version.
    pub program: String,
    /// The fastest instruction set of the processor.
    pub isa: String,
    /// The number of items played since the worker was started.
    pub items: u64,
    /// The share of its threads' time in which they had nothing to play, since the last heartbeat.
    pub idle: f64,
    /// The reason for which the worker does not play, if it does not.
    pub refusal: Option<String>,
}

/// Reads a message of another machine.
///
/// # Errors
/// Returns an error if it is too long, or not the JSON of such a message.
pub fn read<T: DeserializeOwned + Limited>(bytes: &[u8]) -> Result<T, String> {
    if bytes.len() > MAX_BYTES {
        return Err(format!("it has {} bytes: at most {MAX_BYTES} are read", bytes.len()));
    }
    let message: T = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    message.check().map(|()| message).map_err(String::from)
}

/// Returns `true` if these bytes are the broadcast of a training run that has not ended.
pub fn is_run(bytes: &[u8]) -> bool {
    read::<Now>(bytes).is_ok_and(|now| !now.has_ended)
}

/// Writes a message.
pub fn write<T: Serialize>(message: &T) -> Vec<u8> {
    serde_json::to_vec(message).expect("numbers and texts can be written as JSON")
}

/// A message whose contents have limits.
pub trait Limited {
    /// Checks the limits.
    ///
    /// # Errors
    /// Returns what was expected.
    fn check(&self) -> Result<(), &'static str>;
}

impl Limited for Parcel {
    fn check(&self) -> Result<(), &'static str> {
        let is_sound = !self.items.is_empty() && self.items.len() <= MAX_ITEMS;
        if is_sound { Ok(()) } else { Err("expected 1 to 4096 items") }
    }
}

impl Limited for Pieces {
    fn check(&self) -> Result<(), &'static str> {
        let is_sound = (1..=doublecross_selfplay::MAX_ORDERS).contains(&self.bytes)
            && self.pieces == self.bytes.div_ceil(PIECE_BYTES);
        if is_sound { Ok(()) } else { Err("expected as many pieces as the bytes need, and at most 256 MiB") }
    }
}

impl Limited for Now {
    fn check(&self) -> Result<(), &'static str> {
        let is_sound =
            self.canary.as_ref().is_none_or(|canary| canary.digests.len() <= 64) && self.banned.len() <= MAX_BANNED;
        if is_sound { Ok(()) } else { Err("expected at most 64 canary games and 1000 banned workers") }
    }
}

impl Limited for Hello {
    fn check(&self) -> Result<(), &'static str> {
        let texts = [Some(&self.program), Some(&self.isa), self.refusal.as_ref()];
        let is_sound = texts.iter().flatten().all(|text| text.len() <= MAX_TEXT && !text.contains(char::is_control))
            && self.threads <= 4096
            && self.idle.is_finite();
        if is_sound { Ok(()) } else { Err("expected short texts and possible numbers") }
    }
}

/// Shortens a text to what a message may have.
pub fn shown(text: &str) -> String {
    let mut text: String = text.chars().filter(|c| !c.is_control()).collect();
    while text.len() > MAX_TEXT {
        text.pop();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn limits_are_checked() {
        let parcel = Parcel { orders: Id(7), generation: 3, items: vec![1, 2] };
        assert_eq!(read(&write(&parcel)), Ok(parcel.clone()));
        assert!(read::<Parcel>(&write(&Parcel { items: vec![0; MAX_ITEMS + 1], ..parcel.clone() })).is_err());
        assert!(read::<Parcel>(&write(&Parcel { items: Vec::new(), ..parcel })).is_err());
        assert!(read::<Parcel>(&vec![b' '; MAX_BYTES + 1]).unwrap_err().contains("at most"));
        assert!(read::<Parcel>(br#"{"orders":"../../etc/passwd","generation":1,"items":[1]}"#).is_err());
        let hello = Hello { threads: 2, program: "1".into(), ..Hello::default() };
        assert_eq!(read(&write(&hello)), Ok(hello.clone()));
        assert!(read::<Hello>(&write(&Hello { program: "a\u{1b}[2J".into(), ..hello.clone() })).is_err());
        assert!(read::<Hello>(&write(&Hello { refusal: Some("a".repeat(500)), ..hello })).is_err());
        assert!(read::<Pieces>(br#"{"bytes":99999999999,"pieces":190735}"#).is_err());
        assert_eq!(shown(&("\n".to_string() + &"ä".repeat(900))).len(), MAX_TEXT);
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_message_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = (read::<Parcel>(&bytes), read::<Now>(&bytes), read::<Hello>(&bytes), read::<Pieces>(&bytes));
        }

        #[test]
        fn ids_are_read_back(number: u64) {
            prop_assert_eq!(Id(number).to_string().parse(), Ok(Id(number)));
        }
    }
}
