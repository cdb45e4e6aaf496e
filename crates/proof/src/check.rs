//! The check of a log: what follows from what.

use std::collections::HashSet;

use doublecross_core::board::State;
use doublecross_core::solver::{Bounds, Lemma, MoveQuestion};

use super::{Assumption, Claim, LemmaSet};

/// A check of the claims that lead from a root to a frontier.
///
/// A claim about a position follows from claims about the positions after its moves, by the rules
/// and by the two choices in a position with boxes on offer (docs/strategy.md, section 8). A claim
/// of a lemma is derived from others in this way. Claims that neither a lemma nor the number of
/// open boxes settles are the frontier: they are assumed, and can be solved one by one
/// ([`Sample`](super::Sample)). If they are all true, so is what follows.
///
/// The check uses no graph, key or table of the solver that wrote the log.
pub struct Checker<'a> {
    lemmas: &'a LemmaSet,
    /// The number of nodes up to which a lemma is not derived, but belongs to the frontier.
    leaf_nodes: u64,
}

/// The claims between a root and a frontier.
#[derive(Debug, Default)]
pub struct Derivation {
    /// The number of claims that were derived from others.
    pub derived: usize,
    /// The claims that were assumed.
    pub frontier: Vec<Assumption>,
    /// Those of them that other lemmas refute, so that one of the lemmas is false.
    pub refuted: Vec<Claim>,
}

impl Derivation {
    /// Adds another derivation, with which this one may share claims of the frontier.
    pub fn add(&mut self, other: Derivation) {
        self.derived += other.derived;
        self.refuted.extend(other.refuted);
        let mut seen: HashSet<Claim> = self.frontier.iter().map(|assumption| assumption.claim).collect();
        self.frontier.extend(other.frontier.into_iter().filter(|assumption| seen.insert(assumption.claim)));
    }
}

/// The answer of a log to a claim.
#[derive(Debug)]
pub enum Verdict {
    /// The claim follows from the frontier.
    Follows(Derivation),
    /// The opposite follows from a lemma.
    Refuted(Lemma),
    /// A lemma that the claim needs is missing: the log is not complete.
    Missing,
}

