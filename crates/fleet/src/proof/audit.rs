//! Lemmas that the coordinator proves again.
//!
//! This finds machines that compute wrongly, and careless liars. It does not keep a false value out: a
//! liar hands in true lemmas first, and then a false one that takes more than the budget. So whatever
//! was not proved again counts as assumed when the proof ends.

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use crate::protocol::messages::Id;
use doublecross_arena::random::{Purpose, stream};
use doublecross_core::board::{Board, State};
use doublecross_core::solver::{Bounds, Lemma, Solver};
use doublecross_proof::{Assumption, Claim};
use rand::RngExt;

/// The number of a worker's first lemmas that are all checked, as far as they can be.
const PROBATION: u64 = 32;

/// One in so many of the later ones is checked.
const CHECKED: u64 = 16;

/// The nodes that a check may take, which is some seconds.
const BUDGET: u64 = 8_000_000;

/// The entries of the table of checks.
const ENTRIES: usize = 1 << 21;

/// The nodes that a check of lemmas that contradict each other may take.
const DISPUTE: u64 = 1 << 33;

/// The most lemmas that wait for a check. Others are not checked.
const WAITING: usize = 256;

/// Proves lemmas again, on a thread of its own, with a table that knows nothing else.
pub(super) struct LemmaAuditor {
    checks: Sender<(Id, Check)>,
    verdicts: Receiver<(Id, Verdict)>,
    random: rand_chacha::ChaCha8Rng,
    /// The checks of each worker's lemmas, up to those of its probation.
    probation: HashMap<String, u64>,
    waiting: usize,
    /// The bounds of states whose lemmas were found true.
    proved: HashMap<State, Bounds>,
    /// The states of lemmas that took too long.
    beyond: HashSet<State>,
}

/// A lemma, and the worker that handed it in. The coordinator's own has no name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SourcedLemma {
    pub worker: String,
    pub lemma: Lemma,
}

/// What is to be checked.
enum Check {
    Lemma(SourcedLemma),
    Dispute([SourcedLemma; 2]),
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The lemma is true.
    True(Lemma),
    /// The lemma is false.
    False(SourcedLemma),
    /// It takes too long to find out.
    Open(Lemma),
    /// It takes too long to find out which of them is false, although they contradict each other.
    Undecided([SourcedLemma; 2]),
}

impl LemmaAuditor {
    /// Starts the thread. `seed` should be a number that workers cannot know.
    ///
    /// # Errors
    /// Returns an error if the system has no thread left.
    pub fn start(board: Board, seed: u64) -> io::Result<LemmaAuditor> {
        let (checks, received) = channel::<(Id, Check)>();
        let (sender, verdicts) = channel();
        let check = move || {
            let mut solver = Solver::new(board, ENTRIES);
            for (proof, check) in received {
                if sender.send((proof, check.settle(&mut solver))).is_err() {
                    break;
                }
            }
        };
        thread::Builder::new().name("lemma audits".into()).spawn(check)?;
        let random = stream(seed, 0, 0, Purpose::Claims);
        let (proved, beyond) = (HashMap::new(), HashSet::new());
        Ok(LemmaAuditor { checks, verdicts, random, probation: HashMap::new(), waiting: 0, proved, beyond })
    }

    /// Draws which of a worker's lemmas are checked.
    pub fn hear(&mut self, proof: Id, worker: &str, lemmas: &[Lemma]) {
        for &lemma in lemmas {
            let checked = self.probation.get(worker).copied().unwrap_or_default();
            let is_drawn = checked < PROBATION || self.random.random_range(0..CHECKED) == 0;
            // The nodes that the worker states do not matter: what takes too long stays open.
            if is_drawn && self.waiting < WAITING {
                self.probation.insert(worker.into(), (checked + 1).min(PROBATION));
                self.check(proof, Check::Lemma(SourcedLemma { worker: worker.into(), lemma }));
            }
        }
    }

    /// Finds out which of two lemmas that contradict each other is false.
    pub fn dispute(&mut self, proof: Id, lemmas: [SourcedLemma; 2]) {
        self.check(proof, Check::Dispute(lemmas));
    }

    fn check(&mut self, proof: Id, check: Check) {
        // If the thread has ended, nothing is checked, and the log still can be.
        self.waiting += usize::from(self.checks.send((proof, check)).is_ok());
    }

    /// Returns the next verdict, if there is one, and the proof in which its lemma was handed in.
    pub fn verdict(&mut self) -> Option<(Id, Verdict)> {
        let (proof, verdict) = self.verdicts.try_recv().ok()?;
        self.waiting = self.waiting.saturating_sub(1);
        match &verdict {
            &Verdict::True(Lemma { state, bounds, .. }) => {
                let proved = self.proved.entry(state).or_insert(bounds);
                *proved = proved.intersect(bounds);
            }
            Verdict::Open(lemma) => _ = self.beyond.insert(lemma.state),
            Verdict::False(_) | Verdict::Undecided(_) => {}
        }
        Some((proof, verdict))
    }

    /// Returns `true` if a claim was proved again.
    pub fn is_proved(&self, claim: Claim) -> bool {
        self.proved.get(&claim.state).and_then(|bounds| claim.follows_from(*bounds)) == Some(true)
    }

    /// Returns `true` if a claim was checked in vain, with far more nodes than are stated for it. It
    /// counts as false until it is solved.
    pub fn is_understated(&self, assumption: &Assumption) -> bool {
        self.beyond.contains(&assumption.claim.state) && assumption.is_understated(BUDGET)
    }

    /// Returns `true` if no check is open.
    pub fn is_idle(&self) -> bool {
        self.waiting == 0
    }
}

