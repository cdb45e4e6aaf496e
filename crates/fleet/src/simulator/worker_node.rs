//! A machine with a worker's key: the decisions of the real worker, and threads that play stubs.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use super::games;
use super::plan::Kind;
use super::server::{Bytes, Name, Reply, Request};
use super::world::{Event, World};
use crate::protocol::messages::{Id, write};
use crate::protocol::orders_store::FetchError;
use crate::worker::logic::{End, WorkerLogic};
use crate::worker::output::{Output, Pulled, Response};
use crate::worker::players::{Assignment, Outcome};
use doublecross_selfplay::{Orders, Part, Session};
use rand::RngExt;

/// What a worker waits for from the server.
enum Wanted {
    Parcel,
    Orders(u64),
    Stored,
}

/// Work of a worker that takes time.
pub enum Work {
    CanaryChecked(Result<(), String>),
    Prepared(Arc<Session>),
    /// A thread has played a parcel.
    Played(Outcome),
}

/// A process of a worker.
pub struct WorkerNode {
    pub logic: WorkerLogic,
    kind: Kind,
    name: String,
    wanted: BTreeMap<u64, Wanted>,
    queue: VecDeque<Assignment>,
    idle_threads: usize,
    oldest: u64,
    /// The time for which it is to be woken.
    wakes_at: u64,
}

impl WorkerNode {
    pub fn new(world: &mut World, client: usize) -> WorkerNode {
        let (kind, threads, name) = (world.kind(client), world.plan.threads, world.name(client).to_string());
        let process = Id(world.random.random());
        WorkerNode {
            logic: WorkerLogic::new(world.instant(), name.clone(), process, threads, false),
            kind,
            name,
            wanted: BTreeMap::new(),
            queue: VecDeque::new(),
            idle_threads: threads,
            oldest: 0,
            wakes_at: 0,
        }
    }

    pub fn wake(&mut self, world: &mut World, client: usize) {
        self.logic.wake(world.instant());
        while let Some(output) = self.logic.next_output() {
            self.meet(world, client, output);
        }
        while self.idle_threads > 0
            && let Some(assignment) = self.queue.pop_front()
        {
            self.play(world, client, assignment);
        }
        if self.logic.end().is_none() {
            let due = world.time_of(self.logic.next_wake()).max(world.now + 1);
            if due < self.wakes_at || self.wakes_at <= world.now {
                self.wakes_at = due;
                world.at(due, Event::Wake(client, world.process(client)));
            }
        }
    }

    pub fn receive_broadcast(&mut self, world: &mut World, broadcast: &Bytes) {
        self.logic.receive_broadcast(world.instant(), broadcast);
    }

    /// Receives an answer, or `None` if none came in time.
    pub fn receive(&mut self, world: &mut World, number: u64, reply: Option<Reply>) {
        let Some(wanted) = self.wanted.remove(&number) else { return };
        let now = world.instant();
        match (wanted, reply) {
            (Wanted::Parcel, Some(Reply::Parcel(message, bytes))) => {
                self.logic.pulled(now, Pulled::Parcel(message, bytes.to_vec()));
            }
            (Wanted::Parcel, Some(Reply::NoParcel)) => self.logic.pulled(now, Pulled::Nothing),
            (Wanted::Parcel, Some(Reply::Done(_))) => self.logic.pulled(now, Pulled::Failed(Some("no stream".into()))),
            (Wanted::Parcel, _) => self.logic.pulled(now, Pulled::Failed(None)),
            (Wanted::Orders(id), reply) => {
                let bytes = match reply {
                    Some(Reply::Orders(bytes)) => bytes,
                    _ => None,
                };
                let orders = bytes.and_then(|bytes| games::read_orders(id, &bytes));
                self.logic.fetched(now, orders.ok_or(FetchError::Absent("not there, or damaged".into())));
            }
            (Wanted::Stored, Some(Reply::Done(true))) => self.logic.handed_in(now, Ok(())),
            (Wanted::Stored, _) => self.logic.handed_in(now, Err("it does not answer".into())),
        }
    }

    pub fn done(&mut self, world: &mut World, work: Work) {
        match work {
            Work::CanaryChecked(outcome) => self.logic.canary_checked(world.instant(), outcome),
            Work::Prepared(session) => self.logic.prepared(world.instant(), Ok(session)),
            Work::Played(outcome) => {
                self.idle_threads += 1;
                self.logic.played(outcome);
            }
        }
    }

