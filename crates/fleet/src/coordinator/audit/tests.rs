//! Tests of the choice of items that are checked, and of the accounts of workers.

use super::*;
use doublecross_arena::random::{Purpose, stream};

fn auditor(seed: u64) -> Auditor {
    Auditor::new(stream(seed, 0, 0, Purpose::Verifying))
}

fn claim(item: u32, worker: &str, digest: u64) -> ItemClaim {
    ItemClaim { generation: 1, item, worker: worker.into(), digest }
}

/// The digest that an honest worker claims for an item.
fn truth(item: u32) -> u64 {
    item as u64 * 1000
}

/// An auditor of a worker `a` whose first items were all checked.
fn trusting(seed: u64) -> Auditor {
    let mut auditor = auditor(seed);
    auditor.restore("a", Trust { passed: PROBATION, checked: 0 });
    auditor
}

/// Plays parts of `size` items by a worker that fakes this share of them, beside honest ones,
/// until it is banned. Returns the number of its items.
fn items_until_caught(share: f64, size: u32, seed: u64) -> u32 {
    let mut auditor = auditor(seed);
    let mut random = stream(seed, 1, 0, Purpose::Verifying);
    let mut banned = Vec::new();
    let mut item = 0;
    while banned.is_empty() {
        let mut claims = Vec::new();
        for _ in 0..size {
            let lie = (random.random::<f64>() < share) as u64;
            claims.push(claim(item, "liar", truth(item) + lie));
            item += 1;
        }
        auditor.choose(claims.clone(), 3);
        let honest = (item..item + size).map(|item| claim(item, "honest", truth(item))).collect();
        item += size;
        auditor.choose(honest, 3);
        // Another honest worker gets the next parcels.
        while let Some(checked) = auditor.check_for_parcel(1) {
            let counted = claims.iter().find(|claim| claim.item == checked).cloned();
            let known = counted.unwrap_or(claim(checked, "honest", truth(checked)));
            auditor.receive_again(claim(checked, "other", truth(checked)), Some((known.digest, Some(known))));
        }
        while let Some(case) = auditor.next_case() {
            let item = case.claims[0].item;
            banned.extend(auditor.settle(case, Some(truth(item))));
        }
        assert!(item < 10_000_000, "never caught");
    }
    assert!(banned.iter().all(|claim| claim.worker == "liar"), "{banned:?}");
    item / 2
}

// The figures of docs/fleet.md, with --nocapture.
#[allow(clippy::print_stdout)]
#[test]
fn liars_are_caught_and_honest_workers_never_blamed() {
    for (share, most) in [(1.0, 64), (0.1, 3_000), (0.01, 30_000)] {
        let mut items: Vec<u32> = (0..200).map(|seed| items_until_caught(share, 64, seed)).collect();
        items.sort_unstable();
        let [median, nearly_all] = [items[100], items[195]];
        println!("fakes {share}: half are caught within {median} games, 97.5 % within {nearly_all}");
        assert!(nearly_all <= most, "{share}: {nearly_all}");
    }
}

#[test]
fn a_worker_does_not_check_itself() {
    let mut auditor = trusting(1);
    while auditor.for_others.is_empty() {
        (0..9).for_each(|_| drop(auditor.next_case().map(|case| auditor.settle(case, Some(1)))));
        auditor.choose(vec![claim(5, "a", 1)], 1);
    }
    assert_eq!((auditor.check_for_parcel(2), auditor.check_for_parcel(1)), (None, Some(5)));
    auditor.receive_again(claim(5, "a", 1), Some((1, Some(claim(5, "a", 1)))));
    let case = auditor.next_case().unwrap();
    assert_eq!((case.claims.as_slice(), auditor.waiting()), ([claim(5, "a", 1)].as_slice(), 1));
    assert_eq!(auditor.settle(case, Some(0)), [claim(5, "a", 1)]);
    assert_eq!(auditor.waiting(), 0);
}

#[test]
fn a_coordinator_that_is_not_sure_bans_no_worker() {
    let mut auditor = trusting(1);
    auditor.receive_again(claim(5, "b", 2), Some((1, Some(claim(5, "a", 1)))));
    let case = auditor.next_case().unwrap();
    assert_eq!(case.claims, [claim(5, "a", 1), claim(5, "b", 2)]);
    assert!(auditor.settle(case, None).is_empty() && auditor.waiting() == 0);
}

#[test]
fn the_first_items_of_a_worker_are_all_checked_and_later_ones_by_their_number() {
    let mut auditor = auditor(3);
    let parts =
        |from: u32, items: u32, count: u32| (0..count).map(move |part| from + part * items..from + (part + 1) * items);
    for items in parts(0, 5, 4) {
        auditor.choose(items.map(|item| claim(item, "a", 1)).collect(), 0);
    }
    let first = auditor.waiting();
    assert!((16..=18).contains(&first), "{first}");
    for items in parts(20, 4, 1600) {
        auditor.choose(items.map(|item| claim(item, "a", 1)).collect(), 0);
    }
    // A hundred of 6,400.
    let later = auditor.waiting() - first;
    assert!((60..150).contains(&later), "{later}");
}

