//! A worker's decisions: from messages and times to messages, without a server, a clock or threads.
//!
//! The driver that talks to the server (`driver.rs`) and the simulator both use it. Each method is
//! something that has happened, and what it leads to stands in [`WorkerLogic::next_output`].

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::output::{Output, Pulled, Response};
use super::players::{Assignment, Outcome};
use super::worker::WorkerEvent;
use crate::proof::is_proof;
use crate::protocol::messages::{CanaryGames, Hello, Id, Now, Parcel, read, shown};
use crate::protocol::orders_store::FetchError;
use doublecross_core::net::Isa;
use doublecross_selfplay::{Orders, Session};

/// The time between two heartbeats.
const HEARTBEAT: Duration = Duration::from_secs(2);

/// The time between two signs that a parcel is being worked on, three of which fit into the time
/// after which the server gives it to another.
const EXTENSION: Duration = Duration::from_secs(8);

/// The first pause between two attempts to hand in.
const FIRST_PAUSE: Duration = Duration::from_millis(250);

/// The longest pause between two attempts to hand in.
const LONGEST_PAUSE: Duration = Duration::from_secs(8);

/// The pause after the server had too much to do to give a parcel.
const PULL_PAUSE: Duration = Duration::from_millis(300);

/// The pause after the server gave a reason instead of a parcel.
const LONG_PULL_PAUSE: Duration = Duration::from_secs(1);

/// The time after which a parcel whose orders are not there is tried again, by this worker or another.
const ORDERS_PAUSE: Duration = Duration::from_millis(500);

/// The number of sessions that are kept.
const SESSIONS: usize = 3;

/// The reason for which a worker that is banned ends.
const BANNED: &str = "games of this machine came out otherwise on the coordinator, which takes no more from it (its \
                      processor or memory computes wrongly, or its program was changed)";

/// The reason why a worker ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// It was asked to, or its run has ended.
    Done,
    /// It cannot play for the run.
    Refused(String),
}

/// The parcel that is to be played next.
enum Next {
    /// None is asked for before this time.
    None(Instant),
    /// The server is asked for one.
    Pulling,
    /// Its orders are being prepared.
    Preparing { token: u64, parcel: Parcel, step: Step },
}

/// A step towards the session of a parcel.
enum Step {
    /// The orders of the canary games are read.
    CanaryOrders(CanaryGames),
    /// The canary games are compared.
    Canary { id: Id, board: String, isa: &'static str },
    /// The orders are read.
    Orders,
    /// The session is made.
    Session,
}

/// A parcel that was played, and is being handed in.
struct HandingIn {
    outcome: Outcome,
    /// The number of its parts that the server has.
    stored: usize,
    pause: Duration,
    /// The time of the next attempt; `None` while one is under way.
    retry: Option<Instant>,
}

/// The state of a worker.
pub(crate) struct WorkerLogic {
    name: String,
    process: Id,
    threads: usize,
    ends_with_run: bool,
    /// The coordinator's last broadcast.
    now: Option<Now>,
    /// The orders of the canary games that were compared.
    checked: Option<Id>,
    sessions: Vec<Arc<Session>>,
    next: Next,
    /// The tokens of the parcels that are played or handed in, by their numbers here.
    held: BTreeMap<u64, u64>,
    taken: u64,
    /// The parcels that were played.
    played: VecDeque<Outcome>,
    handing_in: Option<HandingIn>,
    items: u64,
    heartbeat: Instant,
    extension: Instant,
    end: Option<End>,
    outputs: VecDeque<Output>,
}

impl WorkerLogic {
    /// Creates the state of a worker that has just been started. The number of its process is no
    /// other's.
    pub fn new(now: Instant, name: String, process: Id, threads: usize, ends_with_run: bool) -> WorkerLogic {
        WorkerLogic {
            name,
            process,
            threads,
            ends_with_run,
            now: None,
            checked: None,
            sessions: Vec::new(),
            next: Next::None(now),
            held: BTreeMap::new(),
            taken: 0,
            played: VecDeque::new(),
            handing_in: None,
            items: 0,
            heartbeat: now,
            extension: now + EXTENSION,
            end: None,
            outputs: VecDeque::new(),
        }
    }

