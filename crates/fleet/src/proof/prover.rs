//! A worker of a proof: gives this machine to one question after the other.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_nats::Client;
use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::message::{AckKind, Acker};
use async_nats::jetstream::{self, Context};
use futures_util::StreamExt;
use tokio::time::{Instant, sleep, timeout};

use super::messages::{Assignment, BATCH_BYTES, ProofNow, ReportHead, lemma_lines, read_lemmas, report};
use crate::protocol::messages::{Hello, Id, is_run, read, write};
use crate::protocol::subjects;
use crate::worker::worker::check_worker;
use crate::{MachineKey, WorkerError, WorkerEvent, connect_with, options, random_number, store};
use doublecross_core::board::Board;
use doublecross_core::solver::{Lemma, SolverHandle};
use doublecross_proof::Question;
use doublecross_proof::parallel::{Limits, ParallelSolver};

/// The time between two reports of an assignment.
const REPORT: Duration = Duration::from_secs(2);

/// The time between two signs that an assignment is being worked on, three of which fit into the
/// time after which the server gives it to another.
const EXTENSION: Duration = Duration::from_secs(8);

/// The text that workers of proofs send in place of an instruction set.
pub(super) const PROVER: &str = "proof";

/// The settings of a worker of proofs.
#[derive(Clone, Copy, Debug)]
pub struct ProverSettings {
    /// The number of threads.
    pub threads: usize,
    /// The most memory for the table, in bytes.
    pub table: usize,
    /// `true` to end when the proof ends.
    pub ends_with_proof: bool,
}

/// Works on questions of proofs until `stop` is set, or until the proof has ended if the settings
/// say so. Returns the number of questions that were worked on.
///
/// # Errors
/// Returns an error if the server cannot be reached at first, or if the coordinator takes nothing
/// from this machine any more.
pub fn prove_for(
    address: &str,
    key: &MachineKey,
    settings: ProverSettings,
    stop: &Arc<AtomicBool>,
    tell: &(dyn Fn(WorkerEvent) + Sync),
) -> Result<u64, WorkerError> {
    check_worker(key)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let client = connect_with(address, options(key)?, key).await?;
        let context = jetstream::new(client.clone());
        let process = Id(random_number());
        let mut prover = Prover {
            client,
            context,
            key,
            settings,
            stop,
            tell,
            process,
            now: None,
            has_joined: false,
            solver: None,
            known: None,
            done: 0,
        };
        prover.run().await?;
        Ok(prover.done)
    })
}

struct Prover<'a> {
    client: Client,
    context: Context,
    key: &'a MachineKey,
    settings: ProverSettings,
    stop: &'a Arc<AtomicBool>,
    tell: &'a (dyn Fn(WorkerEvent) + Sync),
    process: Id,
    now: Option<ProofNow>,
    /// `true` once a proof was heard of that had not ended.
    has_joined: bool,
    /// The solver of a proof, unless it is at work.
    solver: Option<(Id, ParallelSolver)>,
    /// The lemmas that the solver has read: those of a proof, up to a batch.
    known: Option<(Id, u32)>,
    done: u64,
}

/// The things that the solving thread shares with the rest.
#[derive(Default)]
struct Shared {
    found: Mutex<Vec<Lemma>>,
    nodes: std::sync::atomic::AtomicU64,
    stops: AtomicBool,
}

