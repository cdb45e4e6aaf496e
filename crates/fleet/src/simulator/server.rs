//! A model of the server: two work queues with leases, orders, broadcasts, and what it loses.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::SECOND;
use crate::worker::output::Response;

/// The time within which a parcel is to be answered.
const PARCEL_WAIT: u64 = 30 * SECOND;

/// The time within which a result is to be acknowledged.
const RESULT_WAIT: u64 = 60 * SECOND;

/// The time for which who asks for a parcel waits.
const PULL_TIME: u64 = 2 * SECOND;

/// The time for which who asks for results gets them.
pub const RESULTS_TIME: u64 = 3 * SECOND;

pub type Bytes = Rc<[u8]>;

/// A queue of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    Play,
    Results,
}

/// A message of a client to the server. Those with a number are answered.
#[derive(Clone)]
pub enum Request {
    SetUp(u64),
    Check(u64, Vec<u64>),
    Put(u64, u64, Arc<[u8]>),
    Fetch(u64, u64),
    /// To store a message of a subject: a parcel's generation or a worker's name.
    Store(u64, Name, Rc<str>, Bytes),
    PullParcel(u64),
    /// To get results for a while, as the process of this number.
    PullResults(u64),
    Respond(Name, u64, Response),
    PurgeParcels(Option<u64>),
    PurgeOrders(u64),
    Broadcast(Bytes),
    Hello(Rc<str>, Bytes),
}

/// An answer of the server.
#[derive(Clone)]
pub enum Reply {
    Done(bool),
    Orders(Option<Arc<[u8]>>),
    Parcel(u64, Bytes),
    NoParcel,
}

/// A message of the server to a client.
#[derive(Clone)]
pub enum ToClient {
    Reply(u64, Reply),
    /// A result with its place in the queue, for the process of this number.
    Result(u64, u64, Rc<str>, Bytes),
    Broadcast(Bytes),
    Hello(Rc<str>, Bytes),
}

/// The receiver of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receiver {
    Client(usize),
    Coordinator,
    Workers,
}

/// A work queue.
#[derive(Clone, Default)]
struct Queue {
    messages: BTreeMap<u64, (Rc<str>, Bytes)>,
    last: u64,
    ready: BTreeSet<u64>,
    /// Messages that clients have, with the time at which they are given to others.
    out: BTreeMap<u64, u64>,
    /// Messages that were given back for some time.
    later: BTreeMap<u64, u64>,
}

impl Queue {
    fn add(&mut self, subject: Rc<str>, bytes: Bytes) {
        self.last += 1;
        self.messages.insert(self.last, (subject, bytes));
        self.ready.insert(self.last);
    }

    fn remove(&mut self, number: u64) {
        self.messages.remove(&number);
        self.ready.remove(&number);
        self.out.remove(&number);
        self.later.remove(&number);
    }

    fn purge(&mut self, is_purged: impl Fn(&str) -> bool) {
        let purged = self.messages.iter().filter(|(_, (subject, _))| is_purged(subject)).map(|(&number, _)| number);
        purged.collect::<Vec<u64>>().into_iter().for_each(|number| self.remove(number));
    }

    /// Takes the next message, to be answered by this time.
    fn take(&mut self, until: u64) -> Option<(u64, Rc<str>, Bytes)> {
        let number = self.ready.pop_first()?;
        self.out.insert(number, until);
        let (subject, bytes) = self.messages.get(&number)?.clone();
        Some((number, subject, bytes))
    }

    /// Takes back what was not answered in time.
    fn recall(&mut self, now: u64) {
        for times in [&mut self.out, &mut self.later] {
            times.retain(|&number, until| {
                let is_due = *until <= now;
                if is_due {
                    self.ready.insert(number);
                }
                !is_due
            });
        }
    }

    fn respond(&mut self, now: u64, wait: u64, number: u64, response: Response) {
        if !self.messages.contains_key(&number) {
            return;
        }
        match response {
            Response::Done | Response::Drop => self.remove(number),
            Response::InProgress => {
                if let Some(until) = self.out.get_mut(&number) {
                    *until = now + wait;
                }
            }
            Response::GiveBack(time) => {
                if self.out.remove(&number).is_some() {
                    self.later.insert(number, now + time.as_micros() as u64);
                }
            }
        }
    }

    fn next_due(&self) -> Option<u64> {
        self.out.values().chain(self.later.values()).copied().min()
    }
}

/// The streams and consumers of the server.
#[derive(Clone, Default)]
struct Store {
    has_streams: bool,
    orders: BTreeMap<u64, Arc<[u8]>>,
    play: Queue,
    results: Queue,
}

/// The server.
#[derive(Default)]
pub struct Server {
    store: Store,
    /// The state that a loss of power leaves.
    synced: Store,
    /// Clients that wait for a parcel: their requests, and until when.
    waiting: VecDeque<(usize, u64, u64)>,
    /// The process that gets results, and until when.
    puller: Option<(u64, u64)>,
    /// The most results that it stores.
    most_results: usize,
}

impl Server {
    /// Creates a server that stores so many results at most.
    pub fn new(most_results: usize) -> Server {
        Server { most_results, ..Server::default() }
    }

