//! The coordinator's decisions: from messages and times to messages, without a server or a clock.
//!
//! The thread that talks to the server (`driver.rs`) and the simulator both use it. Each method is
//! something that has happened, and what it leads to stands in [`CoordinatorLogic::next_output`].
//! The exchange and the accounts are written to at once: a result is acknowledged when both last.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::hash::RandomState;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::CoordinatorEvent;
use super::audit::{Auditor, ItemClaim};
use super::offers::Offers;
use super::output::{Job, Output, Search};
use super::roster::{AccountStore, Roster, Worker};
use super::status::{AuditStatus, FleetStatus, GenerationStatus, WorkerStatus};
use crate::protocol::messages::{CanaryGames, Hello, Id, MAX_BANNED, Now, read, write};
use crate::worker::canary;
use doublecross_selfplay::{Exchange, Origin, SealedOrders, Session};

/// The time between two broadcasts.
const BROADCAST: Duration = Duration::from_secs(1);

/// The time between two savings of the workers' accounts.
const SAVE: Duration = Duration::from_secs(5);

/// The time between two checks that the server has what it was given.
const CHECK: Duration = Duration::from_secs(10);

/// The time after which a server that failed at something is set up again.
const RETRY: Duration = Duration::from_millis(500);

/// The time after which an end that waits is first reported.
const PATIENCE: Duration = Duration::from_secs(1);

/// The time between two reports of an end that waits.
const REPORT: Duration = Duration::from_secs(30);

/// The generations before the oldest open one whose sessions are kept for claims that come late.
const KEPT_SESSIONS: u64 = 2;

/// The facts of a run that are shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunLabel {
    /// The name of the run's folder.
    pub run: String,
    /// The number of generations.
    pub generations: u64,
    /// The number of generations by which self-play is ahead of learning.
    pub lag: u64,
}

/// The state of the server, as far as is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Server {
    /// There is no connection.
    Away,
    /// It is to be set up from this time on.
    Unprepared(Instant),
    /// It is being set up.
    InPreparation,
    /// It has what it needs, and is checked at this time.
    Ready(Instant),
}

/// A request to the server that was not answered.
pub(super) enum Request {
    SetUp,
    Check,
    Orders(u64),
    Canary,
    Offer { generation: u64, items: Vec<u32> },
}

/// The canary games of the run.
struct Canary {
    sealed: SealedOrders,
    /// `None` until they are played.
    games: Option<CanaryGames>,
    /// `true` if the server has their orders or is being given them.
    is_put: bool,
}

/// The end of a run.
struct Ending {
    /// `true` to settle all checks first.
    settles: bool,
    since: Instant,
    reported: Option<Instant>,
}

/// The state of a coordinator.
pub(crate) struct CoordinatorLogic {
    pub(super) exchange: Arc<Exchange>,
    label: RunLabel,
    id: Id,
    pub(super) auditor: Auditor,
    pub(super) roster: Roster,
    /// Sessions of open generations, of the last closed ones, and of those with open checks.
    pub(super) sessions: BTreeMap<u64, Arc<Session>>,
    server: Server,
    requests: BTreeMap<u64, Request>,
    request_count: u64,
    /// The generations whose orders the server has or is being given.
    put: BTreeSet<u64>,
    canary: Option<Canary>,
    pub(super) offers: Offers,
    pub(super) faults: u64,
    pub(crate) key: RandomState,
    /// Banned workers, with the newest generation that was open when they were. What they played may
    /// be on its way into a shard; all of it is there once a later generation is open, or at the end.
    pub(super) unsearched: Vec<(String, u64)>,
    /// The searches that are not done.
    pub(super) searching: Vec<Search>,
    /// The cases that are being played.
    pub(super) judging: usize,
    pub(super) replays: u64,
    started: Instant,
    oldest: u64,
    /// The newest generation that was open.
    newest: u64,
    last_broadcast: Option<Instant>,
    last_saved: Instant,
    ending: Option<Ending>,
    outputs: VecDeque<Output>,
}

