//! The coordinator of a proof: offers questions, keeps the log, shares lemmas, and checks some.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use async_nats::Client;
use async_nats::jetstream::message::AckKind;
use async_nats::jetstream::{self, Context};
use futures_util::StreamExt;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::timeout;

use super::audit::{LemmaAuditor, SourcedLemma, Verdict};
use super::messages::{Assignment, BATCH_BYTES, MAX_CLOSED, ProofNow, ReportHead, lemma_lines, read_report};
use super::prover::PROVER;
use crate::coordinator::streams::{self, StoredSet};
use crate::coordinator::{check_free, check_role, pull_results};
use crate::protocol::messages::{Hello, Id, MAX_BANNED, read, write};
use crate::protocol::orders_store;
use crate::protocol::subjects;
use crate::{CoordinatorError, MachineKey, connect_with, options, random_number, store};
use doublecross_core::board::State;
use doublecross_core::solver::{Bounds, Lemma};
use doublecross_proof::{
    Appended, Assumption, Checker, Contradiction, Derivation, LogError, Origin, ProofLog, Question, Survey,
};

/// The time between two looks at what there is to do.
const TICK: Duration = Duration::from_millis(100);

/// The time between two broadcasts.
const BROADCAST: Duration = Duration::from_secs(1);

/// The time between two checks that the server has what it was given.
const CHECK: Duration = Duration::from_secs(10);

/// The time after which the log is written to the disk again.
const SYNC: Duration = Duration::from_secs(60);

/// The time after which a worker that said nothing counts as gone.
const SILENCE: Duration = Duration::from_secs(20);

/// The time after which a question is offered again if nothing was heard about it.
const LATE: Duration = Duration::from_secs(180);

/// The first budget of a question, in nodes. It doubles each time that it does not suffice.
const FIRST_BUDGET: u64 = 1 << 32;

/// The settings of a proof on many machines.
#[derive(Clone, Copy, Debug)]
pub struct ProofSettings {
    /// The state, which is capture-free.
    pub state: State,
    /// The one question whether the margin is at least this, or all questions until it is known.
    pub target: Option<i32>,
    /// The number of nodes from which a result is logged.
    pub least_nodes: u64,
}

/// A report of a proof's coordinator to whoever started it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProofEvent {
    /// The bounds that are known and the work that is done, now and then.
    Standing {
        /// The bounds of the margin.
        bounds: Bounds,
        /// The questions that are at work.
        questions: Vec<Question>,
        /// The workers that were heard of lately.
        workers: usize,
        /// The lemmas of the log.
        lemmas: usize,
        /// The nodes of all workers.
        nodes: u64,
    },
    /// A worker is banned of a false lemma, and the log was cut.
    Banned {
        /// The worker.
        worker: String,
        /// The false lemma.
        lemma: Lemma,
        /// The lines that were taken out of the log.
        lines: usize,
    },
}

/// The result of a proof on many machines.
#[derive(Clone, Debug)]
pub struct ProofResult {
    /// Bounds of the margin that follow from the log.
    pub bounds: Bounds,
    /// The claims that they follow from by the rules, and that the coordinator did not prove again.
    /// The bounds are not proved until these are.
    pub assumed: Vec<Assumption>,
    /// Those among them that count as false until they are solved: proving them again took far more
    /// nodes than their lemmas state, in vain.
    pub understated: Vec<Assumption>,
}

/// A question that was offered.
struct Offer {
    number: u64,
    budget: u64,
    /// The nodes that its worker has told of.
    nodes: u64,
    heard: Instant,
}