    fn meet(&mut self, world: &mut World, client: usize, output: Output) {
        let name = self.name.as_str();
        match output {
            Output::Hello(hello) => world.send(client, Request::Hello(name.into(), write(&hello).into())),
            Output::Pull => {
                let number = world.ask(client, Request::PullParcel);
                self.wanted.insert(number, Wanted::Parcel);
            }
            Output::Respond(message, response) => world.send(client, Request::Respond(Name::Play, message, response)),
            Output::Fetch(id) => {
                let number = world.ask(client, |number| Request::Fetch(number, id.0));
                self.wanted.insert(number, Wanted::Orders(id.0));
            }
            Output::CheckCanary(orders, expected) => {
                let is_false = self.kind == Kind::Faulty;
                let digest = |item| Id(games::play(&orders, item, Duration::ZERO, is_false).digest());
                let is_same = (0..orders.items()).map(digest).eq(expected.digests);
                let outcome = if is_same { Ok(()) } else { Err("canary games come out otherwise".into()) };
                world.work(
                    world.plan.item_time,
                    Event::WorkerDone(client, world.process(client), Work::CanaryChecked(outcome)),
                );
            }
            Output::Prepare(orders) => {
                let work = Work::Prepared(games::session_of(&orders));
                world.work(10_000, Event::WorkerDone(client, world.process(client), work));
            }
            Output::Play(assignment) => self.queue.push_back(assignment),
            Output::HandIn(part) => {
                let number =
                    world.ask(client, |number| Request::Store(number, Name::Results, name.into(), part.into()));
                self.wanted.insert(number, Wanted::Stored);
            }
            Output::SetOldest(generation) => self.oldest = generation,
            Output::Report(event) => world.note(|| format!("{name}: {event:?}")),
        }
        if let Some(End::Refused(reason)) = self.logic.end()
            && self.kind == Kind::Honest
        {
            world.fail(format!("{} refuses: {reason}", self.name));
        }
    }

    fn play(&mut self, world: &mut World, client: usize, Assignment { number, session, parcel }: Assignment) {
        self.idle_threads -= 1;
        let is_wanted = parcel.generation >= self.oldest;
        let items: &[u32] = if is_wanted { &parcel.items } else { &[] };
        let time = world.plan.item_time / 2 + world.random.random_range(0..=world.plan.item_time);
        let played = items.iter().map(|&item| {
            let is_false = match self.kind {
                Kind::Liar => true,
                Kind::SometimesLiar => world.random.random_range(0..3) == 0,
                _ => false,
            };
            games::play(&session.orders, item, Duration::from_micros(time), is_false)
        });
        let part = part(&session.orders, session.sealed.id, played.collect());
        let parts = if items.is_empty() { Vec::new() } else { vec![part] };
        let outcome = Outcome { number, parts, items: items.len(), is_done: true };
        let event = Event::WorkerDone(client, world.process(client), Work::Played(outcome));
        world.work(time * items.len() as u64, event);
    }
}

/// Returns a part as bytes.
pub fn part(orders: &Orders, id: u64, items: Vec<doublecross_selfplay::PlayedItem>) -> Vec<u8> {
    Part { orders: id, generation: orders.generation, items }.to_bytes()
}

/// Whatever a worker's key allows.
pub struct Rogue {
    /// The parcels that it was given.
    parcels: Vec<(u64, Bytes)>,
    wanted: Option<u64>,
    /// `true` if what it hands in is not so.
    lies: bool,
}

impl Rogue {
    pub fn new(lies: bool) -> Rogue {
        Rogue { parcels: Vec::new(), wanted: None, lies }
    }

    pub fn receive(&mut self, number: u64, reply: Option<Reply>) {
        if self.wanted == Some(number) {
            self.wanted = None;
            if let Some(Reply::Parcel(message, bytes)) = reply {
                self.parcels.push((message, bytes));
            }
        }
    }

    /// Does something.
    pub fn act(&mut self, world: &mut World, client: usize) {
        let name = world.name(client);
        if self.wanted.is_none() {
            self.wanted = Some(world.ask(client, Request::PullParcel));
        }
        match world.random.random_range(0..6) {
            0 => {
                let process: u64 = world.random.random();
                let hello = format!(
                    r#"{{"process":"{process:016x}","threads":4,"program":"0","isa":"none","items":0,"idle":0.0,"refusal":null}}"#
                );
                world.send(client, Request::Hello(name, hello.into_bytes().into()));
            }
            1 => self.hand_in(world, client, b"DXPART02 and then nothing".to_vec()),
            2 => {
                // Also about parcels that others have.
                let last = self.parcels.last().map_or(1, |(message, _)| *message);
                let message = world.random.random_range(0..last + 3);
                let responses = [Response::Done, Response::InProgress, Response::GiveBack(Duration::ZERO)];
                let response = responses[world.random.random_range(0..3)];
                world.send(client, Request::Respond(Name::Play, message, response));
            }
            _ => self.flood(world, client),
        }
    }

    /// Hands in all items of a generation, several times.
    fn flood(&mut self, world: &mut World, client: usize) {
        let Some((_, bytes)) = self.parcels.last() else { return };
        let Ok(parcel) = serde_json::from_slice::<crate::protocol::messages::Parcel>(bytes) else { return };
        let Some(orders) = games::orders_of(parcel.orders.0) else { return };
        let first = world.random.random_range(0..orders.items());
        for _ in 0..world.random.random_range(1..=3) {
            let items = (first..orders.items())
                .map(|item| games::play(&orders, item, Duration::from_micros(1), self.lies))
                .collect();
            self.hand_in(world, client, part(&orders, parcel.orders.0, items));
        }
    }

    fn hand_in(&self, world: &mut World, client: usize, part: Vec<u8>) {
        let name = world.name(client);
        world.ask(client, |number| Request::Store(number, Name::Results, name, part.into()));
    }
}
