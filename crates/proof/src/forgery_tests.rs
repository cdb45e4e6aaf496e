//! Forged logs of small boards, and what a check makes of them.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};

use proptest::prelude::*;
use rand::RngExt;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use doublecross_core::board::{Board, State};
use doublecross_core::solver::{Bounds, Lemma};

use super::tests::margin_by_the_rules;
use super::*;

/// Somebody who knows the truth and writes lemmas from which something false follows.
struct Forger<'a> {
    truth: &'a mut HashMap<State, i32>,
    random: ChaCha8Rng,
    lemmas: LemmaSet,
    /// `true` once two lemmas contradict each other.
    is_caught: bool,
}

impl Forger<'_> {
    fn is_true(&mut self, claim: Claim) -> bool {
        let margin = margin_by_the_rules(claim.state, self.truth);
        (margin >= claim.target) == claim.is_reached
    }

    fn write(&mut self, claim: Claim, nodes: u64) {
        let mut bounds = Bounds::of_state(claim.state);
        bounds.answer(claim.target, claim.is_reached);
        let origin = Origin { log: "forged".into(), line: 1 };
        self.is_caught |= self.lemmas.add(&Lemma { state: claim.state, bounds, nodes }, &origin).is_err();
    }

    /// Writes a lemma for a claim about a capture-free state, and makes it follow from claims about
    /// later positions. False claims follow from false ones.
    fn tell(&mut self, claim: Claim, depth: usize) {
        if claim.follows_from(Bounds::of_state(claim.state)) == Some(true) {
            return;
        }
        let nodes = if depth == 0 { [0, 0, 1, 1 << 40][self.random.random_range(0..4)] } else { 1 << 20 };
        self.write(claim, nodes);
        if depth == 0 {
            return;
        }
        let moves = claim.state.equivalent_edges().into_iter().filter_map(|edges| edges.lowest());
        let after = |edge| needed(claim.state.after(edge), 1 - claim.target, !claim.is_reached);
        let mut moves: Vec<Vec<Claim>> = moves.map(after).collect();
        let can_be = |claim: &Claim| claim.follows_from(Bounds::of_state(claim.state)) != Some(false);
        moves.retain(|claims| claims.iter().all(can_be));
        if claim.is_reached {
            // One move is enough. All are lies if this claim is.
            let is_lie = !self.is_true(claim);
            moves.retain(|claims| is_lie || claims.iter().all(|&claim| self.is_true(claim)));
            if !moves.is_empty() {
                let claims = moves.swap_remove(self.random.random_range(0..moves.len()));
                claims.into_iter().for_each(|claim| self.tell(claim, depth - 1));
            }
        } else {
            // Some moves are left to be assumed.
            for claims in moves {
                if self.random.random_bool(0.7) {
                    claims.into_iter().for_each(|claim| self.tell(claim, depth - 1));
                }
            }
        }
    }
}

/// Returns claims about the rest of a state from which a claim about the state follows.
fn needed(state: State, target: i32, is_reached: bool) -> Vec<Claim> {
    let offer = state.offer();
    let rest = |target, is_reached| Claim { state: offer.rest.canonical().0, target, is_reached };
    let all = rest(target - offer.taken, is_reached);
    match offer.price {
        Some(price) if !is_reached => vec![all, rest(offer.taken - price - target + 1, true)],
        _ => vec![all],
    }
}

/// A forged log from which a false margin of the empty board follows, with what it assumes.
struct Forgery {
    frontier: Vec<Assumption>,
    /// The false claims of the frontier.
    wrong: Vec<Claim>,
}

fn forgery((rows, cols): (usize, usize), seed: u64, depth: usize) -> Option<Forgery> {
    static TRUTH: Mutex<BTreeMap<(usize, usize), HashMap<State, i32>>> = Mutex::new(BTreeMap::new());
    let board = Board::new(rows, cols).unwrap();
    let root = State::new(board);
    let mut known = TRUTH.lock().unwrap_or_else(PoisonError::into_inner);
    let truth = known.entry((rows, cols)).or_default();
    let margin = margin_by_the_rules(root, truth);
    let random = ChaCha8Rng::seed_from_u64(seed);
    let mut forger = Forger { truth, random, lemmas: LemmaSet::new(board), is_caught: false };
    let wrong = if forger.random.random_bool(0.5) { margin + 2 } else { margin - 2 };
    forger.tell(Claim::at_least(root, wrong), depth);
    forger.tell(Claim::at_most(root, wrong), depth);
    if forger.is_caught {
        return None;
    }
    let (bounds, Derivation { frontier, .. }) = Checker::new(&forger.lemmas, 0).bounds(root);
    assert_eq!(bounds.margin(), Some(wrong));
    let claims: Vec<Claim> = frontier.iter().map(|assumption| assumption.claim).collect();
    let wrong = claims.into_iter().filter(|&claim| !forger.is_true(claim)).collect();
    Some(Forgery { frontier, wrong })
}

