//! Bots without a process, a clock or a file of their own: rules of thumb, and players that search.
//!
//! [`RuleBot`] follows a rule of thumb. [`SearchPlayer`] is the one builder of searching bots: the arena, submissions and the
//! page all play through it.

mod knowledge;
mod rule;
mod searcher;

pub use knowledge::Knowledge;
pub use rule::RuleBot;
pub use searcher::{AnyPlayer, SearchPlayer};
