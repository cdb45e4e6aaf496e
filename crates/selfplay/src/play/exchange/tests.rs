use super::*;
use crate::Orders;
use crate::data::played_item::{Origin, PlayedItem};
use doublecross_core::board::Board;
use doublecross_proof::Books;
use doublecross_run::Config;
use doublecross_run::initial_weights;

/// An exchange with generation 3 open, of six games and two positions.
fn exchange() -> Exchange {
    let board = Board::new(1, 2).unwrap();
    let mut config = Config { board: "1x2".parse().unwrap(), ..Config::default() };
    (config.network.channels, config.network.blocks) = (16, 0);
    (config.selfplay.games, config.labeled.positions) = (6, 2);
    (config.labeled.least_undrawn, config.labeled.most_undrawn) = (Some(1), Some(4));
    let weights = initial_weights(board, config.network.architecture(), 1);
    let orders = Orders::new(&config, 3, weights, Vec::new(), &Books::default());
    let exchange = Exchange::default();
    exchange.open(Arc::new(Session::new(orders)), None, Vec::new());
    exchange
}

#[test]
fn threads_here_play_what_is_open_and_end() {
    let exchange = exchange();
    exchange.close(false);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| exchange.play());
        }
    });
    let standing = exchange.wait(3, Duration::ZERO).unwrap();
    assert_eq!((standing.games, standing.labeled, standing.is_whole), (6, 2, true));
    let collected = exchange.collect(3, 0.0).unwrap();
    assert_eq!(collected.items.len(), 8);
    assert!(exchange.collect(3, 0.0).is_none() && exchange.wait(3, Duration::ZERO).is_none());
}

/// A position that takes the solver hours to label, and a game whose searches take as long.
#[test]
fn players_end_within_what_they_play() {
    for is_labeled in [false, true] {
        let board = Board::new(5, 5).unwrap();
        let mut config = Config::default();
        (config.network.channels, config.network.blocks) = (16, 0);
        (config.selfplay.games, config.labeled.positions) = if is_labeled { (1, 8) } else { (8, 0) };
        (config.selfplay.root_nodes, config.selfplay.simulations) = (0, if is_labeled { 1 } else { 1_000_000 });
        (config.labeled.least_undrawn, config.labeled.most_undrawn, config.labeled.nodes) =
            (Some(60), Some(60), u64::MAX);
        let weights = initial_weights(board, config.network.architecture(), 1);
        let orders = Orders::new(&config, 3, weights, Vec::new(), &Books::default());
        let exchange = Exchange::default();
        exchange.open(Arc::new(Session::new(orders)), None, Vec::new());
        let closed = std::thread::scope(|scope| {
            let players = [scope.spawn(|| exchange.play()), scope.spawn(|| exchange.play())];
            std::thread::sleep(Duration::from_millis(500));
            let closed = Instant::now();
            exchange.close(true);
            players.into_iter().for_each(|player| player.join().unwrap());
            closed
        });
        // Milliseconds, on a quiet machine.
        assert!(closed.elapsed() < Duration::from_secs(3), "{is_labeled}: {:?}", closed.elapsed());
    }
}

#[test]
fn items_that_were_there_are_not_played_again() {
    let whole = exchange();
    let saved = (0..7).map(|number| PlayedItem { number, ..PlayedItem::default() }).collect();
    let session = whole.state().open[0].session.clone();
    let exchange = Exchange::default();
    exchange.open(session, None, saved);
    exchange.close(false);
    exchange.play();
    let collected = exchange.collect(3, 0.0).unwrap();
    assert!(collected.items[..7].iter().all(|item| item.samples.is_empty()));
    assert!(!collected.items[7].samples.is_empty());
}

#[test]
fn what_is_played_is_saved_while_the_learner_does_not_wait() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gen-000003.parts");
    let session = exchange().state().open[0].session.clone();
    let open =
        || PartFile::open(path.clone(), session.sealed.id, session.orders.board, session.orders.items()).unwrap();
    let exchange = Exchange::default();
    exchange.open(session.clone(), Some(open().0), Vec::new());
    std::thread::scope(|threads| {
        threads.spawn(|| exchange.save_every(Duration::from_millis(1)));
        exchange.hand_in(3, PlayedItem { number: 2, ..PlayedItem::default() });
        let is_saved = || exchange.state().ledger(3).is_some_and(|ledger| ledger.unsaved.is_empty());
        while !is_saved() {
            std::thread::yield_now();
        }
        exchange.close(true);
    });
    assert_eq!(open().1.into_iter().map(|item| item.number).collect::<Vec<_>>(), [2]);
    assert!(exchange.take_save_failure().is_none());
}