impl CoordinatorLogic {
    /// Creates the state of a coordinator that has just been started.
    pub fn new(
        now: Instant,
        exchange: Arc<Exchange>,
        label: RunLabel,
        accounts: Box<dyn AccountStore>,
        mut random: ChaCha8Rng,
    ) -> CoordinatorLogic {
        let id = Id(random.next_u64());
        let mut auditor = Auditor::new(random);
        let roster = Roster::open(accounts);
        for (name, Worker { account, .. }) in roster.all() {
            auditor.restore(name, account.trust());
            account.open.iter().for_each(|check| auditor.inherit(name, *check));
        }
        let banned: Vec<String> = roster.banned().cloned().collect();
        let mut logic = CoordinatorLogic {
            exchange,
            label,
            id,
            auditor,
            roster,
            sessions: BTreeMap::new(),
            server: Server::Unprepared(now),
            requests: BTreeMap::new(),
            request_count: 0,
            put: BTreeSet::new(),
            canary: None,
            offers: Offers::default(),
            faults: 0,
            key: RandomState::new(),
            unsearched: Vec::new(),
            searching: Vec::new(),
            judging: 0,
            replays: 0,
            started: now,
            oldest: 0,
            newest: 0,
            last_broadcast: None,
            last_saved: now,
            ending: None,
            outputs: VecDeque::new(),
        };
        // First of all: the run may end before its canary games are played.
        logic.broadcast(now, false);
        // A kill may have cut their searches off.
        banned.into_iter().for_each(|worker| logic.search_past(worker));
        logic
    }

    /// Returns the number of checks that an earlier process has left open.
    #[cfg(test)]
    pub fn inherited(&self) -> usize {
        self.auditor.inherited().len()
    }

    /// Returns the next request of the coordinator's.
    pub fn next_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    pub(super) fn put_out(&mut self, output: Output) {
        self.outputs.push_back(output);
    }

    /// Notes that the connection to the server is there or lost.
    pub fn connected(&mut self, now: Instant, is_there: bool) {
        match (is_there, self.server) {
            (true, Server::Away) => self.put_out(Output::Report(CoordinatorEvent::Back)),
            (false, Server::Away) | (true, _) => {}
            (false, _) => self.put_out(Output::Report(CoordinatorEvent::Lost)),
        }
        self.server = if is_there { Server::Unprepared(now) } else { Server::Away };
    }

    /// Does what is due. It is called after everything that happens, and a few times a second.
    pub fn wake(&mut self, now: Instant) {
        self.note_sessions();
        self.judge_next();
        if self.ending.is_some() {
            self.search_banned(u64::MAX);
            self.report_waiting(now);
        } else {
            match self.server {
                Server::Unprepared(from) if from <= now => self.set_up(),
                Server::Ready(due) => {
                    if due <= now {
                        self.check();
                        self.server = Server::Ready(now + CHECK);
                    }
                    self.put_orders();
                    if self.canary.as_ref().is_some_and(|canary| canary.games.is_some()) {
                        self.offer(now);
                    }
                }
                Server::Away | Server::Unprepared(_) | Server::InPreparation => {}
            }
        }
        if self.last_broadcast.is_none_or(|last| now - last >= BROADCAST) {
            self.broadcast(now, false);
        }
        self.roster.measure(now);
        if now - self.last_saved >= SAVE {
            self.last_saved = now;
            self.save();
        }
    }

    /// Notes the generations that were opened, and closes those before the oldest.
    pub(super) fn note_sessions(&mut self) {
        let open = self.exchange.sessions();
        let newest = open.last().map_or(0, |session| session.orders.generation);
        if newest > self.newest {
            if self.newest == 0 {
                // Of those that were banned before, items may be in the files of open generations.
                self.unsearched.iter_mut().for_each(|(_, since)| *since = newest);
            }
            self.search_banned(newest);
            self.newest = newest;
        }
        for session in &open {
            let generation = session.orders.generation;
            if self.sessions.insert(generation, session.clone()).is_none() {
                self.take_over(generation);
            }
        }
        let Some(first) = open.first() else { return };
        if self.canary.is_none() {
            let orders = canary::canary_orders(&first.orders);
            self.canary = Some(Canary { sealed: SealedOrders::new(&orders), games: None, is_put: false });
            self.put_out(Output::PullResults);
            self.put_out(Output::Job(Job::PlayCanary(Box::new(orders))));
        }
        if first.orders.generation > self.oldest {
            self.oldest = first.orders.generation;
            self.search_inherited(self.oldest);
            self.close_before(self.oldest);
            self.last_broadcast = None;
        }
    }