/// A proof on many machines, at the coordinator.
pub struct ProofCoordinator<'a> {
    client: Client,
    context: Context,
    log: &'a mut ProofLog,
    settings: ProofSettings,
    proof: Id,
    /// The batches of lemmas that were put on the server, and the first that it has not lost.
    batches: u32,
    first_batch: u32,
    /// Lemmas that were not shared yet.
    unshared: Vec<Lemma>,
    offers: HashMap<Question, Offer>,
    budgets: HashMap<Question, u64>,
    assigned: u64,
    workers: HashMap<String, Instant>,
    /// Positions whose lemmas contradict each other.
    disputed: HashSet<State>,
    /// The last assignments that are not wanted any more.
    closed: VecDeque<u64>,
    /// `true` if the server has what this proof needs, as far as is known.
    is_prepared: bool,
    /// `true` if it did not store something since it was last checked.
    has_refused: bool,
    /// The time of the next check.
    check_due: Instant,
    auditor: LemmaAuditor,
    nodes: u64,
    broadcast: Option<Instant>,
}

impl ProofCoordinator<'_> {
    /// Coordinates a proof until it is settled or `stop` is set, and returns what follows from the
    /// log.
    ///
    /// # Errors
    /// Returns an error if the server cannot be used or is used by another coordinator, or if the
    /// log cannot be written.
    pub fn run(
        address: &str,
        key: &MachineKey,
        log: &mut ProofLog,
        settings: ProofSettings,
        stop: &AtomicBool,
        tell: &dyn Fn(ProofEvent),
    ) -> Result<ProofResult, CoordinatorError> {
        check_role(key)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let client = connect_with(address, options(key)?, key).await?;
            let context = jetstream::new(client.clone());
            let auditor = LemmaAuditor::start(settings.state.board(), random_number())?;
            let mut coordinator = ProofCoordinator {
                client,
                context,
                log,
                settings,
                proof: Id(random_number()),
                batches: 0,
                first_batch: 0,
                unshared: Vec::new(),
                offers: HashMap::new(),
                budgets: HashMap::new(),
                assigned: 0,
                workers: HashMap::new(),
                disputed: HashSet::new(),
                closed: VecDeque::new(),
                is_prepared: false,
                has_refused: false,
                check_due: Instant::now(),
                auditor,
                nodes: 0,
                broadcast: None,
            };
            coordinator.claim().await?;
            let ended = coordinator.serve(stop, tell).await;
            let _ = timeout(Duration::from_secs(5), coordinator.sign_off()).await;
            ended.map(|()| coordinator.result())
        })
    }

    /// Makes sure that no other coordinator uses the server, and prepares its streams.
    async fn claim(&mut self) -> Result<(), CoordinatorError> {
        check_free(&self.client).await?;
        self.begin().await.map_err(CoordinatorError::Server)
    }

    /// Gives the server what this proof needs: streams, and what the log says.
    async fn begin(&mut self) -> Result<(), String> {
        (self.is_prepared, self.check_due) = (false, Instant::now() + CHECK);
        streams::set_up(&self.context).await.map_err(|error| error.to_string())?;
        // Questions that workers have reported of stay theirs; the others were lost, or are given anew.
        let closed = &mut self.closed;
        self.offers.retain(|_, offer| {
            let is_kept = offer.nodes > 0;
            if !is_kept {
                closed.push_back(offer.number);
            }
            is_kept
        });
        // Workers that have read all batches read those that come now.
        (self.first_batch, self.unshared) = (self.batches, self.log.lemmas().by_work());
        self.share().await?;
        (self.is_prepared, self.has_refused) = (true, false);
        Ok(())
    }

    /// Begins anew if the server has lost something, or stores nothing more. While it is away, all of it is
    /// tried again.
    async fn check(&mut self) {
        if Instant::now() < self.check_due {
            return;
        }
        self.check_due = Instant::now() + CHECK;
        if self.is_prepared {
            let batches = (self.first_batch..self.batches).map(|batch| self.batch_subject(batch)).collect();
            let lemmas = StoredSet { filter: subjects::orders(&format!("lemmas.{}.*", self.proof)), subjects: batches };
            let Ok(is_whole) = streams::are_whole(&self.context, &[lemmas]).await else { return };
            self.is_prepared = is_whole && !self.has_refused;
        }
        if !self.is_prepared {
            // What fails is tried again when the next check is due.
            let _ = self.begin().await;
        }
    }

    /// Returns the subject of a batch of lemmas.
    fn batch_subject(&self, batch: u32) -> String {
        subjects::orders(&format!("lemmas.{}.{batch}", self.proof))
    }

    /// Returns what follows from the log, and from what.
    fn result(&self) -> ProofResult {
        let (bounds, Derivation { frontier, .. }) = Checker::new(self.log.lemmas(), 0).bounds(self.settings.state);
        let is_assumed = |assumption: &Assumption| !self.auditor.is_proved(assumption.claim);
        let assumed: Vec<Assumption> = frontier.into_iter().filter(is_assumed).collect();
        let is_understated = |assumption: &&Assumption| self.auditor.is_understated(assumption);
        let understated = assumed.iter().filter(is_understated).copied().collect();
        ProofResult { bounds, assumed, understated }
    }

    async fn serve(&mut self, stop: &AtomicBool, tell: &dyn Fn(ProofEvent)) -> Result<(), CoordinatorError> {
        let (results, mut handed_in) = unbounded_channel();
        let puller = tokio::spawn(pull_results(self.context.clone(), results));
        let mut hellos = self.client.subscribe(subjects::HELLO_SUBJECTS).await.ok();
        let mut told: Option<Instant> = None;
        let mut synced = Instant::now();
        // Workers that end with the proof hear of it even if the log has the answer, and all that are there say so
        // before the first questions are offered.
        self.broadcast(false).await;
        tokio::time::sleep(TICK).await;
        loop {
            self.take_reports(&mut handed_in).await?;
            self.hear_hellos(&mut hellos).await;
            while let Some((proof, verdict)) = self.auditor.verdict() {
                // Lemmas of an earlier proof may have relied on what was taken back.
                if proof == self.proof {
                    self.settle(verdict, tell).await?;
                }
            }
            self.check().await;
            let (bounds, open) = self.survey()?;
            if stop.load(Relaxed) || open.is_empty() && self.auditor.is_idle() {
                break;
            }
            // While the server is away, nothing is offered, and all of it is tried again.
            let mut is_stored = self.offer(&open).await.is_ok();
            if self.unshared.len() > 64 || self.broadcast.is_none_or(|at| at.elapsed() >= BROADCAST) {
                is_stored &= self.share().await.is_ok();
                self.broadcast(false).await;
            }
            if !is_stored {
                self.has_refused = true;
                self.check_due = self.check_due.min(Instant::now() + BROADCAST);
            }
            if told.is_none_or(|at| at.elapsed() >= Duration::from_millis(500)) {
                told = Some(Instant::now());
                tell(ProofEvent::Standing {
                    bounds,
                    questions: self.offers.keys().copied().collect(),
                    workers: self.workers.values().filter(|heard| heard.elapsed() < SILENCE).count(),
                    lemmas: self.log.lemmas().len(),
                    nodes: self.offers.values().fold(self.nodes, |sum, offer| sum.saturating_add(offer.nodes)),
                });
            }
            if synced.elapsed() >= SYNC {
                self.log.sync()?;
                synced = Instant::now();
            }
            tokio::time::sleep(TICK).await;
        }
        puller.abort();
        self.log.sync()?;
        Ok(())
    }

    /// Returns what is proved, and the questions that are open. Answers that follow from others are
    /// logged, so that the log has them.
    fn survey(&mut self) -> Result<(Bounds, Vec<Question>), CoordinatorError> {
        let ProofSettings { state, target, .. } = self.settings;
        let workers = self.workers.values().filter(|heard| heard.elapsed() < SILENCE).count();
        loop {
            let bounds = self.log.lemmas().bounds(state);
            let target = target.unwrap_or_else(|| bounds.next_target(0));
            if bounds.is_exact() || target <= bounds.lower || target > bounds.upper {
                return Ok((bounds, Vec::new()));
            }
            let mut answers = Vec::new();
            let survey = (Question { state, target }).survey(self.log.lemmas(), workers.max(1), &mut answers);
            if answers.is_empty()
                && let Survey::Open(open) = survey
            {
                return Ok((bounds, open));
            }
            let lemma = |(question, reached): (Question, bool)| question.lemma(reached, self.nodes.max(1));
            let lemmas: Vec<Lemma> = answers.into_iter().map(lemma).collect();
            let Appended { lemmas: added, contradictions } = self.log.append_of("", &lemmas)?;
            if let Some(contradiction) = contradictions.into_iter().next() {
                return Err(LogError::from(Box::new(contradiction)).into());
            }
            self.unshared.extend(added);
        }
    }

    /// Offers the open questions, each to one worker.
    async fn offer(&mut self, open: &[Question]) -> Result<(), String> {
        let closed = &mut self.closed;
        self.offers.retain(|question, offer| {
            let is_wanted = open.contains(question) && offer.heard.elapsed() < LATE;
            if !is_wanted {
                closed.push_back(offer.number);
            }
            is_wanted
        });
        while self.closed.len() > MAX_CLOSED {
            self.closed.pop_front();
        }
        for &question in open {
            if self.offers.contains_key(&question) {
                continue;
            }
            self.assigned += 1;
            let budget = self.budgets.get(&question).copied().unwrap_or(FIRST_BUDGET);
            let assignment = Assignment {
                proof: self.proof,
                number: self.assigned,
                state: question.state.to_string(),
                target: question.target,
                nodes: budget,
            };
            let subject = subjects::play(&format!("prove.{}", self.assigned));
            store(&self.context, subject, write(&assignment)).await?;
            let offer = Offer { number: self.assigned, budget, nodes: 0, heard: Instant::now() };
            self.offers.insert(question, offer);
        }
        Ok(())
    }

    /// Takes what workers have handed in: logs it, and then says so.
    async fn take_reports(
        &mut self,
        handed_in: &mut UnboundedReceiver<jetstream::Message>,
    ) -> Result<(), CoordinatorError> {
        for _ in 0..64 {
            let Ok(message) = handed_in.try_recv() else { break };
            let name = message.subject.strip_prefix("doublecross.result.").unwrap_or_default().to_string();
            if !self.log.is_banned(&name)
                && let Ok((head, lemmas)) = read_report(&message.payload, self.settings.state.board())
                && head.proof == self.proof
            {
                self.take_report(&name, head, lemmas).await?;
            }
            let _ = message.ack_with(AckKind::Ack).await;
        }
        Ok(())
    }

    async fn take_report(
        &mut self,
        name: &str,
        head: ReportHead,
        mut lemmas: Vec<Lemma>,
    ) -> Result<(), CoordinatorError> {
        self.workers.insert(name.into(), Instant::now());
        let asked = self.offers.iter_mut().find(|(_, offer)| offer.number == head.number);
        if let Some((&question, offer)) = asked {
            (offer.nodes, offer.heard) = (head.nodes, Instant::now());
            let budget = offer.budget;
            if let Some(reached) = head.answer {
                lemmas.push(question.lemma(reached, head.nodes.max(1)));
            }
            if head.is_last {
                self.nodes = self.nodes.saturating_add(head.nodes);
                self.offers.remove(&question);
                // A worker that was stopped leaves the budget as it is.
                if head.answer.is_none() && head.nodes >= budget / 2 {
                    self.budgets.insert(question, budget.saturating_mul(2));
                }
            }
        }
        let Appended { lemmas: added, contradictions } = self.log.append_of(name, &lemmas)?;
        self.auditor.hear(self.proof, name, &added);
        self.unshared.extend(added);
        for contradiction in contradictions {
            self.dispute(name, contradiction);
        }
        Ok(())
    }

    /// Finds out which of two lemmas that contradict each other is false: that of a worker, which was
    /// not logged, or that of the log.
    fn dispute(&mut self, name: &str, contradiction: Contradiction) {
        let Contradiction { state, lower, upper, lower_origin, upper_origin } = contradiction;
        if !self.disputed.insert(state) {
            return;
        }
        let all = Bounds::of_state(state);
        let sourced = |origin: &Origin, bounds| {
            let is_logged = origin.line <= self.log.lines();
            let worker = if is_logged { self.log.source_of(origin.line) } else { name };
            SourcedLemma { worker: worker.into(), lemma: Lemma { state, bounds, nodes: 0 } }
        };
        let lower = sourced(&lower_origin, Bounds::new(lower, all.upper));
        let upper = sourced(&upper_origin, Bounds::new(all.lower, upper));
        self.auditor.dispute(self.proof, [lower, upper]);
    }

    /// Settles a check. A false lemma bans its worker, and everything that was logged since its
    /// first lemma is taken back.
    async fn settle(&mut self, verdict: Verdict, tell: &dyn Fn(ProofEvent)) -> Result<(), CoordinatorError> {
        let SourcedLemma { worker, lemma } = match verdict {
            Verdict::True(_) | Verdict::Open(_) => return Ok(()),
            Verdict::Undecided([one, other]) => {
                let state = one.lemma.state.to_string();
                let source = |sourced: SourcedLemma| match sourced.worker {
                    name if name.is_empty() => "the coordinator".into(),
                    name => name,
                };
                return Err(CoordinatorError::Undecided { state, sources: [source(one), source(other)] });
            }
            Verdict::False(SourcedLemma { worker, lemma }) if worker.is_empty() => {
                return Err(CoordinatorError::False { state: lemma.state.to_string() });
            }
            Verdict::False(sourced) if self.log.is_banned(&sourced.worker) => return Ok(()),
            Verdict::False(sourced) => sourced,
        };
        let lines = self.log.ban(&worker)?;
        // Workers forget what they know.
        self.proof = Id(random_number());
        (self.first_batch, self.batches) = (0, 0);
        self.offers.clear();
        self.disputed.clear();
        // Where this fails, the next check begins anew.
        let _ = self.begin().await;
        self.broadcast(false).await;
        tell(ProofEvent::Banned { worker, lemma, lines });
        Ok(())
    }

    /// Puts lemmas on the server that are not there yet.
    async fn share(&mut self) -> Result<(), String> {
        let stream = self.context.get_stream_no_info(subjects::ORDERS).await.map_err(|error| error.to_string())?;
        while !self.unshared.is_empty() {
            let mut bytes = String::new();
            let mut count = 0;
            for lemma in &self.unshared {
                bytes += &lemma_lines(&[*lemma]);
                count += 1;
                if bytes.len() > BATCH_BYTES {
                    break;
                }
            }
            let subject = self.batch_subject(self.batches);
            // One that is there already was stored although its receipt was lost.
            orders_store::put(&self.context, &stream, subject, bytes.into_bytes()).await?;
            self.unshared.drain(..count);
            self.batches += 1;
        }
        Ok(())
    }

    async fn broadcast(&mut self, has_ended: bool) {
        self.broadcast = Some(Instant::now());
        let now = ProofNow {
            proof: self.proof,
            board: self.settings.state.board().to_string(),
            first_batch: self.first_batch,
            batches: self.batches,
            least_nodes: self.settings.least_nodes,
            closed: self.closed.iter().copied().collect(),
            has_ended,
            banned: self.log.banned().rev().take(MAX_BANNED).map(String::from).collect(),
        };
        let _ = self.client.publish(subjects::NOW, write(&now).into()).await;
    }

    async fn hear_hellos(&mut self, hellos: &mut Option<async_nats::Subscriber>) {
        let Some(hellos) = hellos else { return };
        while let Ok(Some(message)) = timeout(Duration::ZERO, hellos.next()).await {
            let Some(name) = message.subject.strip_prefix("doublecross.hello.").map(String::from) else { continue };
            let is_prover = read::<Hello>(&message.payload).is_ok_and(|hello| hello.isa == PROVER);
            if is_prover && !self.log.is_banned(&name) {
                self.workers.insert(name, Instant::now());
            }
        }
    }

    async fn sign_off(&mut self) {
        self.broadcast(true).await;
        for stream in [subjects::PLAY, subjects::ORDERS] {
            if let Ok(stream) = self.context.get_stream_no_info(stream).await {
                let _ = stream.purge().await;
            }
        }
        let _ = self.client.flush().await;
    }
}
