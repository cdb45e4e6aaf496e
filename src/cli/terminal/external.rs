//! Bots in processes of their own, as commands start them.

use std::path::Path;

use crate::cli::Failure;
use crate::cli::terminal::stderr::print_line;
use doublecross_arena::{BotSpec, Launch, PairResult};

/// Returns the way in which a command starts those of its bots that are programs. Says on stderr
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
            print_line(format_args!("exec: this system does not confine bots fully: {}", unprotected.join("; ")));
        }
    }
    Ok(launch)
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
            "{bot} acted on none of its own turns; with --allow-faults this is no error"
        ))),
        None => Ok(()),
    }
}
