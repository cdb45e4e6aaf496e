//! The terminal: output, messages, progress, signals and exit statuses of all commands.

pub(crate) mod browser;
pub(crate) mod count;
pub(crate) mod external;
pub(crate) mod failure;
pub(crate) mod force;
pub(crate) mod interrupt;
pub(crate) mod monitor;
pub(crate) mod output;
pub(crate) mod progress;
pub(crate) mod stderr;
pub(crate) mod stdin;
pub(crate) mod text_output;
pub(crate) mod threads;
pub(crate) mod usage;
pub(crate) mod values;
pub(crate) mod version;
