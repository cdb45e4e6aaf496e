//! Bots by name: what a name such as `net,sims=50` means, and the bots that are made from it.

mod factory;
mod help;
mod options;
mod spec;

pub use factory::BotFactory;
pub use help::bot_help;
pub(crate) use help::meant_bot;
pub use spec::BotSpec;
