//! The coordinator's machine: the decisions of the real coordinator, its learner and its players.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::disk::{Accounts, Finished};
use super::games;
use super::learner::{Learner, Stage};
use super::plan::Kind;
use super::server::{Name, RESULTS_TIME, Reply, Request};
use super::world::{Event, World};
use crate::coordinator::CoordinatorEvent;
use crate::coordinator::item_checker::{JobDone, find_fake};
use crate::coordinator::logic::{CoordinatorLogic, RunLabel};
use crate::coordinator::output::{Job, Output};
use crate::coordinator::results::Delivery;
use crate::protocol::messages::{CanaryGames, Id};
use crate::worker::output::Response;
use doublecross_selfplay::{Exchange, PlayedItem};

/// Work of the coordinator's machine that takes time.
pub enum Work {
    /// A player has played an item of a generation.
    Played(u64, PlayedItem),
    /// The item checker has done its job.
    JobDone,
    /// The shard of the generation is to be written now.
    WriteShard,
    /// The generation was learned from.
    Learned,
    /// The results that have come are to be taken.
    TakeResults,
    /// Results are to be asked for again.
    PullResults,
}

/// The way in which the coordinator's process ends.
pub enum Ended {
    /// The run is at its end.
    Whole,
    /// It goes back to before this generation.
    GoesBack(u64),
    /// A file could not be written.
    Failed,
}

/// A process of the coordinator.
pub struct CoordinatorNode {
    pub logic: CoordinatorLogic,
    exchange: Arc<Exchange>,
    learner: Arc<Mutex<Learner>>,
    is_ending: bool,
    has_failed: bool,
    /// The requests to the server that are not answered.
    wanted: BTreeMap<u64, u64>,
    jobs: VecDeque<Job>,
    is_checking: bool,
    idle_players: usize,
    /// The results that have come.
    results: Vec<Delivery>,
    pulls: bool,
}

impl CoordinatorNode {
    /// Starts the process, which resumes the run; `None` if a file cannot be read or written.
    pub fn start(world: &mut World) -> Option<CoordinatorNode> {
        let exchange: Arc<Exchange> = Arc::default();
        let (plan, disk) = (&world.plan, &world.disk);
        let facts = (plan.generations, plan.items, plan.lag);
        let learner = Learner::resume(disk, &exchange, facts, plan.is_hasty).ok()?;
        let learner = Arc::new(Mutex::new(learner));
        let label = RunLabel { run: "simulated".into(), generations: plan.generations, lag: plan.lag };
        let accounts = Accounts { disk: disk.clone(), exchange: exchange.clone(), learner: learner.clone() };
        let random = ChaCha8Rng::seed_from_u64(world.random.random());
        let logic = CoordinatorLogic::new(world.instant(), exchange.clone(), label, Box::new(accounts), random);
        Some(CoordinatorNode {
            logic,
            exchange,
            learner,
            is_ending: false,
            has_failed: false,
            wanted: BTreeMap::new(),
            jobs: VecDeque::new(),
            is_checking: false,
            idle_players: world.plan.threads,
            results: Vec::new(),
            pulls: false,
        })
    }

    /// Returns what the process is at, as a text.
    pub fn state(&self) -> String {
        let stage = match self.learner().stage {
            Stage::Waiting => "waiting",
            Stage::Collected(_) => "collected",
            Stage::Written => "written",
            Stage::Learning => "learning",
            Stage::Done => "done",
        };
        let (jobs, idle) = (self.jobs.len(), self.idle_players);
        format!("learner {stage}, {jobs} jobs, {idle} idle players, open {:?}", self.exchange.progress_of_open())
    }