    /// Returns the next request of the worker's.
    pub fn next_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// Returns the number of items that were handed in.
    pub fn items(&self) -> u64 {
        self.items
    }

    /// Returns why the worker has ended, once it has.
    pub fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// Does what is due. It is called after everything that happens, and at [`WorkerLogic::next_wake`].
    pub fn wake(&mut self, now: Instant) {
        if self.end.is_some() {
            return;
        }
        if self.heartbeat <= now {
            self.send_hello(now, None);
        }
        if self.extension <= now {
            self.extension = now + EXTENSION;
            self.respond_to_all(Response::InProgress);
        }
        if matches!(self.next, Next::None(from) if from <= now) && self.wants_parcels() {
            self.next = Next::Pulling;
            self.outputs.push_back(Output::Pull);
        }
        if self.handing_in.as_ref().and_then(|handing_in| handing_in.retry).is_some_and(|retry| retry <= now) {
            self.hand_in_next_part();
        }
    }

    /// Returns the next time at which something is due.
    pub fn next_wake(&self) -> Instant {
        let pull = match self.next {
            Next::None(from) if self.wants_parcels() => Some(from),
            _ => None,
        };
        let retry = self.handing_in.as_ref().and_then(|handing_in| handing_in.retry);
        [pull, retry].into_iter().flatten().fold(self.heartbeat.min(self.extension), Instant::min)
    }

    /// Returns `true` if there are threads for another parcel, and a run.
    fn wants_parcels(&self) -> bool {
        let most = self.threads + self.threads.div_ceil(4);
        self.held.len() < most && self.now.is_some()
    }

    /// Receives a broadcast.
    pub fn receive_broadcast(&mut self, now: Instant, payload: &[u8]) {
        let Ok(message) = read::<Now>(payload) else {
            if is_proof(payload) {
                let reason = "a proof uses the server (a worker with --prove works on it)".into();
                self.report(WorkerEvent::Waiting { reason });
            }
            return;
        };
        self.outputs.push_back(Output::SetOldest(message.oldest));
        if message.has_ended {
            // A run that was not announced before is another one, which ended as this worker came.
            if self.ends_with_run && self.now.is_some() {
                self.finish(now, End::Done);
            }
            self.now = None;
            return;
        }
        if message.banned.contains(&self.name) {
            self.finish(now, End::Refused(BANNED.into()));
            return;
        }
        let coordinator = message.coordinator;
        let before = self.now.replace(message);
        if before.is_none_or(|before| before.coordinator != coordinator) {
            self.send_hello(now, None);
        }
    }

    /// Receives the server's answer to who asks for a parcel.
    pub fn pulled(&mut self, now: Instant, pulled: Pulled) {
        let (token, payload) = match pulled {
            Pulled::Parcel(token, payload) if self.end.is_none() => (token, payload),
            Pulled::Parcel(token, _) => return self.respond(token, Response::GiveBack(Duration::ZERO)),
            Pulled::Nothing => {
                self.next = Next::None(now);
                return;
            }
            Pulled::Failed(None) => {
                self.next = Next::None(now + PULL_PAUSE);
                return;
            }
            Pulled::Failed(Some(reason)) => {
                let reason = format!("the server has no games to give ({reason})");
                self.report(WorkerEvent::Waiting { reason });
                self.next = Next::None(now + LONG_PULL_PAUSE);
                return;
            }
        };
        match read::<Parcel>(&payload) {
            Ok(parcel) => self.prepare(now, token, parcel),
            // The coordinator misses it in time.
            Err(_) => self.dismiss(now, token, Response::Drop),
        }
    }

    /// Takes the next step towards the session of a parcel.
    fn prepare(&mut self, now: Instant, token: u64, parcel: Parcel) {
        if let Some(session) = self.sessions.iter().find(|session| session.sealed.id == parcel.orders.0).cloned() {
            self.play(now, token, parcel, session);
            return;
        }
        let Some(canary) = self.now.as_ref().and_then(|now| now.canary.clone()) else {
            self.dismiss(now, token, Response::GiveBack(ORDERS_PAUSE));
            return;
        };
        let (id, step) = match self.checked {
            Some(checked) if checked == canary.orders => (parcel.orders, Step::Orders),
            _ => (canary.orders, Step::CanaryOrders(canary)),
        };
        self.outputs.push_back(Output::Fetch(id));
        self.next = Next::Preparing { token, parcel, step };
    }

