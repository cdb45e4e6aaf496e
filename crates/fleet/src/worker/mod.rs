//! A worker: it takes games from the server, plays them and returns them.

pub(crate) mod canary;
mod driver;
pub(crate) mod logic;
pub(crate) mod output;
pub(crate) mod players;
pub(crate) mod worker;