    fn learner(&self) -> MutexGuard<'_, Learner> {
        self.learner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does what is due. Returns how the process ends, once it does.
    pub fn wake(&mut self, world: &mut World) -> Option<Ended> {
        self.logic.wake(world.instant());
        self.put_out(world);
        if world.disk.lock().is_dead {
            return None;
        }
        if !self.is_ending {
            self.learn(world);
        }
        while !self.is_ending
            && self.idle_players > 0
            && let Some((session, item)) = self.exchange.take_now(world.instant())
        {
            self.idle_players -= 1;
            let time = world.plan.own_item_time / 2 + world.random.random_range(0..=world.plan.own_item_time);
            let played = games::play(&session.orders, item, Duration::from_micros(time), false);
            let work = Work::Played(session.orders.generation, played);
            world.work(time, Event::CoordinatorDone(world.process(0), work));
        }
        self.check(world);
        if !self.logic.has_ended() {
            return None;
        }
        self.logic.sign_off(world.instant());
        self.put_out(world);
        Some(match self.exchange.first_fake() {
            Some(generation) => Ended::GoesBack(generation),
            None if self.has_failed => Ended::Failed,
            None => Ended::Whole,
        })
    }

    fn end(&mut self, world: &World, settles: bool) {
        self.is_ending = true;
        self.logic.end(world.instant(), settles);
    }

    /// Has the learner go on.
    fn learn(&mut self, world: &mut World) {
        if self.exchange.first_fake().is_some() {
            self.end(world, false);
            return;
        }
        // It saves what is there now and then, and fails where that fails.
        let has_failed = world.random.random_range(0..50) == 0 && self.exchange.save().is_err();
        if has_failed || self.learner().has_failed {
            self.has_failed = true;
            self.end(world, false);
            return;
        }
        let mut learner = self.learner();
        if learner.collect(&self.exchange) {
            drop(learner);
            let event = Event::CoordinatorDone(world.process(0), Work::WriteShard);
            return world.work(world.plan.learning_time / 10, event);
        }
        let (work, time) = match learner.stage {
            Stage::Written => {
                learner.stage = Stage::Learning;
                (Work::Learned, world.plan.learning_time)
            }
            Stage::Done => {
                drop(learner);
                return self.end(world, true);
            }
            _ => return,
        };
        drop(learner);
        world.work(time, Event::CoordinatorDone(world.process(0), work));
    }

    /// Gives the item checker its next job.
    fn check(&mut self, world: &mut World) {
        if self.is_checking {
            return;
        }
        let Some(job) = self.jobs.front() else { return };
        self.is_checking = true;
        let time = match job {
            Job::PlayCanary(_) | Job::Judge(..) => world.plan.own_item_time,
            Job::Search(_) => 4 * world.plan.own_item_time,
        };
        world.work(time, Event::CoordinatorDone(world.process(0), Work::JobDone));
    }

    fn job_done(&mut self, world: &World) -> Option<JobDone> {
        self.is_checking = false;
        Some(match self.jobs.pop_front()? {
            Job::PlayCanary(orders) => {
                let session = games::session_of(&orders);
                let digest = |item| Id(games::play(&orders, item, Duration::ZERO, false).digest());
                let digests = (0..orders.items()).map(digest).collect();
                JobDone::CanaryPlayed(CanaryGames { orders: Id(session.sealed.id), digests })
            }
            Job::Judge(case, session) => {
                let played = games::play(&session.orders, case.claims[0].item, Duration::ZERO, false);
                let digest = played.keyed_digest(&self.logic.key);
                JobDone::Judged(case, Some(digest))
            }
            Job::Search(search) => {
                let finished = Finished { disk: world.disk.clone(), items: world.plan.items, lag: world.plan.lag };
                let found = find_fake(&finished, &search, &AtomicBool::new(false));
                JobDone::Searched(search, found)
            }
        })
    }

