//! The machines of a plan, their network and their clock, on one thread.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::rc::Rc;
use std::time::{Duration, Instant};

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::SECOND;
use super::coordinator_node::{self, CoordinatorNode, Ended};
use super::disk::{Finished, SharedDisk};
use super::games;
use super::plan::{Fault, Kind, Plan};
use super::server::{Receiver, Request, Server, ToClient};
use super::worker_node::{self, Rogue, WorkerNode};
use doublecross_selfplay::FinishedItems;

/// The time after which an answer does not come any more.
const ANSWER_TIME: u64 = 5 * SECOND;

/// The time after the last fault within which a run has to end.
const MOST_TIME: u64 = 7200 * SECOND;

/// Something that happens to a machine. Clients are numbered: the coordinator is 0. An event of a
/// process that has ended does not happen.
pub enum Event {
    ToServer(usize, Request),
    ToClient(usize, ToClient),
    /// No answer has come to the question of this number.
    TimedOut(usize, u64, u64),
    Wake(usize, u64),
    WorkerDone(usize, u64, worker_node::Work),
    CoordinatorDone(u64, coordinator_node::Work),
    /// A client notices that its connection is there or lost.
    Connected(usize, bool),
    Start(usize),
    StartServer,
    ServerDue,
    ServerSync,
    FreeDisk,
    Fault(Fault),
}

/// An event at its time, in the order of the times and then as they were added.
struct Entry(u64, u64, Event);

impl Ord for Entry {
    fn cmp(&self, other: &Entry) -> Ordering {
        (other.0, other.1).cmp(&(self.0, self.1))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Entry) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Entry) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Entry {}

/// A machine with a worker's key.
enum Machine {
    Worker(Box<WorkerNode>),
    Rogue(Rogue),
}

/// Counts of what has happened.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    pub events: u64,
    pub seconds: u64,
    pub faults: u64,
    /// Starts of the coordinator's process.
    pub starts: u64,
    pub bans: u64,
    pub returns: u64,
    /// Checks that an earlier process had left open.
    pub inherited: u64,
    /// Items of finished runs, by workers and in all.
    pub by_workers: u64,
    pub items: u64,
}

impl Stats {
    pub fn add(&mut self, other: &Stats) {
        let of = |stats: &Stats| {
            let Stats { events, seconds, faults, starts, bans, returns, inherited, by_workers, items } = *stats;
            [events, seconds, faults, starts, bans, returns, inherited, by_workers, items]
        };
        let [events, seconds, faults, starts, bans, returns, inherited, by_workers, items] =
            std::array::from_fn(|at| of(self)[at] + of(other)[at]);
        *self = Stats { events, seconds, faults, starts, bans, returns, inherited, by_workers, items };
    }
}

/// The state of a simulation.
pub struct World {
    pub plan: Plan,
    pub now: u64,
    pub random: ChaCha8Rng,
    pub disk: SharedDisk,
    pub stats: Stats,
    start: Instant,
    queue: BinaryHeap<Entry>,
    count: u64,
    asked: u64,
    server: Server,
    is_server_up: bool,
    /// For the clients, and the server behind them: the time until which they do nothing.
    paused: Vec<u64>,
    /// The time until which a client has no connection.
    lost: Vec<u64>,
    /// The numbers of the clients' processes.
    processes: Vec<u64>,
    coordinator: Option<CoordinatorNode>,
    workers: Vec<Option<Machine>>,
    names: Vec<Rc<str>>,
    server_due: u64,
    sent: Vec<(Receiver, ToClient)>,
    failure: Option<String>,
    traces: bool,
    is_over: bool,
}

