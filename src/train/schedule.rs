//! The learning rate over a run.

use super::config::{Config, LearnConfig};

/// Returns the share of the learning rate's course that is done when a generation begins.
pub(super) fn share_done(config: &Config, generation: u64) -> f64 {
    let generations = match config.learn.schedule_generations {
        0 => config.generations,
        generations => generations,
    };
    (generation - 1) as f64 / (generations.max(2) - 1) as f64
}

/// Returns the learning rate of a step when a share of its course is done.
///
/// It rises from 0 over the warm-up steps, falls along a half cosine, and stays at its end.
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
        assert_eq!(learning_rate(&config, 500, 1.7), learning_rate(&config, 500, 1.0));
    }

    #[test]
    fn the_course_is_that_of_the_run_or_of_so_many_generations() {
        let mut config = Config { generations: 11, ..Config::default() };
        assert_eq!([1, 6, 11].map(|generation| share_done(&config, generation)), [0.0, 0.5, 1.0]);
        (config.generations, config.learn.schedule_generations) = (40, 11);
        assert_eq!([1, 6, 11, 21].map(|generation| share_done(&config, generation)), [0.0, 0.5, 1.0, 2.0]);
        (config.generations, config.learn.schedule_generations) = (1, 0);
        assert_eq!(share_done(&config, 1), 0.0);
    }
}