    /// Receives orders, or why there are none.
    pub fn fetched(&mut self, now: Instant, orders: Result<Orders, FetchError>) {
        let Some((token, parcel, step)) = self.take_preparing(now) else { return };
        let orders = match orders {
            Ok(orders) => Box::new(orders),
            Err(error @ FetchError::Absent(_)) => {
                self.report(WorkerEvent::Waiting {
                    reason: format!("the server does not have the games' orders now ({error})"),
                });
                return self.dismiss(now, token, Response::GiveBack(ORDERS_PAUSE));
            }
            Err(FetchError::Refused(reason)) => return self.refuse(now, token, reason),
        };
        let (output, step) = match step {
            Step::CanaryOrders(games) => {
                let (board, isa) = (orders.board.to_string(), orders.isa.name());
                let step = Step::Canary { id: games.orders, board, isa };
                (Output::CheckCanary(orders, games), step)
            }
            _ => (Output::Prepare(orders), Step::Session),
        };
        self.outputs.push_back(output);
        self.next = Next::Preparing { token, parcel, step };
    }

    /// Receives the outcome of the canary games.
    pub fn canary_checked(&mut self, now: Instant, outcome: Result<(), String>) {
        let Some((token, parcel, step)) = self.take_preparing(now) else { return };
        match (outcome, step) {
            (Err(reason), _) => self.refuse(now, token, reason),
            (Ok(()), Step::Canary { id, board, isa }) => {
                self.checked = Some(id);
                self.report(WorkerEvent::Run { board, isa });
                self.prepare(now, token, parcel);
            }
            (Ok(()), _) => self.dismiss(now, token, Response::GiveBack(ORDERS_PAUSE)),
        }
    }

    /// Receives a session.
    pub fn prepared(&mut self, now: Instant, session: Result<Arc<Session>, String>) {
        let Some((token, parcel, _)) = self.take_preparing(now) else { return };
        let other = || {
            "the run's orders are of another version of the program (install the same version on both machines)".into()
        };
        let session = session.and_then(|session| match session.sealed.id == parcel.orders.0 {
            true => Ok(session),
            false => Err(other()),
        });
        match session {
            Ok(session) => {
                self.sessions.insert(0, session.clone());
                self.sessions.truncate(SESSIONS);
                self.play(now, token, parcel, session);
            }
            Err(reason) => self.refuse(now, token, reason),
        }
    }

    fn take_preparing(&mut self, now: Instant) -> Option<(u64, Parcel, Step)> {
        match std::mem::replace(&mut self.next, Next::None(now)) {
            Next::Preparing { token, parcel, step } => Some((token, parcel, step)),
            other => {
                self.next = other;
                None
            }
        }
    }

    fn play(&mut self, now: Instant, token: u64, parcel: Parcel, session: Arc<Session>) {
        let parcel = Parcel { generation: session.orders.generation, ..parcel };
        if parcel.items.iter().any(|&item| item >= session.orders.items()) {
            self.dismiss(now, token, Response::Drop);
            return;
        }
        self.taken += 1;
        self.held.insert(self.taken, token);
        self.outputs.push_back(Output::Play(Assignment { number: self.taken, session, parcel }));
        self.next = Next::None(now);
    }

    /// Lets go of a parcel that is not played.
    fn dismiss(&mut self, now: Instant, token: u64, response: Response) {
        self.respond(token, response);
        self.next = Next::None(now);
    }

    fn refuse(&mut self, now: Instant, token: u64, reason: String) {
        // For others, at once.
        self.dismiss(now, token, Response::GiveBack(Duration::ZERO));
        self.finish(now, End::Refused(reason));
    }

    /// Receives the outcome of a parcel.
    pub fn played(&mut self, outcome: Outcome) {
        self.played.push_back(outcome);
        if self.handing_in.is_none() {
            self.hand_in_next();
        }
    }

    /// Begins to hand in the next parcel that was played.
    fn hand_in_next(&mut self) {
        self.handing_in =
            self.played.pop_front().map(|outcome| HandingIn { outcome, stored: 0, pause: FIRST_PAUSE, retry: None });
        self.hand_in_next_part();
    }

