//! The threads on which commands play games and evaluate positions.

use std::time::Duration;

use clap::builder::RangedI64ValueParser;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::cli::Failure;
use crate::cli::terminal::stderr::print_line;

/// Runs a command on this number of rayon's threads, by default as many as the environment says or
/// the machine has cores, or on fewer if the system does not have that many.
pub(crate) fn on_threads(
    threads: Option<u16>,
    run: impl FnOnce() -> Result<(), Failure> + Send,
) -> Result<(), Failure> {
    let build = |threads| ThreadPoolBuilder::new().num_threads(threads).build();
    if let Some(threads) = threads.map(usize::from) {
        return pool(|fewer| build(if fewer == 0 { threads } else { fewer }), threads)?.install(run);
    }
    let wished =
        std::env::var("RAYON_NUM_THREADS").ok().and_then(|number| number.parse().ok()).filter(|&number| number > 0);
    let most = wished.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |cores| cores.get()));
    pool(build, most)?.install(run)
}

/// A parser of the number of threads.
pub(crate) fn threads() -> RangedI64ValueParser<u16> {
    clap::value_parser!(u16).range(1..=1024)
}

/// Returns the pool that `build` makes of the default number of threads, given as 0, which is
/// `most`, or of fewer.
fn pool<E: std::error::Error>(
    build: impl Fn(usize) -> Result<ThreadPool, E>,
    most: usize,
) -> Result<ThreadPool, Failure> {
    let (mut threads, mut built) = (most, build(0));
    loop {
        match built {
            Ok(pool) => return Ok(pool),
            Err(error) if threads <= 1 => {
                return Err(Failure::running(anyhow::anyhow!("cannot start a thread: {error}")));
            }
            Err(error) => {
                threads /= 2;
                print_line(format_args!("cannot start all threads: {error} (trying {threads})"));
            }
        }
        // The threads that could be started are ending.
        std::thread::sleep(Duration::from_millis(50));
        built = build(threads);
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn fewer_threads_are_used_where_all_cannot_be_started() {
        let at_most = |limit: usize| {
            move |threads: usize| {
                let is_too_many = threads == 0 || threads > limit;
                let pool = ThreadPoolBuilder::new().num_threads(threads.min(2)).build();
                if is_too_many {
                    Err(io::Error::from(io::ErrorKind::WouldBlock))
                } else {
                    pool.map_err(io::Error::other)
                }
            }
        };
        let found = pool(at_most(2), 16).unwrap_or_else(|failure| panic!("{}", failure.message()));
        assert_eq!(found.current_num_threads(), 2);
        let Err(failure) = pool(at_most(0), 16) else { panic!("no thread could be started") };
        assert!(failure.message().contains("cannot start a thread"), "{}", failure.message());
    }
}