impl Prover<'_> {
    async fn run(&mut self) -> Result<(), WorkerError> {
        let mut broadcasts = None;
        let mut said_hello: Option<Instant> = None;
        loop {
            if self.stop.load(Relaxed) {
                return Ok(());
            }
            if said_hello.is_none_or(|at| at.elapsed() >= Duration::from_secs(2)) {
                said_hello = Some(Instant::now());
                self.say_hello().await;
            }
            let before = self.now.as_ref().map(|now| now.proof);
            self.hear(&mut broadcasts, Duration::from_millis(100)).await?;
            if self.now.as_ref().is_some_and(|now| Some(now.proof) != before) {
                // Announces this worker to the coordinator of a new proof at once.
                said_hello = None;
                continue;
            }
            let Some(now) = self.now.clone() else {
                if self.has_joined && self.settings.ends_with_proof {
                    return Ok(());
                }
                continue;
            };
            let Some((assignment, acker)) = self.take_assignment(&now).await else { continue };
            self.work_on(&now, assignment, acker, &mut broadcasts).await?;
        }
    }

    /// Receives what the coordinator broadcasts, for so long at most.
    async fn hear(
        &mut self,
        broadcasts: &mut Option<async_nats::Subscriber>,
        patience: Duration,
    ) -> Result<(), WorkerError> {
        if broadcasts.is_none() {
            *broadcasts = self.client.subscribe(subjects::NOW).await.ok();
            if broadcasts.is_some() {
                let _ = timeout(Duration::from_secs(5), self.client.flush()).await;
                (self.tell)(WorkerEvent::Connected);
            }
        }
        let Some(subscription) = broadcasts else {
            sleep(patience).await;
            return Ok(());
        };
        // Only the last one counts.
        let (mut last, mut patience) = (None, patience);
        while let Ok(message) = timeout(patience, subscription.next()).await {
            let Some(message) = message else {
                *broadcasts = None;
                break;
            };
            if is_run(&message.payload) {
                let reason = "a training run uses the server (a worker without --prove plays for it)".into();
                (self.tell)(WorkerEvent::Waiting { reason });
            }
            last = read::<ProofNow>(&message.payload).ok().or(last);
            self.has_joined |= last.as_ref().is_some_and(|now| !now.has_ended);
            patience = Duration::ZERO;
        }
        let Some(now) = last else { return Ok(()) };
        if now.banned.iter().any(|name| name == self.key.name().as_str()) {
            return Err(WorkerError::Refused(
                "lemmas of this machine are false: the coordinator takes no more from it (its processor or memory computes \
                 wrongly, or its program was changed)"
                    .into(),
            ));
        }
        self.now = (!now.has_ended).then_some(now);
        Ok(())
    }

    /// Takes a question, if there is one.
    async fn take_assignment(&self, now: &ProofNow) -> Option<(Assignment, Acker)> {
        let consumer: PullConsumer =
            self.context.get_consumer_from_stream(subjects::PLAY_CONSUMER, subjects::PLAY).await.ok()?;
        let batch = consumer.fetch().max_messages(1).expires(Duration::from_secs(1)).messages().await;
        let message = timeout(Duration::from_secs(3), batch.ok()?.next()).await.ok()??.ok()?;
        let (message, acker) = message.split();
        match read::<Assignment>(&message.payload) {
            Ok(assignment) if assignment.proof == now.proof && now.closed.contains(&assignment.number) => {
                let _ = acker.ack_with(AckKind::Term).await;
                None
            }
            Ok(assignment) if assignment.proof == now.proof => Some((assignment, acker)),
            Ok(_) => {
                // Of another proof than the last that was heard of. Old questions are removed by
                // the coordinator.
                let _ = acker.ack_with(AckKind::Nak(Some(Duration::from_millis(300)))).await;
                None
            }
            Err(_) => {
                let _ = acker.ack_with(AckKind::Term).await;
                None
            }
        }
    }

    /// Works on a question and hands in what is found.
    async fn work_on(
        &mut self,
        now: &ProofNow,
        assignment: Assignment,
        acker: Acker,
        broadcasts: &mut Option<async_nats::Subscriber>,
    ) -> Result<(), WorkerError> {
        let Some(question) = assignment.question() else { return Ok(()) };
        (self.tell)(WorkerEvent::Question { question });
        let mut solver = self.solver_for(now, question.state.board());
        let handle = solver.handle();
        self.read_batches(now, &handle).await;
        let shared = Arc::new(Shared::default());
        let (with_thread, nodes, stop) = (shared.clone(), assignment.nodes, self.stop.clone());
        let mut solving = tokio::task::spawn_blocking(move || {
            let Question { state, target } = question;
            let limits = Limits { nodes, deadline: None };
            let thread_handle = solver.handle();
            let answer = solver.is_at_least(state, target, limits, &mut |progress| {
                with_thread.nodes.store(progress.nodes, Relaxed);
                with_thread.found.lock().unwrap_or_else(PoisonError::into_inner).extend(thread_handle.take_lemmas());
                !with_thread.stops.load(Relaxed) && !stop.load(Relaxed)
            });
            with_thread.nodes.store(solver.nodes(), Relaxed);
            with_thread.found.lock().unwrap_or_else(PoisonError::into_inner).extend(thread_handle.take_lemmas());
            (solver, answer)
        });
        let head = |answer, is_last| ReportHead {
            proof: assignment.proof,
            number: assignment.number,
            nodes: shared.nodes.load(Relaxed),
            answer,
            is_last,
        };
        let (mut reported, mut extended) = (Instant::now(), Instant::now());
        let (solver, answer) = loop {
            match timeout(Duration::from_millis(50), &mut solving).await {
                Ok(Ok(ended)) => break ended,
                // The solver panicked, and is made anew.
                Ok(Err(_)) => {
                    let _ = acker.ack_with(AckKind::Nak(None)).await;
                    self.known = None;
                    return Ok(());
                }
                Err(_) => {}
            }
            if reported.elapsed() >= REPORT {
                reported = Instant::now();
                self.say_hello().await;
                self.hand_in(&head(None, false), &shared).await;
            }
            if extended.elapsed() >= EXTENSION {
                extended = Instant::now();
                let _ = acker.ack_with(AckKind::Progress).await;
            }
            if let Err(refusal) = self.hear(broadcasts, Duration::from_millis(50)).await {
                shared.stops.store(true, Relaxed);
                let _ = solving.await;
                return Err(refusal);
            }
            match self.now.clone() {
                Some(now) if now.proof == assignment.proof && !now.closed.contains(&assignment.number) => {
                    self.read_batches(&now, &handle).await;
                }
                // The question is answered by others, or the proof has ended or begins anew.
                _ => shared.stops.store(true, Relaxed),
            }
        };
        self.solver = Some((assignment.proof, solver));
        let is_current = self.now.as_ref().is_some_and(|now| now.proof == assignment.proof);
        if !is_current {
            let _ = acker.ack_with(AckKind::Term).await;
            return Ok(());
        }
        self.hand_in(&head(answer, true), &shared).await;
        self.done += 1;
        // One that was stopped is offered again by the coordinator.
        let _ = acker.ack_with(AckKind::Ack).await;
        Ok(())
    }

    /// Returns the solver of a proof: the one of the question before, or a new one.
    fn solver_for(&mut self, now: &ProofNow, board: Board) -> ParallelSolver {
        if let Some((proof, solver)) = self.solver.take()
            && proof == now.proof
            && solver.board() == board
        {
            return solver;
        }
        self.known = None;
        let entries = ParallelSolver::entries_for(board, self.settings.table);
        let mut solver = ParallelSolver::new(board, entries, self.settings.threads);
        solver.keep_lemmas(now.least_nodes.max(1));
        solver
    }

    /// Reads the lemmas that were shared since the last time.
    async fn read_batches(&mut self, now: &ProofNow, handle: &SolverHandle) {
        let (_, next) = self.known.filter(|(proof, _)| *proof == now.proof).unwrap_or((now.proof, 0));
        let mut next = next.max(now.first_batch);
        if next >= now.batches {
            self.known = Some((now.proof, next));
            return;
        }
        let (Ok(board), Ok(stream)) =
            (now.board.parse::<Board>(), self.context.get_stream_no_info(subjects::ORDERS).await)
        else {
            return;
        };
        while next < now.batches {
            let subject = subjects::orders(&format!("lemmas.{}.{next}", now.proof));
            let Ok(message) = stream.direct_get_last_for_subject(subject).await else { break };
            // A batch that cannot be read is one that is not needed.
            for lemma in read_lemmas(&message.payload, board).unwrap_or_default() {
                handle.add_lemma(&lemma);
            }
            next += 1;
        }
        self.known = Some((now.proof, next));
    }

    /// Hands in what was found since the last time, as often as it takes.
    async fn hand_in(&self, head: &ReportHead, shared: &Shared) {
        let found = std::mem::take(&mut *shared.found.lock().unwrap_or_else(PoisonError::into_inner));
        let mut parts: Vec<Vec<Lemma>> = vec![Vec::new()];
        let mut bytes = 0;
        for lemma in found {
            bytes += lemma_lines(&[lemma]).len();
            if bytes > BATCH_BYTES {
                (bytes, _) = (0, parts.push(Vec::new()));
            }
            if let Some(part) = parts.last_mut() {
                part.push(lemma);
            }
        }
        let last = parts.len() - 1;
        for (index, part) in parts.iter().enumerate() {
            // The answer comes with what it follows from.
            let is_last = head.is_last && index == last;
            let head = ReportHead { answer: head.answer.filter(|_| is_last), is_last, ..head.clone() };
            if part.is_empty() && !is_last {
                continue;
            }
            let message = report(&head, part);
            while let Err(error) = store(&self.context, subjects::result(self.key.name()), message.clone()).await {
                (self.tell)(WorkerEvent::Waiting { reason: format!("the server does not take lemmas now ({error})") });
                sleep(Duration::from_secs(1)).await;
                if self.stop.load(Relaxed) {
                    return;
                }
            }
        }
    }

    async fn say_hello(&self) {
        let hello = Hello {
            process: self.process,
            threads: self.settings.threads as u32,
            program: env!("CARGO_PKG_VERSION").into(),
            isa: PROVER.into(),
            items: self.done,
            idle: 0.0,
            refusal: None,
        };
        let _ = self.client.publish(subjects::hello(self.key.name()), write(&hello).into()).await;
    }
}