impl World {
    pub fn new((plan, random): (Plan, ChaCha8Rng), traces: bool) -> World {
        let clients = 1 + plan.workers.len();
        let name =
            |number: usize| Rc::from(if number == 0 { "coordinator".into() } else { format!("worker-{number}") });
        World {
            now: 0,
            random,
            disk: SharedDisk::default(),
            stats: Stats::default(),
            start: Instant::now(),
            queue: BinaryHeap::new(),
            count: 0,
            asked: 0,
            server: Server::new(plan.most_results),
            is_server_up: true,
            paused: vec![0; clients + 1],
            lost: vec![0; clients],
            processes: vec![0; clients],
            coordinator: None,
            workers: plan.workers.iter().map(|_| None).collect(),
            names: (0..clients).map(name).collect(),
            server_due: u64::MAX,
            sent: Vec::new(),
            failure: None,
            traces,
            is_over: false,
            plan,
        }
    }

    /// Runs to the end.
    ///
    /// # Errors
    /// Returns what should not have happened.
    pub fn run(mut self) -> Result<Stats, String> {
        self.note(String::new);
        if self.traces {
            let plan = format!("{:?}", self.plan);
            self.note(|| plan);
        }
        let faults = self.plan.faults.clone();
        let last = faults.last().map_or(0, |&(time, _)| time);
        for (time, fault) in faults {
            self.at(time, Event::Fault(fault));
        }
        for client in 0..self.names.len() {
            let time = self.random.random_range(0..5 * SECOND);
            self.at(time, Event::Start(client));
        }
        self.at(self.plan.sync_time, Event::ServerSync);
        while let Some(Entry(time, _, event)) = self.queue.pop() {
            self.now = time;
            self.stats.events += 1;
            if self.now > last + MOST_TIME {
                let state = self.coordinator.as_ref().map_or("no coordinator".into(), CoordinatorNode::state);
                return Err(format!("the run has not ended {} s after the last fault: {state}", MOST_TIME / SECOND));
            }
            self.happen(event);
            if let Some(failure) = self.failure {
                return Err(failure);
            }
            if self.is_over {
                self.stats.seconds = self.now / SECOND;
                return self.check().map(|()| self.stats);
            }
        }
        Err("nothing happens any more".into())
    }

    /// Checks the folder of a run that has ended.
    fn check(&mut self) -> Result<(), String> {
        let Plan { generations, items, lag, .. } = self.plan;
        let finished = Finished { disk: self.disk.clone(), items, lag };
        let accounts: serde_json::Value = serde_json::from_str(&self.disk.lock().accounts).unwrap_or_default();
        let mut is_excused = false;
        for generation in 1..=generations {
            let workers = finished.workers(generation);
            self.stats.by_workers += workers.values().map(Vec::len).sum::<usize>() as u64;
            self.stats.items += items as u64;
            for item in finished.false_items(generation) {
                let is_of = |of: &Vec<(u32, u64)>| of.iter().any(|&(other, _)| other == item);
                let liar = workers.iter().find(|(_, of)| is_of(of)).map(|(name, _)| name.clone());
                let Some(liar) = liar else { return Err(format!("the coordinator's item {item} is false")) };
                // One in 64 is checked of a worker whose first games were true.
                let is_trusted = self.kind_of(&liar) == Some(Kind::SometimesLiar) && accounts[&liar]["ban"].is_null();
                if !is_trusted {
                    return Err(format!("item {item} of generation {generation}, by {liar}, is false"));
                }
                is_excused = true;
            }
        }
        let disk = self.disk.lock();
        let shards: Vec<&Vec<u64>> = disk.shards.values().collect();
        if !is_excused && !shards.into_iter().eq(&games::alone(generations, items, lag)) {
            return Err("the shards are not those of one machine".into());
        }
        let accounts = accounts.as_object().into_iter().flatten();
        let open = accounts.filter(|(_, account)| account["open"].as_array().is_some_and(|open| !open.is_empty()));
        // Where the last accounts could not be written, they are made again.
        if let Some((name, _)) = open.into_iter().next().filter(|_| !disk.is_full) {
            return Err(format!("checks of {name} are open at the end"));
        }
        if disk.parts.values().any(|parts| !parts.is_empty()) {
            return Err("parts are left behind".into());
        }
        Ok(())
    }