    /// Takes over what an earlier process left of a generation: items by workers that are banned by
    /// now, checks that were not settled, and items by workers whose accounts are lost.
    fn take_over(&mut self, generation: u64) {
        let mut unknown: BTreeMap<String, Vec<ItemClaim>> = BTreeMap::new();
        let mut banned = BTreeSet::new();
        let inherited: BTreeSet<(String, u32)> = (self.auditor.inherited().iter())
            .filter(|(_, check)| check.generation == generation)
            .map(|(worker, check)| (worker.clone(), check.item))
            .collect();
        for played in self.exchange.of_workers(generation) {
            let digest = played.keyed_digest(&self.key);
            let Origin::Worker(name) = played.origin else { continue };
            let claim = ItemClaim { generation, item: played.number, worker: name.to_string(), digest };
            if self.roster.is_banned(&name) {
                banned.insert(name);
            } else if inherited.contains(&(claim.worker.clone(), claim.item)) {
                self.auditor.reopen(claim);
            } else if !self.roster.has_account(&name) {
                unknown.entry(claim.worker.clone()).or_default().push(claim);
            }
        }
        for (worker, item) in inherited {
            self.auditor.drop_inherited(&worker, (generation, item));
        }
        for (name, claims) in unknown {
            self.roster.worker(&name);
            self.auditor.choose(claims, 0);
        }
        for name in banned {
            // Where the files cannot be written, the learner fails at its own save and reports why.
            let _ = self.exchange.reject(&name);
        }
    }

    /// Makes the checks of an earlier process in generations before this one, which were learned
    /// from.
    fn search_inherited(&mut self, oldest: u64) {
        let mut items: BTreeMap<&String, Vec<(u64, u32)>> = BTreeMap::new();
        for (worker, check) in self.auditor.inherited().iter().filter(|(_, check)| check.generation < oldest) {
            items.entry(worker).or_default().push((check.generation, check.item));
        }
        let searches: Vec<Search> =
            items.into_iter().map(|(worker, items)| Search { worker: worker.clone(), only: Some(items) }).collect();
        searches.into_iter().for_each(|search| self.search(search));
    }

    /// Searches the past of a worker that is banned, now and once more when all that it played is
    /// there.
    pub(super) fn search_past(&mut self, worker: String) {
        self.unsearched.push((worker.clone(), self.newest));
        self.search(Search { worker, only: None });
    }

    /// Searches the past of workers once more that were banned before this generation was open.
    fn search_banned(&mut self, generation: u64) {
        // As many generations as self-play is ahead are opened at once.
        let is_due = |&(_, since): &(String, u64)| since + self.label.lag < generation;
        let (due, later) = std::mem::take(&mut self.unsearched).into_iter().partition(is_due);
        self.unsearched = later;
        for (worker, _) in due {
            self.search(Search { worker, only: None });
        }
    }

    fn search(&mut self, search: Search) {
        // One for all may be about to end.
        if search.only.is_none() || !self.searching.contains(&search) {
            self.searching.push(search.clone());
            self.put_out(Output::Job(Job::Search(search)));
        }
    }

    /// Closes what belongs to generations before this one.
    fn close_before(&mut self, oldest: u64) {
        self.auditor.close_before(oldest);
        for generation in self.offers.close_before(oldest) {
            self.put_out(Output::PurgeParcels(Some(generation)));
        }
        let kept = self.auditor.oldest().unwrap_or(oldest).min(oldest.saturating_sub(KEPT_SESSIONS));
        let later = self.sessions.split_off(&kept);
        for (generation, session) in std::mem::replace(&mut self.sessions, later) {
            self.put.remove(&generation);
            self.put_out(Output::PurgeOrders(session.sealed.id));
        }
    }

