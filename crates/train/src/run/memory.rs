//! The memory that a run needs, checked before anything is written.

use doublecross_core::board::Board;
use doublecross_core::search::Cached;
use doublecross_core::solver::Solver;
use doublecross_run::Processor;
use doublecross_run::config::{Config, GenerationConfig};
use doublecross_selfplay::Sample;

use crate::run::error::RunError;

/// The memory that a key of the config asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Need {
    key: &'static str,
    bytes: u128,
    /// The things that it is for.
    purpose: String,
}

/// Checks that there is memory for the sizes in a config, all together, by allocating and freeing it.
/// Allocation failure later on would end the process.
///
/// # Errors
/// Returns an error that names the key which asks for most.
pub(crate) fn check_memory(config: &Config) -> Result<(), RunError> {
    let phases: Vec<GenerationConfig> = config.first_generations().map(|first| config.at(first)).collect();
    let largest = |needs: [Need; 4], others: [Need; 4]| {
        let mut others = others.into_iter();
        needs.map(|need| others.next().filter(|other| other.bytes > need.bytes).unwrap_or(need))
    };
    let needs = phases.iter().map(|phase| needs(config, phase)).reduce(largest);
    let needs = needs.as_ref().map_or(&[][..], |needs| needs);
    let bytes = needs.iter().map(|need| need.bytes).sum::<u128>();
    let reserved = Vec::<u8>::new().try_reserve_exact(usize::try_from(bytes).unwrap_or(usize::MAX));
    let Some((most, error)) = needs.iter().max_by_key(|need| need.bytes).zip(reserved.err()) else { return Ok(()) };
    let Need { key, bytes, purpose } = most.clone();
    Err(RunError::Memory { key, bytes, purpose, error })
}

/// Returns the least memory that the sizes of a generation need.
fn needs(config: &Config, phase: &GenerationConfig) -> [Need; 4] {
    let workers = config.resources.players();
    let boards = config.boards();
    let most = |bytes: &dyn Fn(Board) -> usize| boards.iter().map(|&board| bytes(board)).max().unwrap_or(0) as u128;
    let GenerationConfig { selfplay, labeled, learn, .. } = phase;
    let weights = most(&|board| {
        let architecture = phase.architecture();
        architecture.tensors(board).iter().chain(&architecture.edge_head(board)).map(|tensor| 4 * tensor.len()).sum()
    });
    let parts = match config.resources.learn_device {
        Processor::Cpu => learn.batch.div_ceil(learn.part) as u128,
        Processor::Gpu => 1,
    };
    let items = config.generations as u128 * (selfplay.games + labeled.positions) as u128;
    let samples = items.min(learn.window_samples as u128);
    let need = |key, bytes, purpose| Need { key, bytes, purpose };
    [
        need(
            "selfplay.table",
            (workers as u128) * Solver::table_bytes(selfplay.table) as u128,
            format!("the tables of {workers} workers"),
        ),
        need(
            "selfplay.cache",
            (workers as u128) * most(&|board| Cached::<()>::bytes(board, selfplay.cache)),
            format!("the caches of {workers} workers"),
        ),
        // The gradients of all parts are added up in the order of the parts.
        need("learn.batch", parts * weights, format!("the gradients of {parts} parts of a batch")),
        need("learn.window_samples", samples * size_of::<Sample>() as u128, format!("{samples} samples")),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the key that asks for more memory than any machine has.
    fn refused(set: impl FnOnce(&mut Config)) -> Option<&'static str> {
        let mut config = Config { board: "3x3".parse().unwrap(), ..Config::default() };
        config.resources.threads = Some(1024);
        set(&mut config);
        match check_memory(&config) {
            Err(RunError::Memory { key, bytes, .. }) => {
                assert!(bytes > 1 << 40, "{bytes}");
                Some(key)
            }
            checked => checked.map(|()| None).unwrap(),
        }
    }

    #[test]
    fn every_size_of_a_config_is_checked() {
        assert_eq!(refused(|_| {}), None);
        assert_eq!(refused(|config| config.selfplay.table = 1 << 30), Some("selfplay.table"));
        assert_eq!(refused(|config| config.selfplay.cache = 1 << 24), Some("selfplay.cache"));
        let large = |config: &mut Config| {
            (config.network.channels, config.network.blocks, config.learn.batch) = (512, 64, 65_536);
        };
        assert_eq!(refused(large), Some("learn.batch"));
        let long = |config: &mut Config| {
            (config.generations, config.selfplay.games) = (1_000_000, 1_000_000);
            config.learn.window_samples = 1_000_000_000;
        };
        assert!(needs(&Config::default(), &Config::default().at(1)).iter().all(|need| need.bytes < 1 << 32));
        let mut config = Config::default();
        long(&mut config);
        assert!(needs(&config, &config.at(1))[3].bytes > 1 << 35);
        // A phase that has not begun yet asks for memory too.
        let phase = "[[phase]]\nfrom = 3\nselfplay.table = 1073741824\n";
        let config = Config::parse(phase, "a phase", &["resources.threads=1024".into()]).unwrap();
        assert!(matches!(check_memory(&config), Err(RunError::Memory { key: "selfplay.table", .. })));
    }
}
