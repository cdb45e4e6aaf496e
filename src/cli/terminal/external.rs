//! Bots in processes of their own, as commands start them.

use std::path::Path;
use std::time::Duration;

use clap::Args;
use clap::builder::RangedU64ValueParser;

use crate::cli::Failure;
use crate::cli::terminal::stderr::print_line;
use crate::cli::terminal::values::parse_duration;
use doublecross_arena::{BotSpec, ExternalLimits, Launch, PairResult};
use doublecross_core::shell::shell_word;

/// The options of bots that are programs.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of exec: bots")]
pub(crate) struct ExternalOptions {
    /// Time for each action, in milliseconds, or in seconds, as in 10s.
    #[arg(long, value_name = "MS", default_value = "10s", value_parser = parse_timeout)]
    timeout: Duration,
    /// Address space for each process, in MiB; 0 for no limit, which runtimes need that reserve far
    /// more than they use.
    #[arg(long, value_name = "MIB", default_value_t = ExternalLimits::default().memory, value_parser = RangedU64ValueParser::<u64>::new().range(..=1 << 30))]
    memory: u64,
    /// Let the programs do whatever this user can.
    #[arg(long)]
    no_sandbox: bool,
}

impl ExternalOptions {
    /// The limits of each bot.
    pub fn limits(&self) -> ExternalLimits {
        ExternalLimits { seconds: self.timeout.as_secs_f64(), memory: self.memory }
    }

    /// Returns the way in which bots are started, as [`launch`] does.
    pub fn launch<'a>(&self, bots: impl Iterator<Item = &'a BotSpec>, log: Option<&Path>) -> Result<Launch, Failure> {
        launch(bots, !self.no_sandbox, log)
    }
}

/// Parses the time for an action, which is at least a millisecond and less than a day.
fn parse_timeout(text: &str) -> Result<Duration, String> {
    let (digits, unit) = match (text.strip_suffix("ms"), text.strip_suffix('s')) {
        (Some(digits), _) => (digits, 0.001),
        (None, Some(digits)) => (digits, 1.0),
        (None, None) => (text, 0.001),
    };
    let possible = Duration::from_millis(1)..Duration::from_secs(86400);
    parse_duration(digits, "milliseconds", unit)
        .ok()
        .filter(|duration| possible.contains(duration))
        .ok_or_else(|| "it must be a time from 1 ms to a day (as in 500, which is in milliseconds, or 10s)".into())
}

/// Returns the way in which a command starts those of its bots that are programs. Prints on stderr
/// which protections this system lacks, unless none is wanted. Bots cannot change the log.
pub(crate) fn launch<'a>(
    mut bots: impl Iterator<Item = &'a BotSpec>,
    is_sandboxed: bool,
    log: Option<&Path>,
) -> Result<Launch, Failure> {
    let mut launch = Launch::supervised();
    if !is_sandboxed {
        launch = launch.without_sandbox();
    } else if let Some(log) = log.and_then(|log| log.canonicalize().ok()).filter(|log| log.is_file()) {
        launch = launch.with_read_only(log);
    }
    if bots.any(BotSpec::is_external) {
        let unprotected = launch
            .unprotected()
            .map_err(|error| Failure::running(anyhow::anyhow!("cannot start programs as bots: {error}")))?;
        if !unprotected.is_empty() {
            print_line(format_args!("this system does not confine exec: bots fully: {}", unprotected.join("; ")));
        }
    }
    Ok(launch)
}

/// Formats the first failure of a bot: the cause, and below it what the bot printed on stderr.
pub(crate) fn trouble_text(bot: &str, trouble: &str) -> String {
    let bot = shell_word(bot);
    match trouble.split_once('\n') {
        None => format!("bot {bot} failed: {trouble}"),
        Some((cause, stderr)) => {
            format!("bot {bot} failed: {cause}\nits last lines on stderr:\n    {}", stderr.replace('\n', "\n    "))
        }
    }
}

/// Returns a failure if a bot acted on none of its own turns.
pub(crate) fn check_faults<'a>(results: impl IntoIterator<Item = &'a PairResult>) -> Result<(), Failure> {
    let failed = results.into_iter().find_map(|result| match (result.failed_a, result.failed_b) {
        (true, _) => Some(&result.a),
        (_, true) => Some(&result.b),
        _ => None,
    });
    match failed {
        Some(bot) => Err(Failure::Faults(anyhow::anyhow!(
            "bot {} never made a move of its own (pass --allow-faults to ignore that)",
            shell_word(bot)
        ))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_for_an_action_has_a_unit() {
        let seconds = |text| parse_timeout(text).map(|time| time.as_secs_f64()).ok();
        assert_eq!(["500", "500ms", "2s", "0.5s"].map(seconds), [Some(0.5), Some(0.5), Some(2.0), Some(0.5)]);
        assert_eq!(["0", "1d", "", "-3", "86400s"].map(seconds), [None; 5]);
    }
}