    fn hand_in_next_part(&mut self) {
        let Some(handing_in) = &mut self.handing_in else { return };
        handing_in.retry = None;
        // Without an id: by one that could be guessed, another worker could have it taken for a duplicate.
        if let Some(part) = handing_in.outcome.parts.get(handing_in.stored) {
            self.outputs.push_back(Output::HandIn(part.clone()));
            return;
        }
        let Outcome { number, items, is_done, .. } = handing_in.outcome;
        self.items += items as u64;
        if let Some(token) = self.held.remove(&number) {
            let response = if is_done { Response::Done } else { Response::GiveBack(Duration::ZERO) };
            // Without it, the parcel is played twice.
            self.respond(token, response);
        }
        self.report(WorkerEvent::HandedIn { items: self.items });
        self.hand_in_next();
    }

    /// Notes that the server has a part, or why it does not.
    pub fn handed_in(&mut self, now: Instant, stored: Result<(), String>) {
        let Some(handing_in) = &mut self.handing_in else { return };
        match stored {
            Ok(()) => {
                handing_in.stored += 1;
                handing_in.pause = FIRST_PAUSE;
                self.hand_in_next_part();
            }
            Err(error) => {
                handing_in.retry = Some(now + handing_in.pause);
                handing_in.pause = (2 * handing_in.pause).min(LONGEST_PAUSE);
                let reason = format!("the server does not take games now ({error})");
                self.report(WorkerEvent::Waiting { reason });
            }
        }
    }

    /// Ends the worker.
    pub fn stop(&mut self, now: Instant) {
        self.finish(now, End::Done);
    }

    fn finish(&mut self, now: Instant, end: End) {
        if self.end.is_some() {
            return;
        }
        // What is held goes to others at once.
        self.respond_to_all(Response::GiveBack(Duration::ZERO));
        let refusal = match &end {
            End::Refused(reason) => Some(shown(reason)),
            End::Done => None,
        };
        self.send_hello(now, refusal);
        self.end = Some(end);
    }

    fn respond_to_all(&mut self, response: Response) {
        let preparing = match self.next {
            Next::Preparing { token, .. } => Some(token),
            _ => None,
        };
        for token in self.held.values().copied().chain(preparing) {
            self.outputs.push_back(Output::Respond(token, response));
        }
    }

    fn respond(&mut self, token: u64, response: Response) {
        self.outputs.push_back(Output::Respond(token, response));
    }

    fn report(&mut self, event: WorkerEvent) {
        self.outputs.push_back(Output::Report(event));
    }

    fn send_hello(&mut self, now: Instant, refusal: Option<String>) {
        self.heartbeat = now + HEARTBEAT;
        self.outputs.push_back(Output::Hello(Hello {
            process: self.process,
            threads: self.threads as u32,
            program: env!("CARGO_PKG_VERSION").into(),
            isa: Isa::fastest().name().into(),
            items: self.items,
            idle: 0.0,
            refusal,
        }));
    }

