//! A worker: it takes games from the server, plays them and returns them.

pub(crate) mod canary;
pub(crate) mod players;
pub(crate) mod worker;