    /// Prints a line if the simulation is watched.
    #[allow(clippy::print_stderr)]
    pub fn note(&self, line: impl FnOnce() -> String) {
        if self.traces {
            eprintln!("{:>10.3} {}", self.now as f64 / SECOND as f64, line());
        }
    }

    pub fn fail(&mut self, failure: String) {
        self.failure.get_or_insert(failure);
    }

    /// Returns the present time for the decisions.
    pub fn instant(&self) -> Instant {
        self.start + Duration::from_micros(self.now)
    }

    pub fn time_of(&self, instant: Instant) -> u64 {
        (instant - self.start).as_micros() as u64
    }

    pub fn name(&self, client: usize) -> Rc<str> {
        self.names[client].clone()
    }

    pub fn kind(&self, client: usize) -> Kind {
        self.plan.workers[client - 1]
    }

    pub fn kind_of(&self, name: &str) -> Option<Kind> {
        let client = self.names.iter().position(|other| &**other == name)?;
        self.plan.workers.get(client.checked_sub(1)?).copied()
    }

    /// Returns the number of a client's process.
    pub fn process(&self, client: usize) -> u64 {
        self.processes[client]
    }

    pub fn at(&mut self, time: u64, event: Event) {
        self.count += 1;
        self.queue.push(Entry(time, self.count, event));
    }

    /// Has something happen after some time.
    pub fn work(&mut self, time: u64, event: Event) {
        self.at(self.now + time, event);
    }

    /// Returns the times at which a message between a client and the server arrives.
    fn arrivals(&mut self, client: usize) -> [Option<u64>; 2] {
        let mut from = self.now;
        if self.lost[client] > from {
            // The client keeps some until the connection is there.
            if self.random.random() {
                return [None, None];
            }
            from = self.lost[client];
        }
        let arrival = |share: f64, random: &mut ChaCha8Rng| {
            let most = if random.random::<f64>() < self.plan.lateness { 5 * SECOND } else { SECOND / 50 };
            (random.random::<f64>() < share).then(|| from + random.random_range(100..most))
        };
        let (first, second) = (1.0 - self.plan.loss, self.plan.duplication);
        [arrival(first, &mut self.random), if second > 0.0 { arrival(second, &mut self.random) } else { None }]
    }

    /// Sends a message to the server.
    pub fn send(&mut self, client: usize, request: Request) {
        for arrival in self.arrivals(client).into_iter().flatten() {
            self.at(arrival, Event::ToServer(client, request.clone()));
        }
    }

    /// Asks the server something, and returns the number of the question. It is answered once, or
    /// known not to be.
    pub fn ask(&mut self, client: usize, request: impl FnOnce(u64) -> Request) -> u64 {
        self.asked += 1;
        let number = self.asked;
        self.at(self.now + ANSWER_TIME, Event::TimedOut(client, self.process(client), number));
        self.send(client, request(number));
        number
    }

    /// Delivers what the server has sent.
    fn deliver(&mut self) {
        for (receiver, message) in std::mem::take(&mut self.sent) {
            let clients = match receiver {
                Receiver::Client(client) => client..client + 1,
                Receiver::Coordinator => 0..1,
                Receiver::Workers => 1..self.names.len(),
            };
            for client in clients {
                for arrival in self.arrivals(client).into_iter().flatten() {
                    self.at(arrival, Event::ToClient(client, message.clone()));
                }
            }
        }
        if let Some(due) = self.server.next_due().map(|due| due.max(self.now + 1))
            && (due < self.server_due || self.server_due <= self.now)
        {
            self.server_due = due;
            self.at(due, Event::ServerDue);
        }
    }