/// Solves draws of a forged frontier with many seeds, and compares how often nothing false is found
/// or named with the chance that is told.
fn compare(forgery: &Forgery, count: usize, budget: u64) {
    const DRAWS: u64 = 3000;
    let Forgery { frontier, wrong } = forgery;
    let mut outcomes: HashMap<Claim, Outcome> = HashMap::new();
    let mut solve = |claim| {
        *outcomes.entry(claim).or_insert_with(|| match PlainSolver::new().is_true(claim, budget) {
            Some(true) => Outcome::True,
            Some(false) => Outcome::False,
            None => Outcome::Beyond,
        })
    };
    let (mut fooled, mut told) = (0, None);
    for seed in 0..DRAWS {
        let drawn = draw(frontier, count, &mut ChaCha8Rng::seed_from_u64(seed));
        assert_eq!(drawn.len(), count.min(frontier.len()));
        let drawn = drawn.into_iter().map(|assumption| (assumption, solve(assumption.claim))).collect();
        let sample = Sample::new(frontier, drawn, budget);
        assert!(!sample.is_proof() && (sample.assumed() > 0 || !sample.with(Outcome::False).is_empty()));
        let is_named = |assumption: &Assumption| wrong.contains(&assumption.claim);
        let is_fooled = sample.with(Outcome::False).is_empty() && !sample.with(Outcome::Beyond).iter().any(is_named);
        fooled += u64::from(is_fooled);
        // A chance is told unless something false is found.
        assert!(!is_fooled || sample.miss_chance().is_some());
        told = told.or(sample.miss_chance());
    }
    let rate = fooled as f64 / DRAWS as f64;
    // Where no chance is told, nobody is fooled.
    let chance = told.unwrap_or(0.0);
    let error = 5.0 * (chance * (1.0 - chance) / DRAWS as f64).sqrt();
    let (false_ones, all) = (wrong.len(), frontier.len());
    assert!(rate <= chance + error, "{count} of {all}, {false_ones} false, {budget}: {rate} > {chance}");
    // The chance is that of the best forger, and not just some larger number.
    let is_best = false_ones == 1 && told.is_some();
    assert!(!is_best || rate >= chance - error, "{count} of {all}, {budget}: {rate} < {chance}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// A false value needs a false claim, whatever lemmas say. Whoever draws claims misses it no more
    /// often than he is told, however hard the claims are, and never takes the value as proved.
    #[test]
    fn forgers_fool_nobody_more_often_than_told(
        size in prop::sample::select(vec![(2, 2), (2, 2), (1, 5), (2, 3)]),
        seed: u64,
        depth in 0_usize..5,
        share in 0.0..1.0,
        budget in prop::sample::select(vec![0, 2, 10, u64::MAX]),
    ) {
        let Some(forgery) = forgery(size, seed, depth) else { return Ok(()) };
        prop_assert!(!forgery.wrong.is_empty(), "a false value follows from true claims");
        let count = (share * (forgery.frontier.len() + 1) as f64) as usize;
        compare(&forgery, count, budget);
    }
}

/// The best forger's single false claim among many true ones.
#[test]
fn a_single_false_claim_is_missed_as_often_as_told() {
    let single = |seed| {
        let forgery = forgery((2, 2), seed, 3)?;
        (forgery.wrong.len() == 1 && forgery.frontier.len() >= 18).then_some(forgery)
    };
    let forgery = (0..2000).find_map(single).expect("some log should have a single false claim");
    for budget in [0, 3, u64::MAX] {
        for count in [0, 1, 7, 15, forgery.frontier.len() - 1, forgery.frontier.len()] {
            compare(&forgery, count, budget);
        }
    }
}