mod leases {
    use super::*;

    /// An item with so many searches, from a worker.
    fn item(number: u32, searches: u64, name: &str) -> PlayedItem {
        let costs = crate::Costs { searches, ..Default::default() };
        PlayedItem { number, costs, origin: Origin::Worker(name.into()), ..PlayedItem::default() }
    }

    const LONG: Duration = Duration::from_secs(1000);

    #[test]
    fn leases_end_and_are_given_to_others() {
        let exchange = exchange();
        assert_eq!(exchange.lease(Instant::now(), 3, LONG), (3, vec![0, 1, 2]));
        assert_eq!(exchange.lease(Instant::now(), 2, Duration::ZERO), (3, vec![3, 4]));
        // Those that were due are leased first.
        assert_eq!(exchange.lease(Instant::now(), 3, LONG), (3, vec![3, 4, 5]));
        exchange.give_back(3, &[1, 4, 7]);
        assert_eq!(exchange.free(), 4);
        assert_eq!(exchange.lease(Instant::now(), 9, LONG), (3, vec![1, 4, 6, 7]));
        assert_eq!((exchange.lease(Instant::now(), 9, LONG).1.len(), exchange.free()), (0, 0));
        assert_eq!(exchange.progress_of_open()[0].1.away, 8);
    }

    #[test]
    fn the_first_counts_and_the_second_is_compared() {
        let exchange = exchange();
        exchange.lease(Instant::now(), 2, LONG);
        assert_eq!(exchange.hand_in(3, item(0, 1, "a")), Receipt::Taken);
        // This one was not leased.
        assert_eq!(exchange.hand_in(3, item(5, 1, "a")), Receipt::Taken);
        assert_eq!(exchange.hand_in(3, item(0, 0, "b")), Receipt::Known(item(0, 1, "a")));
        assert_eq!(exchange.hand_in(2, item(0, 1, "a")), Receipt::Stale);
        assert_eq!(exchange.hand_in(3, item(8, 1, "a")), Receipt::Stale);
        assert_eq!(exchange.missing(3, 0..9).into_iter().collect::<Vec<_>>(), [1, 2, 3, 4, 6, 7]);
        assert!(exchange.missing(2, 0..9).is_empty());
    }

    #[test]
    fn what_a_liar_played_is_played_again() {
        let exchange = exchange();
        for number in 0..8 {
            let name = if number % 2 == 0 { "liar" } else { "honest" };
            exchange.hand_in(3, item(number, 99, name));
        }
        assert!(exchange.wait(3, Duration::ZERO).unwrap().is_whole);
        assert_eq!(exchange.reject("liar").unwrap(), 4);
        assert!(exchange.collect(3, 0.0).is_none());
        exchange.close(false);
        exchange.play();
        let collected = exchange.collect(3, 0.0).unwrap();
        let fakes: Vec<bool> = collected.items.iter().map(|played| played.costs.searches == 99).collect();
        assert_eq!(fakes, [false, true, false, true, false, true, false, true]);
        assert!(collected.items.iter().all(|item| (item.origin == Origin::Here) == (item.number % 2 == 0)));
    }

    #[test]
    fn a_fake_wakes_the_learner() {
        let exchange = exchange();
        exchange.report_fake(2);
        exchange.report_fake(5);
        assert_eq!(exchange.first_fake(), Some(2));
        // At once, though items are missing.
        assert!(!exchange.wait(3, LONG).unwrap().is_whole);
    }

    #[test]
    fn the_pace_tells_how_many_threads_the_learner_feeds() {
        let exchange = exchange();
        exchange.close(false);
        exchange.play();
        assert!(exchange.pace().is_none());
        exchange.collect(3, 0.25).unwrap();
        exchange.wait(4, Duration::ZERO);
        let pace = exchange.pace().unwrap();
        assert!(pace.waited == 0.25 && pace.playing > 0.0 && pace.learning > 0.0 && pace.cores() > 0.0);
        let pace = Pace { playing: 30.0, waited: 3.0, learning: 6.0 };
        assert_eq!((pace.cores(), pace.waiting_share()), (5.0, 1.0 / 3.0));
    }
}

#[test]
fn a_thread_that_panics_is_noticed() {
    let exchange = exchange();
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _failure = Failure { exchange: &exchange, is_armed: true };
        panic!("as a device that fails");
    }));
    assert!(panicked.is_err() && exchange.wait(3, Duration::from_secs(1000)).is_none());
}
