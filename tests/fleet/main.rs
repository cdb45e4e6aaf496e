//! Runs and proofs on many machines, by a real server.
#![cfg(unix)]

#[path = "../common/mod.rs"]
mod common;

mod bytes;
mod crowd;
mod examples;
mod faults;
mod flood;
mod liars;
mod proof;
mod runs;
mod saboteur;
mod security;
mod server;
