//! The built program, end to end.

#[path = "../common/mod.rs"]
mod common;

mod book;
mod command_line;
mod configs;
mod damage;
#[cfg(unix)]
mod ends;
mod exit_codes;
mod export;
#[cfg(target_os = "linux")]
mod external;
mod foreign;
mod isa;
mod labels;
mod large_boards;
#[cfg(unix)]
mod messages;
mod mixture;
mod onnx;
#[cfg(unix)]
mod paths;
mod phases;
#[cfg(unix)]
mod power;
mod precision;
mod prove;
mod puzzles;
#[cfg(unix)]
mod resume;
mod scoring;
mod signature;
mod solve;
mod suites;
mod tune;
mod verify;