    /// Receives a message, and adds those that it leads to.
    pub fn handle(&mut self, now: u64, client: usize, request: Request, sent: &mut Vec<(Receiver, ToClient)>) {
        let store = &mut self.store;
        let mut reply = |number, reply| sent.push((Receiver::Client(client), ToClient::Reply(number, reply)));
        match request {
            Request::SetUp(number) => {
                store.has_streams = true;
                store.play.purge(|_| true);
                store.orders.clear();
                reply(number, Reply::Done(true));
            }
            Request::Check(number, orders) => {
                let has_orders = orders.iter().all(|id| store.orders.contains_key(id));
                reply(number, Reply::Done(store.has_streams && has_orders));
            }
            Request::Put(number, id, bytes) => {
                if store.has_streams {
                    store.orders.insert(id, bytes);
                }
                reply(number, Reply::Done(store.has_streams));
            }
            Request::Fetch(number, id) => reply(number, Reply::Orders(store.orders.get(&id).cloned())),
            Request::Store(number, name, subject, bytes) => {
                let is_full = name == Name::Results && store.results.messages.len() >= self.most_results;
                let is_stored = store.has_streams && !is_full;
                if is_stored {
                    store.queue(name).add(subject, bytes);
                }
                reply(number, Reply::Done(is_stored));
            }
            Request::PullParcel(number) if store.has_streams => {
                self.waiting.push_back((client, number, now + PULL_TIME));
            }
            Request::PullParcel(number) => reply(number, Reply::Done(false)),
            Request::PullResults(process) => self.puller = Some((process, now + RESULTS_TIME)),
            Request::Respond(name, message, response) => {
                let wait = if name == Name::Play { PARCEL_WAIT } else { RESULT_WAIT };
                store.queue(name).respond(now, wait, message, response);
            }
            Request::PurgeParcels(generation) => {
                let generation = generation.map(|generation| generation.to_string());
                store.play.purge(|subject| generation.as_ref().is_none_or(|generation| subject == generation));
            }
            Request::PurgeOrders(id) => drop(store.orders.remove(&id)),
            Request::Broadcast(bytes) => sent.push((Receiver::Workers, ToClient::Broadcast(bytes))),
            Request::Hello(name, bytes) => sent.push((Receiver::Coordinator, ToClient::Hello(name, bytes))),
        }
        self.serve(now, sent);
    }

    /// Gives messages to those who wait for them.
    pub fn serve(&mut self, now: u64, sent: &mut Vec<(Receiver, ToClient)>) {
        self.store.play.recall(now);
        self.store.results.recall(now);
        while let Some(&(client, number, until)) = self.waiting.front() {
            let reply = if until <= now {
                Reply::NoParcel
            } else {
                let Some((message, _, bytes)) = self.store.play.take(now + PARCEL_WAIT) else { break };
                Reply::Parcel(message, bytes)
            };
            self.waiting.pop_front();
            sent.push((Receiver::Client(client), ToClient::Reply(number, reply)));
        }
        if let Some((process, until)) = self.puller
            && until > now
        {
            while let Some((message, name, bytes)) = self.store.results.take(now + RESULT_WAIT) {
                sent.push((Receiver::Coordinator, ToClient::Result(process, message, name, bytes)));
            }
        }
    }

    /// Returns the next time at which something is due.
    pub fn next_due(&self) -> Option<u64> {
        let waiting = self.waiting.front().map(|&(_, _, until)| until);
        [waiting, self.store.play.next_due(), self.store.results.next_due()].into_iter().flatten().min()
    }

    /// Notes that all is written to disk.
    pub fn sync(&mut self) {
        self.synced = self.store.clone();
    }

    /// Starts the process again, with what it has stored.
    pub fn restart(&mut self) {
        self.waiting.clear();
        self.puller = None;
    }

    /// Goes back to what was written to disk.
    pub fn lose_power(&mut self) {
        self.store = self.synced.clone();
    }

    /// Loses everything.
    pub fn lose_all(&mut self) {
        (self.store, self.synced) = (Store::default(), Store::default());
    }

    /// Loses all orders, or every stream, and goes on.
    pub fn lose_streams(&mut self, random: &mut ChaCha8Rng) {
        self.store.orders.clear();
        if random.random() {
            self.store = Store::default();
        }
    }

    /// Flips a bit of what is stored, which the server finds out about or not.
    pub fn flip_bit(&mut self, random: &mut ChaCha8Rng) {
        let store = &mut self.store;
        let queue = if random.random() { &mut store.play } else { &mut store.results };
        let numbers: Vec<u64> = queue.messages.keys().copied().collect();
        if random.random_range(0..3) == 0
            && let Some((_, bytes)) = store.orders.iter_mut().next()
        {
            let mut flipped = bytes.to_vec();
            let at = random.random_range(0..flipped.len());
            flipped[at] ^= 1 << random.random_range(0..8);
            *bytes = flipped.into();
        } else if !numbers.is_empty() {
            let number = numbers[random.random_range(0..numbers.len())];
            if random.random() {
                // It cuts off what stands behind the damage.
                numbers.into_iter().filter(|&other| other >= number).for_each(|number| queue.remove(number));
            } else if let Some((_, bytes)) = queue.messages.get_mut(&number) {
                let mut flipped = bytes.to_vec();
                if !flipped.is_empty() {
                    let at = random.random_range(0..flipped.len());
                    flipped[at] ^= 1 << random.random_range(0..8);
                }
                *bytes = flipped.into();
            }
        }
    }
}

impl Store {
    fn queue(&mut self, name: Name) -> &mut Queue {
        match name {
            Name::Play => &mut self.play,
            Name::Results => &mut self.results,
        }
    }
}