    fn happen(&mut self, event: Event) {
        let machine = match &event {
            Event::ToServer(..) | Event::ServerDue => self.names.len(),
            Event::ToClient(client, _)
            | Event::TimedOut(client, ..)
            | Event::Wake(client, _)
            | Event::WorkerDone(client, ..)
            | Event::Connected(client, _) => *client,
            Event::CoordinatorDone(..) => 0,
            Event::Start(_) | Event::StartServer | Event::ServerSync | Event::FreeDisk | Event::Fault(_) => {
                return self.intervene(event);
            }
        };
        if self.paused[machine] > self.now {
            self.at(self.paused[machine], event);
            return;
        }
        match event {
            Event::ToServer(client, request) if self.is_server_up => {
                self.server.handle(self.now, client, request, &mut self.sent);
                self.deliver();
            }
            Event::ServerDue if self.is_server_up => {
                self.server.serve(self.now, &mut self.sent);
                self.deliver();
            }
            Event::ToServer(..) | Event::ServerDue => {}
            event if machine == 0 => self.happen_to_coordinator(event),
            event => self.happen_to_worker(machine, event),
        }
    }

    fn happen_to_coordinator(&mut self, event: Event) {
        let Some(mut node) = self.coordinator.take() else { return };
        let process = self.processes[0];
        match event {
            Event::Wake(_, of) if of == process => self.at(self.now + self.plan.tick, Event::Wake(0, process)),
            Event::CoordinatorDone(of, work) if of == process => node.done(self, work),
            Event::TimedOut(_, of, number) if of == process => node.receive(self, number, None),
            Event::ToClient(_, ToClient::Reply(number, reply)) => node.receive(self, number, Some(reply)),
            Event::ToClient(_, ToClient::Hello(name, hello)) => node.receive_hello(self, &name, &hello),
            Event::ToClient(_, ToClient::Result(of, message, name, payload)) if of == process => {
                node.take(self, message, &name, &payload);
            }
            Event::Connected(_, is_there) if is_there == (self.lost[0] <= self.now) => node.connected(self, is_there),
            _ => {}
        }
        let ended = node.wake(self);
        if self.disk.lock().is_dead {
            self.note(|| "the coordinator dies while it writes".into());
            self.disk.lock().revive();
            return self.lose_process(0);
        }
        match ended {
            None => self.coordinator = Some(node),
            Some(Ended::Whole) => self.is_over = true,
            Some(Ended::Failed) => self.lose_process(0),
            Some(Ended::GoesBack(generation)) => {
                self.note(|| format!("the run goes back to before generation {generation}"));
                self.stats.returns += 1;
                self.disk.lock().go_back(generation);
                self.processes[0] += 1;
                self.at(self.now, Event::Start(0));
            }
        }
    }

    fn happen_to_worker(&mut self, client: usize, event: Event) {
        let Some(mut machine) = self.workers[client - 1].take() else { return };
        let process = self.processes[client];
        match &mut machine {
            Machine::Worker(node) => {
                match event {
                    Event::WorkerDone(_, of, work) if of == process => node.done(self, work),
                    Event::TimedOut(_, of, number) if of == process => node.receive(self, number, None),
                    Event::ToClient(_, ToClient::Reply(number, reply)) => node.receive(self, number, Some(reply)),
                    Event::ToClient(_, ToClient::Broadcast(bytes)) => node.receive_broadcast(self, &bytes),
                    _ => {}
                }
                node.wake(self, client);
                if node.logic.end().is_some() {
                    // A service starts it again.
                    return self.lose_process(client);
                }
            }
            Machine::Rogue(rogue) => match event {
                Event::Wake(_, of) if of == process => {
                    rogue.act(self, client);
                    let time = self.now + self.random.random_range(SECOND / 10..10 * SECOND);
                    self.at(time, Event::Wake(client, process));
                }
                Event::TimedOut(_, of, number) if of == process => rogue.receive(number, None),
                Event::ToClient(_, ToClient::Reply(number, reply)) => rogue.receive(number, Some(reply)),
                _ => {}
            },
        }
        self.workers[client - 1] = Some(machine);
    }

    /// Ends a process, which starts again after a while.
    fn lose_process(&mut self, client: usize) {
        self.processes[client] += 1;
        let time = self.now + self.random.random_range(0..20 * SECOND);
        self.at(time, Event::Start(client));
    }

