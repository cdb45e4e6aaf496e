//! The page: play against a network, look into positions, watch games and training, in a browser.
//!
//! It is a folder of plain files, in which the bots are WebAssembly modules that run beside the page: the server only
//! hands the files out, and the same files work on any static host.

mod server;
mod site;

pub use server::{Server, ServerError};
pub use site::{File, Site, SiteError};