    /// Has the server set up, and takes back what was offered there.
    fn set_up(&mut self) {
        for request in std::mem::take(&mut self.requests).into_values() {
            if let Request::Offer { generation, items } = request {
                self.exchange.give_back(generation, &items);
            }
        }
        for (generation, items) in self.offers.take_all() {
            self.exchange.give_back(generation, &items);
        }
        self.put.clear();
        if let Some(canary) = &mut self.canary {
            canary.is_put = false;
        }
        self.server = Server::InPreparation;
        let number = self.request(Request::SetUp);
        self.put_out(Output::SetUp(number));
    }

    /// Has the server checked, which may have lost what was stored: by itself, or since a worker can make
    /// it send its own requests.
    fn check(&mut self) {
        let of_generations = self.sessions.range(self.oldest..).filter(|(generation, _)| self.has_orders(**generation));
        let mut orders: Vec<SealedOrders> = of_generations.map(|(_, session)| session.sealed.clone()).collect();
        let is_on_its_way = self.requests.values().any(|request| matches!(request, Request::Canary));
        let canary = self.canary.as_ref().filter(|canary| canary.is_put && !is_on_its_way);
        orders.extend(canary.map(|canary| canary.sealed.clone()));
        let number = self.request(Request::Check);
        self.put_out(Output::Check(number, orders));
    }

    /// Puts the orders on the server that it does not have.
    fn put_orders(&mut self) {
        if let Some(canary) = self.canary.as_mut().filter(|canary| !canary.is_put) {
            canary.is_put = true;
            let sealed = canary.sealed.clone();
            let number = self.request(Request::Canary);
            self.put_out(Output::PutOrders(number, sealed));
        }
        let missing = self.sessions.range(self.oldest..).filter(|(generation, _)| !self.put.contains(generation));
        let missing: Vec<(u64, SealedOrders)> =
            missing.map(|(&generation, session)| (generation, session.sealed.clone())).collect();
        for (generation, sealed) in missing {
            self.put.insert(generation);
            let number = self.request(Request::Orders(generation));
            self.put_out(Output::PutOrders(number, sealed));
        }
    }

    pub(super) fn request(&mut self, request: Request) -> u64 {
        self.request_count += 1;
        self.requests.insert(self.request_count, request);
        self.request_count
    }

    /// Returns the number of parcels that are on their way to the server.
    pub(super) fn sent_offers(&self) -> usize {
        self.requests.values().filter(|request| matches!(request, Request::Offer { .. })).count()
    }

    /// Returns `true` if the server has the orders of a generation.
    pub(super) fn has_orders(&self, generation: u64) -> bool {
        let is_on_its_way = |request: &Request| matches!(request, Request::Orders(other) if *other == generation);
        self.put.contains(&generation) && !self.requests.values().any(is_on_its_way)
    }

    /// Receives the server's answer to a request. An answer that was not waited for any more counts
    /// for nothing.
    pub fn replied(&mut self, now: Instant, number: u64, is_done: bool) {
        match self.requests.remove(&number) {
            Some(Request::SetUp) if is_done => self.server = Server::Ready(now + CHECK),
            Some(Request::Offer { generation, items }) if is_done => self.offers.add(now, generation, items),
            Some(request) if !is_done => {
                if let Request::Offer { generation, items } = request {
                    self.exchange.give_back(generation, &items);
                }
                if self.server != Server::Away {
                    self.server = Server::Unprepared(now + RETRY);
                }
            }
            _ => {}
        }
    }

    /// Receives the canary games, once they are played.
    pub fn canary_played(&mut self, games: CanaryGames) {
        if let Some(canary) = &mut self.canary {
            canary.games = Some(games);
            self.last_broadcast = None;
        }
    }

    /// Receives a worker's heartbeat.
    pub fn receive_hello(&mut self, now: Instant, name: &str, payload: &[u8]) {
        match read::<Hello>(payload) {
            // A process that has come gets the next broadcast at once.
            Ok(hello) => {
                if self.roster.worker(name).receive(now, hello) {
                    self.last_broadcast = None;
                }
            }
            Err(_) => self.count_fault(name),
        }
    }

