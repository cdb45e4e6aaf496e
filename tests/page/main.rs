//! The page, the documents as a web site, and the package for JavaScript.

#[path = "../common/mod.rs"]
mod common;

mod javascript;
mod page;
mod serve;
#[cfg(unix)]
mod site;