    /// Notes that work is done.
    pub fn done(&mut self, world: &mut World, work: Work) {
        match work {
            Work::Played(generation, played) => {
                self.idle_players += 1;
                self.exchange.hand_in(generation, played);
            }
            Work::JobDone => match self.job_done(world) {
                Some(JobDone::CanaryPlayed(games)) => self.logic.canary_played(games),
                Some(JobDone::Judged(case, digest)) => {
                    world.note(|| format!("coordinator: {digest:?} is true: {case:?}"));
                    self.logic.judged(case, digest);
                }
                Some(JobDone::Searched(search, found)) => {
                    world.note(|| format!("coordinator: {found:?} found by {search:?}"));
                    self.logic.searched(search, found);
                }
                None => {}
            },
            Work::WriteShard => {
                let is_written = self.learner().write(&world.disk).is_ok();
                if !is_written {
                    self.has_failed = true;
                    self.end(world, false);
                }
            }
            Work::Learned if !self.is_ending => {
                let mut learner = self.learner.lock().unwrap_or_else(PoisonError::into_inner);
                world.disk.lock().learned = learner.generation;
                learner.generation += 1;
                let is_entered = learner.enter(&world.disk, &self.exchange).is_ok();
                drop(learner);
                if !is_entered {
                    self.has_failed = true;
                    self.end(world, false);
                }
            }
            Work::Learned => {}
            Work::TakeResults => {
                let results = std::mem::take(&mut self.results);
                self.logic.take_results(results, world.instant());
            }
            Work::PullResults => self.pull(world),
        }
    }

    /// Receives an answer, or `None` if none came in time.
    pub fn receive(&mut self, world: &World, number: u64, reply: Option<Reply>) {
        if let Some(request) = self.wanted.remove(&number) {
            self.logic.replied(world.instant(), request, matches!(reply, Some(Reply::Done(true))));
        }
    }

    pub fn receive_hello(&mut self, world: &World, name: &str, hello: &[u8]) {
        self.logic.receive_hello(world.instant(), name, hello);
    }

    pub fn connected(&mut self, world: &mut World, is_there: bool) {
        self.logic.connected(world.instant(), is_there);
        if is_there && self.pulls {
            world.send(0, Request::PullResults(world.process(0)));
        }
    }

    /// Receives a result.
    pub fn take(&mut self, world: &mut World, message: u64, worker: &str, payload: &[u8]) {
        if self.results.is_empty() {
            let time = world.random.random_range(0..50_000);
            world.work(time, Event::CoordinatorDone(world.process(0), Work::TakeResults));
        }
        self.results.push(Delivery { token: message, worker: worker.into(), payload: payload.to_vec() });
    }

    fn pull(&mut self, world: &mut World) {
        self.pulls = true;
        world.send(0, Request::PullResults(world.process(0)));
        world.work(RESULTS_TIME, Event::CoordinatorDone(world.process(0), Work::PullResults));
    }

    fn put_out(&mut self, world: &mut World) {
        // A process that has died does nothing any more.
        while !world.disk.lock().is_dead
            && let Some(output) = self.logic.next_output()
        {
            self.meet(world, output);
        }
    }

    fn meet(&mut self, world: &mut World, output: Output) {
        let (asked, number) = match output {
            Output::SetUp(request) => (request, world.ask(0, Request::SetUp)),
            Output::Check(request, orders) => {
                let ids = orders.iter().map(|sealed| sealed.id).collect();
                (request, world.ask(0, |number| Request::Check(number, ids)))
            }
            Output::PutOrders(request, sealed) => {
                (request, world.ask(0, |number| Request::Put(number, sealed.id, sealed.bytes)))
            }
            Output::Offer(request, generation, bytes) => {
                let subject = generation.to_string().into();
                (request, world.ask(0, |number| Request::Store(number, Name::Play, subject, bytes.into())))
            }
            Output::PurgeParcels(generation) => return world.send(0, Request::PurgeParcels(generation)),
            Output::PurgeOrders(id) => return world.send(0, Request::PurgeOrders(id)),
            Output::PullResults => return self.pull(world),
            Output::Ack(message) => return world.send(0, Request::Respond(Name::Results, message, Response::Done)),
            Output::Broadcast(bytes) => return world.send(0, Request::Broadcast(bytes.into())),
            Output::Job(job) => return self.jobs.push_back(job),
            Output::Report(event) => {
                world.note(|| format!("coordinator: {event:?}"));
                if let CoordinatorEvent::Banned { worker, reason } = event {
                    world.stats.bans += 1;
                    if world.kind_of(&worker) == Some(Kind::Honest) {
                        world.fail(format!("{worker} is banned: {reason}"));
                    }
                }
                return;
            }
        };
        self.wanted.insert(number, asked);
    }
}