    /// Counts a message that cannot be read. A name of which nothing else is known gets no account, since
    /// a worker can make the server send such messages with names that it invents.
    pub(super) fn count_fault(&mut self, name: &str) {
        self.faults += 1;
        if let Some(worker) = self.roster.known(name) {
            worker.account.faults += 1;
        }
    }

    /// Notes that the run ends. Unless it `settles` all checks, they are left to the process that
    /// resumes the run.
    pub fn end(&mut self, now: Instant, settles: bool) {
        self.note_sessions();
        self.ending = Some(Ending { settles, since: now, reported: None });
        if settles {
            // The coordinator makes the checks of the last generations itself.
            self.auditor.close_before(u64::MAX);
            self.search_inherited(u64::MAX);
        }
    }

    /// Returns `true` once nothing keeps the run from ending.
    pub fn has_ended(&self) -> bool {
        self.ending.as_ref().is_some_and(|ending| !ending.settles || self.is_settled())
    }

    /// Returns `true` if no check is open.
    fn is_settled(&self) -> bool {
        self.auditor.waiting() == 0 && self.judging == 0 && self.searching.is_empty() && self.unsearched.is_empty()
    }

    fn report_waiting(&mut self, now: Instant) {
        let is_settled = self.is_settled();
        let Some(ending) = self.ending.as_mut().filter(|ending| ending.settles && !is_settled) else { return };
        let is_due = ending.reported.map_or(now - ending.since >= PATIENCE, |reported| now - reported >= REPORT);
        if is_due {
            ending.reported = Some(now);
            let (checks, searches) = (self.auditor.waiting(), self.searching.len());
            self.put_out(Output::Report(CoordinatorEvent::Settling { checks, searches }));
        }
    }

    /// Saves the accounts, and takes the run's own from the server. The workers are informed that the
    /// run has ended, unless it goes back to an earlier generation.
    pub fn sign_off(&mut self, now: Instant) {
        self.save();
        if self.exchange.first_fake().is_none() {
            self.broadcast(now, true);
        }
        let orders = self.sessions.values().map(|session| session.sealed.id);
        let orders: Vec<u64> = orders.chain(self.canary.as_ref().map(|canary| canary.sealed.id)).collect();
        self.put_out(Output::PurgeParcels(None));
        for id in orders {
            self.put_out(Output::PurgeOrders(id));
        }
    }

    fn broadcast(&mut self, now: Instant, has_ended: bool) {
        let banned = self.roster.banned().take(MAX_BANNED).cloned().collect();
        let canary = self.canary.as_ref().and_then(|canary| canary.games.clone());
        let message = Now { coordinator: self.id, oldest: self.oldest, canary, has_ended, banned };
        self.last_broadcast = Some(now);
        self.put_out(Output::Broadcast(write(&message)));
    }

    /// Returns the state of the run.
    pub fn status(&self, now: Instant) -> FleetStatus {
        let worker =
            |(name, worker): (&String, &Worker)| WorkerStatus::new(now, name, worker, self.auditor.trust(name));
        let RunLabel { run, generations, lag } = self.label.clone();
        let pace = self.exchange.pace();
        FleetStatus {
            run,
            generations,
            lag,
            seconds: (now - self.started).as_secs_f64(),
            open: self.exchange.progress_of_open().into_iter().map(GenerationStatus::from).collect(),
            workers: self.roster.all().map(worker).collect(),
            audits: AuditStatus {
                checked: self.roster.all().map(|(name, _)| self.auditor.trust(name).checked).sum(),
                waiting: self.auditor.waiting(),
                by_coordinator: self.replays,
                banned: self.roster.banned().count(),
            },
            faults: self.faults,
            bytes_per_item: self.offers.mean.bytes,
            seconds_per_item: self.offers.mean.seconds,
            learner_feeds_cores: pace.map(|pace| pace.cores()),
            learner_waits: pace.map(|pace| pace.waiting_share()),
        }
    }

    /// Writes the workers' accounts. Returns `true` if they are written.
    pub(super) fn save(&mut self) -> bool {
        self.roster.save(&mut self.auditor).is_ok()
    }
}
