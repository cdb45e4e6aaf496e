//! The page on which people play, analyse and watch games, and watch training, in a browser.
//!
//! The page is a folder of static files, in `site/`. The bots are WebAssembly modules that run in
//! the browser, so that the [`Server`] only serves files, and the same files work on any static
//! host.

mod connection;
mod request;
mod server;
mod site;

pub use server::Server;
pub use site::{FollowedRun, Site};
