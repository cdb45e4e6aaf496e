//! The results of tuning as a table and as JSON.

use serde_json::{Value, json};

use crate::cli::training::tune::BASE;
use doublecross_arena::statistics::{Verdict, wilson_interval};
use doublecross_train::{Comparison, Trial, Variant};

/// A variant's trials, and its games against the first variant.
pub(crate) struct VariantResult<'a> {
    pub variant: &'a Variant,
    pub trials: Vec<Trial>,
    pub games: Option<Comparison>,
}

/// A share with its 95 % interval.
#[derive(Clone, Copy)]
struct Share {
    share: f64,
    low: f64,
    high: f64,
}

impl Share {
    /// The mean share over trials that were scored on the same positions, with the interval of one of
    /// them. Between trials, whose positions are the same, chance plays a part that is not in it.
    fn mean(trials: &[Trial], share: fn(&Trial) -> Option<f64>) -> Option<Share> {
        let shares: Vec<f64> = trials.iter().filter_map(share).collect();
        let positions = trials.iter().find_map(|trial| Some(trial.score.as_ref().ok()?.positions))?;
        let mean = shares.iter().sum::<f64>() / shares.len() as f64;
        let (low, high) = wilson_interval((mean * positions as f64).round() as usize, positions);
        Some(Share { share: mean, low, high })
    }

    fn text(self) -> String {
        format!("{:5.1} % ({:.1}-{:.1})", 100.0 * self.share, 100.0 * self.low, 100.0 * self.high)
    }

    fn object(self) -> Value {
        json!({ "share": self.share, "low": self.low, "high": self.high })
    }
}

/// The share of positions in which the policy's edge is optimal.
fn policy(trial: &Trial) -> Option<f64> {
    Some(trial.score.as_ref().ok()?.policy_optimal.share)
}

/// The share of positions in which the searched edge is optimal.
fn search(trial: &Trial) -> Option<f64> {
    Some(trial.score.as_ref().ok()?.search_optimal.share)
}

/// A trial in words.
pub(crate) fn line(trial: &Trial) -> String {
    let Trial { generations, minutes, .. } = trial;
    match &trial.score {
        Ok(score) => {
            let (policy, search) = (100.0 * score.policy_optimal.share, 100.0 * score.search_optimal.share);
            format!("{generations} generations, {minutes:.1} minutes, policy {policy:.1} %, search {search:.1} %")
        }
        Err(reason) => reason.clone(),
    }
}

/// Returns a row for each trial and each variant, then the games.
pub(crate) fn table(results: &[VariantResult<'_>]) -> String {
    let width = results.iter().map(|result| result.variant.name.len()).max().unwrap_or(0).max("variant".len());
    let shares = |trials: &[Trial]| match (Share::mean(trials, policy), Share::mean(trials, search)) {
        (Some(policy), Some(search)) => format!("{:<20}  {}", policy.text(), search.text()),
        _ => "learning diverged".into(),
    };
    let mut text = format!(
        "{:<width$}  seed  generations  minutes  {:^20}  {:^20}\n",
        "variant", "policy optimal", "search optimal"
    );
    for VariantResult { variant, trials, .. } in results {
        for trial in trials {
            let Trial { seed, generations, minutes, .. } = trial;
            let shares = shares(std::slice::from_ref(trial));
            text += &format!("{:<width$}  {seed:>4}  {generations:>11}  {minutes:>7.1}  {shares}\n", variant.name);
        }
        if trials.len() > 1 {
            text += &format!("{:<width$}  mean  {:>20}  {}\n", variant.name, "", shares(trials));
        }
    }
    for VariantResult { variant, games, .. } in results {
        games.iter().for_each(|games| text += &format!("{}\n", describe(&variant.name, games)));
    }
    text
}

/// A comparison in words.
fn describe(name: &str, games: &Comparison) -> String {
    let [won, lost, tied] = games.results;
    format!(
        "{name} - {BASE}: {} games, {won} won, {lost} lost, {tied} tied, {}: {}",
        games.games,
        games.elo.text(),
        verdict(games)
    )
}

fn verdict(games: &Comparison) -> &'static str {
    match games.verdict {
        Some(Verdict::Better) => "better",
        Some(Verdict::NotBetter) => "not better",
        None => "undecided",
    }
}

/// A variant's results as JSON.
pub(crate) fn object(result: &VariantResult<'_>) -> Value {
    let trials = result.trials.iter().map(|trial| {
        json!({
            "seed": trial.seed,
            "run": trial.folder.display().to_string(),
            "generations": trial.generations,
            "minutes": trial.minutes,
            "score": trial.score.as_ref().ok(),
            "error": trial.score.as_ref().err(),
        })
    });
    let games = result.games.as_ref().map(|games| {
        let [won, lost, tied] = games.results;
        json!({
            "games": games.games, "won": won, "lost": lost, "tied": tied,
            "elo": games.elo.elo, "elo_low": games.elo.low, "elo_high": games.elo.high,
            "verdict": verdict(games),
        })
    });
    json!({
        "name": result.variant.name,
        "policy_optimal": Share::mean(&result.trials, policy).map(Share::object),
        "search_optimal": Share::mean(&result.trials, search).map(Share::object),
        "trials": trials.collect::<Vec<_>>(),
        "against_base": games,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use doublecross_arena::suite::{Band, Interval};

    fn trial(score: Result<f64, &str>) -> Trial {
        let share = |share| Interval { share, low: 0.0, high: 1.0 };
        let band = |of: f64| Band {
            suite: "suite".into(),
            undrawn: 0,
            positions: 200,
            policy_optimal: share(of / 2.0),
            search_optimal: share(of),
            margin_error: 0.5,
            sign_agreement: share(0.9),
        };
        let score = score.map(band).map_err(String::from);
        Trial { seed: 1, folder: "run".into(), generations: 7, minutes: 1.25, score }
    }

    #[test]
    fn the_mean_has_the_interval_of_one_suite() {
        let trials = [trial(Ok(0.9)), trial(Err("learning diverged in generation 3")), trial(Ok(0.8))];
        let mean = Share::mean(&trials, search).unwrap();
        let (low, high) = wilson_interval(170, 200);
        assert!((mean.share - 0.85).abs() < 1e-12 && (mean.low, mean.high) == (low, high));
        assert_eq!(Share::mean(&trials, policy).unwrap().text(), " 42.5 % (35.9-49.4)");
        assert!(Share::mean(&trials[1..2], search).is_none());
        assert_eq!(line(&trials[1]), "learning diverged in generation 3");
        assert_eq!(line(&trials[0]), "7 generations, 1.2 minutes, policy 45.0 %, search 90.0 %");
    }
}