    fn intervene(&mut self, event: Event) {
        match event {
            Event::Start(0) => self.start_coordinator(),
            Event::Start(client) if self.workers[client - 1].is_none() => {
                let machine = match self.kind(client) {
                    kind @ (Kind::Rogue | Kind::LyingRogue) => Machine::Rogue(Rogue::new(kind == Kind::LyingRogue)),
                    _ => Machine::Worker(Box::new(WorkerNode::new(self, client))),
                };
                self.workers[client - 1] = Some(machine);
                self.at(self.now, Event::Wake(client, self.processes[client]));
            }
            Event::StartServer => {
                self.note(|| "the server is back".into());
                self.is_server_up = true;
                self.server.restart();
            }
            Event::ServerSync => {
                self.server.sync();
                self.at(self.now + self.plan.sync_time, Event::ServerSync);
            }
            Event::FreeDisk => self.disk.lock().is_full = false,
            Event::Fault(fault) => self.cause(fault),
            _ => {}
        }
    }

    fn start_coordinator(&mut self) {
        if self.coordinator.is_some() {
            return;
        }
        // Without a server, a run does not begin.
        if self.lost[0] > self.now || !self.is_server_up {
            return self.at(self.now + SECOND, Event::Start(0));
        }
        self.note(|| "the coordinator starts".into());
        self.stats.starts += 1;
        match CoordinatorNode::start(self) {
            Some(node) => {
                self.stats.inherited += node.logic.inherited() as u64;
                self.coordinator = Some(node);
                self.at(self.now, Event::Wake(0, self.processes[0]));
            }
            None => self.lose_process(0),
        }
    }

    /// Cuts a client's connection for some time.
    fn cut(&mut self, client: usize, until: u64) {
        self.lost[client] = self.lost[client].max(until);
        let noticed = self.now + self.random.random_range(0..2 * SECOND);
        self.at(noticed, Event::Connected(client, false));
        self.at(self.lost[client], Event::Connected(client, true));
    }

    /// Ends the server's process for some time.
    fn stop_server(&mut self) {
        self.is_server_up = false;
        let until = self.now + self.random.random_range(SECOND / 10..10 * SECOND);
        for client in 0..self.names.len() {
            let pause = self.random.random_range(0..8 * SECOND);
            self.cut(client, until + pause);
        }
        self.at(until, Event::StartServer);
    }

    fn cause(&mut self, fault: Fault) {
        self.note(|| format!("fault: {fault:?}"));
        self.stats.faults += 1;
        let (client, time) = (self.random.random_range(0..self.names.len()), self.random.random_range(0..40 * SECOND));
        match fault {
            Fault::KillCoordinator if self.coordinator.take().is_some() => self.lose_process(0),
            Fault::KillCoordinatorWriting => self.disk.lock().dies_in = Some(self.random.random_range(0..8)),
            Fault::PauseCoordinator => self.paused[0] = self.now + time,
            Fault::FillDisk => {
                self.disk.lock().is_full = true;
                self.at(self.now + time, Event::FreeDisk);
            }
            Fault::KillWorker if client > 0 && self.workers[client - 1].take().is_some() => self.lose_process(client),
            Fault::EndWorker if client > 0 => {
                if let Some(Machine::Worker(node)) = &mut self.workers[client - 1] {
                    node.logic.stop(self.start + Duration::from_micros(self.now));
                    self.at(self.now, Event::Wake(client, self.processes[client]));
                }
            }
            Fault::PauseWorker if client > 0 => self.paused[client] = self.now + time,
            Fault::Partition => self.cut(client, self.now + time),
            Fault::KillServer => self.stop_server(),
            Fault::LoseServerPower => {
                self.stop_server();
                self.server.lose_power();
            }
            Fault::EmptyServer => {
                self.stop_server();
                self.server.lose_all();
            }
            Fault::FlipServerBit => {
                self.server.flip_bit(&mut self.random);
                if self.random.random() {
                    self.stop_server();
                }
            }
            Fault::LoseServerStreams => self.server.lose_streams(&mut self.random),
            Fault::PauseServer => *self.paused.last_mut().expect("the server's") = self.now + time,
            _ => {}
        }
    }
}