impl Checker<'_> {
    /// Creates a checker. Lemmas whose proof took no more than `leaf_nodes` nodes belong to the
    /// frontier, unless they are what is to be derived.
    pub fn new(lemmas: &LemmaSet, leaf_nodes: u64) -> Checker<'_> {
        Checker { lemmas, leaf_nodes }
    }

    /// Derives a claim from the frontier.
    pub fn derive(&self, root: Claim) -> Verdict {
        if let Some(false) = root.follows_from(self.lemmas.bounds(root.state)) {
            return self.lemmas.get(root.state).map_or(Verdict::Missing, Verdict::Refuted);
        }
        let Some(root) = self.needed(root) else {
            return if root.follows_from(Bounds::of_state(root.state)) == Some(true) {
                Verdict::Follows(Derivation::default())
            } else {
                Verdict::Missing
            };
        };
        Verdict::Follows(self.expand(vec![root]))
    }

    /// Derives the bounds of a capture-free state from the frontier, as far as lemmas say them.
    pub fn bounds(&self, state: State) -> (Bounds, Derivation) {
        let (mut bounds, mut whole) = (Bounds::of_state(state), Derivation::default());
        let Some(lemma) = self.lemmas.get(state) else { return (bounds, whole) };
        for claim in [Claim::at_least(state, lemma.bounds.lower), Claim::at_most(state, lemma.bounds.upper)] {
            if claim.follows_from(bounds).is_none()
                && let Verdict::Follows(derivation) = self.derive(claim)
            {
                bounds.answer(claim.target, claim.is_reached);
                whole.add(derivation);
            }
        }
        (bounds, whole)
    }

    /// Derives every claim of the lemmas from the frontier.
    pub fn derive_all(&self) -> Derivation {
        let claims = |Lemma { state, bounds, .. }: Lemma| {
            let both = [Claim::at_least(state, bounds.lower), Claim::at_most(state, bounds.upper)];
            both.into_iter().filter(move |claim| claim.follows_from(Bounds::of_state(state)).is_none())
        };
        self.expand(self.lemmas.by_work().into_iter().flat_map(claims).collect())
    }

    /// Derives claims of lemmas, each once.
    fn expand(&self, mut open: Vec<Claim>) -> Derivation {
        let mut derivation = Derivation::default();
        let mut seen: HashSet<Claim> = open.iter().copied().collect();
        let asked = seen.clone();
        let mut frontier = HashSet::new();
        while let Some(claim) = open.pop() {
            let nodes = self.lemmas.get(claim.state).map_or(0, |lemma| lemma.nodes);
            let is_derived = nodes > self.leaf_nodes || asked.contains(&claim);
            let parts = if is_derived { self.parts(claim) } else { None };
            let Some(parts) = parts else {
                frontier.insert(claim);
                continue;
            };
            derivation.derived += 1;
            for part in parts {
                match part {
                    Part::Lemma(claim) if seen.insert(claim) => open.push(claim),
                    Part::Lemma(_) => {}
                    Part::Assumed(claim) => {
                        let is_refuted = claim.follows_from(self.lemmas.bounds_of_any(claim.state)) == Some(false);
                        if frontier.insert(claim) && is_refuted {
                            derivation.refuted.push(claim);
                        }
                    }
                }
            }
        }
        let assumption = |claim| Assumption { claim, stated: self.lemmas.stated_nodes(claim) };
        derivation.frontier = frontier.into_iter().map(assumption).collect();
        derivation
            .frontier
            .sort_by_key(|Assumption { claim, .. }| (claim.state.drawn(), claim.target, claim.is_reached));
        derivation
    }

    /// Returns claims from which a claim about a capture-free state follows, or `None` if the
    /// lemmas show no move that makes it true.
    fn parts(&self, claim: Claim) -> Option<Vec<Part>> {
        let Claim { state, target, is_reached } = claim;
        let MoveQuestion { target, wanted } = MoveQuestion::new(0, target);
        let after = |successor| Claim { state: successor, target, is_reached: wanted == is_reached };
        let successors = state.equivalent_edges().into_iter().filter_map(|edges| edges.lowest());
        let mut claims = successors.map(|edge| after(state.after(edge)));
        if is_reached {
            // One move is enough.
            claims.find_map(|claim| self.by_lemmas(claim))
        } else {
            let of_move = |claim: Claim| {
                self.by_lemmas(claim)
                    .unwrap_or_else(|| vec![Part::Assumed(Claim { state: claim.state.canonical().0, ..claim })])
            };
            Some(claims.flat_map(of_move).collect())
        }
    }

    /// Returns claims of lemmas from which a claim about any state follows, if there are such.
    fn by_lemmas(&self, claim: Claim) -> Option<Vec<Part>> {
        let Claim { state, target, is_reached } = claim;
        let offer = state.offer();
        let rest = |target, is_reached| self.settle(Claim { state: offer.rest, target, is_reached });
        // By taking all, the margin reaches the target if that of the rest reaches this.
        let all = rest(target - offer.taken, is_reached);
        let Some(price) = offer.price else { return all };
        // By keeping control, it does if that of the rest does not reach this.
        let kept = rest(offer.taken - price - target + 1, !is_reached);
        match is_reached {
            true => all.or(kept),
            false => Some([all?, kept?].concat()),
        }
    }

    /// Returns the lemma's claim that makes a claim about a capture-free state true, or nothing if
    /// the number of open boxes does.
    fn settle(&self, claim: Claim) -> Option<Vec<Part>> {
        match claim.follows_from(Bounds::of_state(claim.state)) {
            Some(true) => Some(Vec::new()),
            Some(false) => None,
            None => self.needed(claim).map(|claim| vec![Part::Lemma(claim)]),
        }
    }

    /// Returns the claim of a lemma from which a claim follows.
    fn needed(&self, claim: Claim) -> Option<Claim> {
        let Lemma { state, bounds, .. } = self.lemmas.get(claim.state)?;
        (claim.follows_from(bounds)? && claim.follows_from(Bounds::of_state(state)).is_none())
            .then_some(Claim { state, ..claim })
    }
}

/// A claim from which another follows.
#[derive(Clone)]
enum Part {
    /// A claim that a lemma makes.
    Lemma(Claim),
    /// A claim that is assumed.
    Assumed(Claim),
}
