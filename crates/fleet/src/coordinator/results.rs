//! The results that workers hand in, and their judgment.

use std::collections::HashSet;

use async_nats::jetstream::message::AckKind;
use async_nats::jetstream::{self};

use super::CoordinatorEvent;
use super::link::Link;
use crate::coordinator::audit::ItemClaim;
use crate::coordinator::item_checker::Verdict;
use crate::protocol::messages::{Hello, read};
use doublecross_selfplay::{Origin, Part, PlayedItem, Receipt};

impl Link {
    /// Takes what workers have handed in: saves it, and then says so.
    pub(super) async fn take_results(&mut self, messages: Vec<jetstream::Message>) {
        for message in &messages {
            let Some(name) = message.subject.strip_prefix("doublecross.result.").map(String::from) else { continue };
            if let Err(_fault) = self.take_part(&name, &message.payload) {
                self.faults += 1;
                self.roster.worker(&name).account.faults += 1;
            }
        }
        if self.exchange.save().is_err() {
            // The learner fails at its own save and says why. The server keeps the messages.
            return;
        }
        for message in &messages {
            let _ = message.ack_with(AckKind::Ack).await;
        }
    }

    fn take_part(&mut self, name: &str, payload: &[u8]) -> Result<(), &'static str> {
        let generation = Part::generation_of(payload)?;
        // Of a generation that is long over, or of another run.
        let Some(session) = self.sessions.get(&generation).cloned() else { return Ok(()) };
        let part = Part::from_bytes(payload, session.orders.board, session.orders.items())?;
        if part.orders != session.sealed.id {
            return Ok(());
        }
        let numbers: HashSet<u32> = part.items.iter().map(|item| item.number).collect();
        if numbers.len() < part.items.len() {
            return Err("it holds an item twice");
        }
        if self.roster.is_banned(name) {
            // For others to play, at once.
            let numbers: Vec<u32> = numbers.into_iter().collect();
            numbers.iter().for_each(|&item| self.offers.forget(generation, item));
            self.exchange.give_back(generation, &numbers);
            return Ok(());
        }
        let seconds: f64 = part.items.iter().map(|item| item.costs.total.as_secs_f64()).sum();
        self.offers.mean.add(part.items.len() as f64, seconds, payload.len() as f64);
        let (mut fresh, mut known) = (Vec::new(), 0);
        let origin = Origin::Worker(name.into());
        for played in part.items {
            let item = played.number;
            self.offers.forget(generation, item);
            let claim = ItemClaim { generation, item, worker: name.into(), digest: played.keyed_digest(&self.key) };
            match self.exchange.hand_in(generation, PlayedItem { origin: origin.clone(), ..played }) {
                Receipt::Taken => fresh.push(claim),
                Receipt::Known(played) => {
                    known += 1;
                    let digest = played.keyed_digest(&self.key);
                    if !self.auditor.hear_again(claim.clone()) && digest != claim.digest {
                        let mut claims = vec![claim];
                        if let Origin::Worker(other) = played.origin {
                            claims.push(ItemClaim { generation, item, worker: other.to_string(), digest });
                        }
                        self.auditor.dispute(claims);
                    }
                }
                Receipt::Stale => {
                    known += 1;
                    self.auditor.hear_again(claim);
                }
            }
        }
        self.roster.count_items(name, fresh.len(), known);
        let others = self.roster.playing().filter(|(other, _)| *other != name).count();
        self.auditor.hear(fresh, others);
        Ok(())
    }

    /// Settles what the coordinator has played again.
    pub(super) fn settle(&mut self, verdict: Verdict) {
        let Verdict { claims, digest } = verdict;
        for liar in self.auditor.settle(&claims, digest) {
            let Some(claim) = claims.iter().find(|claim| claim.worker == liar) else { continue };
            if self.roster.is_banned(&liar) {
                continue;
            }
            let reason = format!(
                "item {} of generation {} came out otherwise when the coordinator played it",
                claim.item, claim.generation
            );
            // Where the files cannot be written, the learner fails at its own save, and the worker is
            // banned the next time.
            if self.exchange.reject(&liar).is_err() {
                continue;
            }
            (self.tell)(CoordinatorEvent::Banned { worker: liar.clone(), reason: reason.clone() });
            self.roster.worker(&liar).account.ban = Some(reason);
            self.auditor.forget(&liar);
            self.save();
            // What it played of generations that were learned from is played again as well, and once
            // more when a generation that is being written now is there.
            self.item_checker.search_past(liar.clone());
            self.searched_again.push(liar);
        }
    }

    /// Returns `true` if no check is open.
    pub(super) fn is_settled(&self) -> bool {
        self.auditor.waiting() == 0 && !self.item_checker.is_busy() && self.searched_again.is_empty()
    }

    /// Searches the past of workers that were banned since the last time.
    pub(super) fn search_again(&mut self) {
        for liar in std::mem::take(&mut self.searched_again) {
            self.item_checker.search_past(liar);
        }
    }

    /// Plays the next items again that are to be checked here, a few at a time, so that what is known
    /// by then may spare the rest.
    pub(super) fn replay_next(&mut self) {
        while self.item_checker.waiting() < 2
            && let Some(claims) = self.auditor.check_for_coordinator()
        {
            let session = self.sessions.get(&claims[0].generation).cloned();
            self.replays += session.is_some() as u64;
            self.item_checker.replay(claims, session);
        }
    }

    pub(super) fn hear_hello(&mut self, message: &async_nats::Message) {
        let Some(name) = message.subject.strip_prefix("doublecross.hello.").map(String::from) else { return };
        match read::<Hello>(&message.payload) {
            // A process that comes is told of the run at the next look.
            Ok(hello) => {
                if self.roster.worker(&name).hear(hello) {
                    self.last_broadcast = None;
                }
            }
            Err(_) => {
                self.faults += 1;
                self.roster.worker(&name).account.faults += 1;
            }
        }
    }
}