    /// Returns the share of the threads' time between two heartbeats that this time is.
    pub fn idle_share(&self, waited: Duration) -> f64 {
        (waited.as_secs_f64() / (self.threads as f64 * HEARTBEAT.as_secs_f64())).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::messages::write;

    fn worker(ends_with_run: bool) -> (WorkerLogic, Instant) {
        let now = Instant::now();
        (WorkerLogic::new(now, "worker-1".into(), Id(7), 2, ends_with_run), now)
    }

    fn broadcast(coordinator: u64, has_ended: bool) -> Vec<u8> {
        write(&Now { coordinator: Id(coordinator), oldest: 0, canary: None, has_ended, banned: Vec::new() })
    }

    /// The outputs so far, as words.
    fn outputs(worker: &mut WorkerLogic) -> Vec<String> {
        let word = |output| match output {
            Output::Hello(Hello { refusal: None, .. }) => "hello".into(),
            Output::Hello(_) => "refusal".into(),
            Output::Pull => "pull".into(),
            Output::Respond(token, response) => format!("{token} {response:?}"),
            Output::HandIn(part) => format!("part {}", part[0]),
            Output::Report(WorkerEvent::HandedIn { items }) => format!("{items} in all"),
            Output::Report(WorkerEvent::Waiting { .. }) => "waits".into(),
            Output::SetOldest(_) => "oldest".into(),
            _ => "other".into(),
        };
        std::iter::from_fn(|| worker.next_output()).map(word).collect()
    }

    #[test]
    fn a_worker_ends_with_the_first_run_that_is_announced() {
        let (mut worker, now) = self::worker(true);
        // The end of a run that was not announced to it.
        worker.receive_broadcast(now, &broadcast(1, true));
        assert_eq!(worker.end(), None);
        worker.receive_broadcast(now, &broadcast(2, false));
        assert_eq!(worker.end(), None);
        // Nothing was played, not even the canary games.
        worker.receive_broadcast(now, &broadcast(2, true));
        assert_eq!(worker.end(), Some(&End::Done));
        // A coordinator that was started again may have nothing left but the end.
        let (mut worker, now) = self::worker(true);
        worker.receive_broadcast(now, &broadcast(2, false));
        worker.receive_broadcast(now, &broadcast(3, true));
        assert_eq!(worker.end(), Some(&End::Done));
        // Other workers wait for the next run.
        let (mut worker, now) = self::worker(false);
        for (coordinator, has_ended) in [(2, false), (2, true), (2, false)] {
            worker.receive_broadcast(now, &broadcast(coordinator, has_ended));
        }
        assert_eq!(worker.end(), None);
    }

    #[test]
    fn a_worker_greets_each_coordinator_and_asks_for_parcels_once() {
        let (mut worker, now) = self::worker(false);
        worker.wake(now);
        assert_eq!(outputs(&mut worker), ["hello"]);
        worker.receive_broadcast(now, &broadcast(1, false));
        worker.receive_broadcast(now, &broadcast(1, false));
        worker.wake(now);
        worker.wake(now);
        assert_eq!(outputs(&mut worker), ["oldest", "hello", "oldest", "pull"]);
        worker.pulled(now, Pulled::Failed(None));
        worker.wake(now);
        assert_eq!((outputs(&mut worker).len(), worker.next_wake()), (0, now + PULL_PAUSE));
        worker.wake(now + PULL_PAUSE);
        worker.pulled(now, Pulled::Parcel(5, b"no parcel".into()));
        assert_eq!(outputs(&mut worker), ["pull", "5 Drop"]);
    }

    #[test]
    fn parts_are_handed_in_as_often_as_it_takes_and_then_the_parcel_is_done() {
        let (mut worker, now) = self::worker(false);
        worker.held = BTreeMap::from([(1, 10), (2, 20)]);
        worker.played(Outcome { number: 1, parts: vec![vec![1], vec![2]], items: 9, is_done: true });
        worker.played(Outcome { number: 2, parts: Vec::new(), items: 0, is_done: false });
        worker.handed_in(now, Err("full".into()));
        assert_eq!(outputs(&mut worker), ["part 1", "waits"]);
        let later = now + FIRST_PAUSE;
        assert_eq!(worker.next_wake(), now);
        worker.wake(later);
        worker.handed_in(later, Err("full".into()));
        worker.wake(later + FIRST_PAUSE);
        assert_eq!(outputs(&mut worker), ["hello", "part 1", "waits"]);
        worker.wake(later + 2 * FIRST_PAUSE);
        worker.handed_in(later, Ok(()));
        worker.handed_in(later, Ok(()));
        let done = ["part 1", "part 2", "10 Done", "9 in all", "20 GiveBack(0ns)", "9 in all"];
        assert_eq!(outputs(&mut worker), done);
    }

    #[test]
    fn a_banned_worker_gives_back_what_it_has() {
        let (mut worker, now) = self::worker(false);
        worker.held = BTreeMap::from([(1, 10)]);
        let banned = vec!["worker-2".into(), "worker-1".into()];
        let message = Now { coordinator: Id(1), oldest: 0, canary: None, has_ended: false, banned };
        worker.receive_broadcast(now, &write(&message));
        assert!(matches!(worker.end(), Some(End::Refused(reason)) if reason.contains("came out otherwise")));
        assert_eq!(outputs(&mut worker), ["oldest", "10 GiveBack(0ns)", "refusal"]);
        worker.wake(now + HEARTBEAT);
        assert!(outputs(&mut worker).is_empty());
    }
}
