//! Games that take no time to play: a pure function of their orders and number.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use doublecross_core::board::Board;
use doublecross_core::mix::split_mix;
use doublecross_core::net::{Isa, checksum};
use doublecross_core::search::Evaluator;
use doublecross_proof::Books;
use doublecross_run::{Config, IsaSetting, initial_weights};
use doublecross_selfplay::{Costs, Inference, Orders, PlayedItem, Session};

/// The first board of which there are games.
pub fn board() -> Board {
    Board::new(1, 1).expect("a board")
}

/// A network that nobody evaluates.
struct NoNetwork;

impl Inference for NoNetwork {
    fn evaluator(&self) -> Box<dyn Evaluator> {
        unreachable!("games are stubs")
    }
}

/// The sessions so far, by what their orders depend on and by their ids.
#[derive(Default)]
struct Sessions {
    base: Option<Orders>,
    of: HashMap<(usize, u64, u64), Arc<Session>>,
    by_id: HashMap<u64, Arc<Session>>,
}

thread_local! {
    static SESSIONS: RefCell<Sessions> = RefCell::default();
}

fn base_orders() -> Orders {
    let isa = IsaSetting::Named(Isa::Portable);
    let mut config = Config { board: "1x1".parse().expect("a board"), isa, ..Config::default() };
    (config.network.channels, config.network.blocks) = (16, 0);
    let weights = initial_weights(board(), config.network.architecture(), 1);
    Orders::new(&config, 1, weights, Vec::new(), &Books::default())
}

/// Returns the session of a generation with so many items, whose orders follow from `seed`.
pub fn session(items: usize, generation: u64, seed: u64) -> Arc<Session> {
    SESSIONS.with_borrow_mut(|sessions| {
        let base = sessions.base.get_or_insert_with(base_orders);
        let mut orders = Orders { seed, generation, ..base.clone() };
        (orders.selfplay.games, orders.labeled.positions) = (items, 0);
        sessions.of(orders)
    })
}

/// Returns the session of orders.
pub fn session_of(orders: &Orders) -> Arc<Session> {
    SESSIONS.with_borrow_mut(|sessions| sessions.of(orders.clone()))
}

/// Reads orders as a worker does: bytes under a name that must be their checksum.
pub fn read_orders(id: u64, bytes: &Arc<[u8]>) -> Option<Orders> {
    let session = SESSIONS.with_borrow(|sessions| sessions.by_id.get(&id).cloned())?;
    let is_whole = Arc::ptr_eq(bytes, &session.sealed.bytes) || checksum(bytes) == id;
    is_whole.then(|| session.orders.clone())
}

impl Sessions {
    fn of(&mut self, orders: Orders) -> Arc<Session> {
        let key = (orders.selfplay.games, orders.generation, orders.seed);
        let session = self.of.entry(key);
        let session = session.or_insert_with(|| Arc::new(Session::with_inference(orders, Box::new(NoNetwork))));
        self.by_id.insert(session.sealed.id, session.clone());
        session.clone()
    }
}

/// Returns what an item comes out as.
pub fn truth(orders: &Orders, item: u32) -> u64 {
    split_mix(orders.seed ^ split_mix(orders.generation << 32 | u64::from(item))) >> 32
}

/// Plays an item, in so much time. A false one is no player's of the orders.
pub fn play(orders: &Orders, item: u32, time: Duration, is_false: bool) -> PlayedItem {
    let costs = Costs { searches: truth(orders, item) ^ u64::from(is_false), total: time, ..Costs::default() };
    PlayedItem { number: item, costs, ..PlayedItem::default() }
}

/// Returns the seed of the orders that follow from these shards.
pub fn seed_after<'a>(shards: impl Iterator<Item = &'a Vec<u64>>) -> u64 {
    shards.flatten().fold(1, |seed, item| split_mix(seed ^ item))
}

/// Returns the shards of a run as one machine makes them.
pub fn alone(generations: u64, items: usize, lag: u64) -> Vec<Vec<u64>> {
    let mut shards: Vec<Vec<u64>> = Vec::new();
    for generation in 1..=generations {
        let known = generation.saturating_sub(1 + lag) as usize;
        let session = session(items, generation, seed_after(shards[..known].iter()));
        shards.push((0..items as u32).map(|item| truth(&session.orders, item)).collect());
    }
    shards
}

/// Returns the orders of an id.
pub fn orders_of(id: u64) -> Option<Orders> {
    SESSIONS.with_borrow(|sessions| sessions.by_id.get(&id).map(|session| session.orders.clone()))
}