#[test]
fn checks_of_closed_generations_are_made_by_the_coordinator() {
    let mut auditor = trusting(2);
    let mut first = 0;
    while auditor.waiting() < 40 {
        auditor.choose((first..first + 64).map(|item| claim(item, "a", 1)).collect(), 1);
        first += 64;
    }
    for _ in 0..10 {
        auditor.check_for_parcel(1);
    }
    auditor.close_before(1);
    assert!(auditor.for_coordinator.len() < 20);
    auditor.close_before(2);
    assert_eq!((auditor.for_coordinator.len(), auditor.waiting(), auditor.check_for_parcel(1)), (40, 40, None));
    auditor.forget("a");
    assert_eq!((auditor.waiting(), auditor.next_case()), (0, None));
}

/// Sixty parts of 5,000 items each, all of them there by others and otherwise.
fn flood(auditor: &mut Auditor, worker: &str) {
    for item in (0..60).flat_map(|_| 0..5000) {
        auditor.receive_again(claim(item, worker, 7), Some((truth(item), Some(claim(item, "a", truth(item))))));
    }
}

#[test]
fn a_flood_of_false_claims_asks_for_little_and_is_dropped_with_its_worker() {
    let mut auditor = trusting(4);
    flood(&mut auditor, "liar");
    assert_eq!(auditor.waiting(), MOST_ACCUSATIONS);
    // Another one, about the same items: one check for an item.
    flood(&mut auditor, "colluder");
    assert_eq!(auditor.waiting(), MOST_ACCUSATIONS);
    let case = auditor.next_case().unwrap();
    assert_eq!(case.claims.len(), 3);
    let item = case.claims[0].item;
    let liars: Vec<String> = auditor.settle(case, Some(truth(item))).into_iter().map(|claim| claim.worker).collect();
    assert_eq!(liars, ["liar", "colluder"]);
    auditor.forget("liar");
    assert_eq!(auditor.waiting(), MOST_ACCUSATIONS - 1);
    auditor.forget("colluder");
    assert_eq!((auditor.waiting(), auditor.next_case()), (0, None));
}

#[test]
fn a_check_of_a_chosen_item_outlives_its_accuser() {
    let mut auditor = auditor(5);
    auditor.choose(vec![claim(3, "new", 1)], 2);
    auditor.receive_again(claim(3, "liar", 2), Some((1, Some(claim(3, "new", 1)))));
    auditor.forget("liar");
    assert_eq!(auditor.next_case().unwrap().claims, [claim(3, "new", 1)]);
}

#[test]
fn a_claim_that_did_not_come_to_count_makes_room_for_the_one_that_does() {
    let mut auditor = auditor(8);
    // The disk was full.
    auditor.choose(vec![claim(3, "a", 1)], 2);
    let stale = auditor.next_case().unwrap();
    auditor.choose(vec![claim(3, "b", 2)], 2);
    assert_eq!((auditor.settle(stale, Some(1)), auditor.waiting()), (Vec::new(), 1));
    let case = auditor.next_case().unwrap();
    assert_eq!(case.claims, [claim(3, "b", 2)]);
    assert_eq!(auditor.settle(case, Some(1)), [claim(3, "b", 2)]);
}

#[test]
fn open_checks_are_taken_over() {
    let mut auditor = auditor(6);
    assert!(!auditor.is_unwritten());
    auditor.choose((0..10).map(|item| claim(item, "a", 1)).collect(), 2);
    assert!(auditor.is_unwritten());
    for _ in 0..4 {
        let case = auditor.next_case().unwrap();
        auditor.settle(case, Some(1));
    }
    let (trust, open) = (auditor.trust("a"), auditor.open()["a"].clone());
    assert_eq!((trust, open.len()), (Trust { passed: 4, checked: 4 }, 6));
    let mut later = Auditor::new(stream(7, 0, 0, Purpose::Verifying));
    later.restore("a", trust);
    for check in &open {
        later.inherit("a", *check);
    }
    assert_eq!((later.waiting(), &later.open()["a"]), (6, &open));
    // One did not come to count, and one is of a generation that is closed.
    later.drop_inherited("a", (1, open[0].item));
    later.settle_inherited("a", &[(1, open[1].item)]);
    for check in &open[2..] {
        later.reopen(claim(check.item, "a", 1));
    }
    assert_eq!((later.waiting(), later.inherited().len()), (4, 0));
    later.choose((10..30).map(|item| claim(item, "a", 1)).collect(), 2);
    let firsts = later.open()["a"].iter().filter(|check| check.is_first).count();
    assert_eq!((firsts, later.trust("a").passed), (11, 5));
}