impl Check {
    fn settle(self, solver: &mut Solver) -> Verdict {
        solver.clear();
        match self {
            Check::Lemma(sourced) => match is_true(solver, &sourced.lemma, BUDGET) {
                Some(true) => Verdict::True(sourced.lemma),
                Some(false) => Verdict::False(sourced),
                None => Verdict::Open(sourced.lemma),
            },
            // If one is true, the other one is false.
            Check::Dispute([one, other]) => match is_true(solver, &one.lemma, DISPUTE) {
                Some(true) => Verdict::False(other),
                Some(false) => Verdict::False(one),
                None => match is_true(solver, &other.lemma, DISPUTE) {
                    Some(true) => Verdict::False(one),
                    Some(false) => Verdict::False(other),
                    None => Verdict::Undecided([one, other]),
                },
            },
        }
    }
}

/// Proves a lemma again.
fn is_true(solver: &mut Solver, lemma: &Lemma, budget: u64) -> Option<bool> {
    let all = Bounds::of_state(lemma.state);
    let claims = [Claim::at_least(lemma.state, lemma.bounds.lower), Claim::at_most(lemma.state, lemma.bounds.upper)];
    for claim in claims.into_iter().filter(|claim| claim.follows_from(all) != Some(true)) {
        if solver.is_at_least(claim.state, claim.target, budget)? != claim.is_reached {
            return Some(false);
        }
    }
    Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn false_lemmas_are_found_and_true_ones_are_not() {
        let state = "3x3:0x3".parse().unwrap();
        let mut solver = Solver::new("3x3".parse().unwrap(), 1 << 16);
        let margin = solver.margin(state, u64::MAX).unwrap();
        for (lower, upper, expected) in
            [(-9, margin, true), (margin, 9, true), (-9, margin - 2, false), (margin + 2, 9, false)]
        {
            let lemma = Lemma { state, bounds: Bounds::new(lower, upper), nodes: 1 };
            assert_eq!(is_true(&mut solver, &lemma, u64::MAX), Some(expected), "{lower} {upper}");
        }
        let mut auditor = LemmaAuditor::start("3x3".parse().unwrap(), 7).unwrap();
        let lemma = Lemma { state, bounds: Bounds::exact(margin), nodes: 1 };
        auditor.hear(Id(1), "a", &[lemma; 5]);
        auditor.hear(Id(1), "b", &[Lemma { bounds: Bounds::exact(margin + 2), ..lemma }]);
        let mut wrong = Vec::new();
        while !auditor.is_idle() {
            if let Some((_, Verdict::False(sourced))) = auditor.verdict() {
                wrong.push(sourced.worker);
            }
        }
        assert_eq!(wrong, ["b"]);
        assert!(
            auditor.is_proved(Claim::at_most(state, margin + 2))
                && !auditor.is_proved(Claim::at_least(state, margin + 2))
        );
        assert!(!auditor.is_proved(Claim::at_least("3x3:0x1".parse().unwrap(), -9)));
    }

    /// Lemmas for which there is no room do not count as checked.
    #[test]
    fn a_new_worker_is_checked_however_much_waits() {
        let state: State = "3x3:0x3".parse().unwrap();
        let mut auditor = LemmaAuditor::start(state.board(), 7).unwrap();
        let lemma = Lemma { state, bounds: Bounds::of_state(state), nodes: 1 };
        auditor.waiting = WAITING;
        auditor.hear(Id(1), "a", &[lemma; 100]);
        auditor.waiting = 0;
        auditor.hear(Id(1), "a", &[lemma; PROBATION as usize]);
        assert_eq!(auditor.waiting, PROBATION as usize);
    }

    /// Of lemmas that contradict each other the false one is named, whichever comes first.
    #[test]
    fn disputes_name_the_false_lemma() {
        let state: State = "3x3:0x3".parse().unwrap();
        let mut solver = Solver::new(state.board(), 1 << 16);
        let margin = solver.margin(state, u64::MAX).unwrap();
        let of =
            |worker: &str, bounds| SourcedLemma { worker: worker.into(), lemma: Lemma { state, bounds, nodes: 0 } };
        let all = Bounds::of_state(state);
        let [honest, liar] =
            [of("honest", Bounds::new(all.lower, margin)), of("liar", Bounds::new(margin + 2, all.upper))];
        for lemmas in [[honest.clone(), liar.clone()], [liar.clone(), honest]] {
            assert_eq!(Check::Dispute(lemmas).settle(&mut solver), Verdict::False(liar.clone()));
        }
    }

    /// What takes too long is neither proved nor believed, and stated work far below it is noticed.
    #[test]
    fn lemmas_beyond_the_budget_are_not_proved() {
        let state: State = "4x4".parse().unwrap();
        let mut auditor = LemmaAuditor::start(state.board(), 7).unwrap();
        let lemma = |nodes| Lemma { state, bounds: Bounds::exact(2), nodes };
        auditor.hear(Id(1), "a", &[lemma(1)]);
        while !auditor.is_idle() {
            assert!(auditor.verdict().is_none_or(|(_, verdict)| matches!(verdict, Verdict::Open(_))));
        }
        let claim = Claim::at_least(state, 2);
        assert!(!auditor.is_proved(claim));
        for (stated, is_understated) in [
            (Some(1), true),
            (Some(BUDGET / 1000), true),
            (Some(BUDGET / 1000 + 1), false),
            (Some(0), false),
            (None, false),
        ] {
            assert_eq!(auditor.is_understated(&Assumption { claim, stated }), is_understated, "{stated:?}");
        }
    }
}
