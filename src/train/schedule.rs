//! The learning rate over a run.

use super::config::LearnConfig;

/// Returns the learning rate of a step when a share of the run is done.
///
/// It rises from 0 over the warm-up steps and falls along a half cosine over the run.
pub(super) fn learning_rate(config: &LearnConfig, step: u64, share_done: f64) -> f64 {
    let warmup = ((step + 1) as f64 / config.warmup_steps.max(1) as f64).min(1.0);
    let cosine = 0.5 * (1.0 + (std::f64::consts::PI * share_done.clamp(0.0, 1.0)).cos());
    warmup * (config.final_learning_rate + (config.learning_rate - config.final_learning_rate) * cosine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_learning_rate_rises_and_then_falls() {
        let config = LearnConfig { warmup_steps: 10, ..LearnConfig::default() };
        assert!((learning_rate(&config, 0, 0.0) - 1e-4).abs() < 1e-12);
        assert_eq!(learning_rate(&config, 9, 0.0), config.learning_rate);
        assert!((learning_rate(&config, 500, 1.0) - config.final_learning_rate).abs() < 1e-12);
    }
}
