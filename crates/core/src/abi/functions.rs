//! The ABI of the WebAssembly module, which imports nothing and exports `memory` and these
//! functions:
//!
//! * `alloc(length: u32) -> u32` returns memory for a text. It is called once for each text.
//! * `act(address: u32, length: u32) -> u64` returns the action for an observation, and frees the
//!   observation. The action's address is in the upper half of the result and its length in the
//!   lower half. The action is valid until the next call.
//! * `ask(address: u32, length: u32) -> u64` does the same for a question to the [`QueryApi`].
//!
//! The arena does not publish which ABI it expects. If it is another one, only this file and
//! `template/ABI.md` have to change.

use std::hint::black_box;
use std::sync::Arc;

use super::slot::{SLOT_MARK, Slot};
use crate::bots::RuleBot;
use crate::net::Isa;
use crate::protocol::respond;
use crate::query::QueryApi;
use crate::search::Budget;
use crate::solver::Book;
use crate::submission::Submission;

/// The place in which the exporter writes the address of the weights and the budget.
static SLOT: Slot = Slot { mark: SLOT_MARK, address: 0, length: 0, simulations: 0, nodes: 0, book: 0 };

/// The state that is kept between calls.
struct Module {
    bot: Option<Submission>,
    api: Option<QueryApi>,
    answer: String,
}

/// The state of the module, which has one thread.
static mut MODULE: Module = Module { bot: None, api: None, answer: String::new() };

/// Allocates `length` bytes.
#[unsafe(no_mangle)]
extern "C" fn alloc(length: usize) -> *mut u8 {
    Box::leak(vec![0u8; length].into_boxed_slice()).as_mut_ptr()
}

/// Returns the action for the observation at `address`.
///
/// # Safety
/// `address` must come from [`alloc`] with the same length, and must not have been passed before.
#[unsafe(no_mangle)]
unsafe extern "C" fn act(address: *mut u8, length: usize) -> u64 {
    // SAFETY: the host meets the conditions.
    unsafe { answer(address, length, action) }
}

/// Returns the answer to the question at `address`.
///
/// # Safety
/// `address` must come from [`alloc`] with the same length, and must not have been passed before.
#[unsafe(no_mangle)]
unsafe extern "C" fn ask(address: *mut u8, length: usize) -> u64 {
    // SAFETY: the host meets the conditions.
    unsafe { answer(address, length, query) }
}

/// Calls `answer` with the text at `address`, frees the text, and returns address and length of the
/// answer.
///
/// # Safety
/// The conditions of [`act`].
unsafe fn answer(address: *mut u8, length: usize, answer: fn(&mut Module, &[u8]) -> String) -> u64 {
    // SAFETY: the block was leaked by `alloc` and is passed once, and the module has one thread.
    let (text, module) = unsafe {
        (Box::from_raw(std::ptr::slice_from_raw_parts_mut(address, length)), &mut *std::ptr::addr_of_mut!(MODULE))
    };
    module.answer = answer(module, &text);
    (module.answer.as_ptr() as u64) << 32 | module.answer.len() as u64
}

fn action(module: &mut Module, observation: &[u8]) -> String {
    if module.bot.is_none() {
        let slot = slot();
        let budget = Budget::new(slot.simulations as usize, slot.nodes as u64);
        let bot = Submission::new(weights(slot), budget, Isa::fastest()).ok();
        module.bot = bot.map(|bot| book(slot).into_iter().fold(bot, Submission::with_book));
    }
    match &mut module.bot {
        Some(bot) => bot.act(observation),
        // The weights cannot be used. The first undrawn edge is still a legal action.
        None => respond(observation, |position, nonce| RuleBot::First.choose(position, nonce)),
    }
}

fn query(module: &mut Module, question: &[u8]) -> String {
    if module.api.is_none() {
        let api = QueryApi::new(weights(slot()), Isa::fastest()).ok();
        module.api = api.map(|api| book(slot()).into_iter().fold(api, QueryApi::with_book));
    }
    match &mut module.api {
        Some(api) => api.ask(question),
        None => "{\"error\":\"the module's weights cannot be used\"}".into(),
    }
}

/// The slot as the exporter wrote it. `black_box` keeps the compiler from using its initial value.
fn slot() -> &'static Slot {
    black_box(&SLOT)
}

fn weights(slot: &Slot) -> &'static [u8] {
    data(slot, 0, slot.length)
}

/// The book behind the weights, if there is one.
fn book(slot: &Slot) -> Option<Arc<Book>> {
    Book::from_bytes(data(slot, slot.length, slot.book)).ok().map(Arc::new)
}

/// The bytes of the exporter from `start` on.
fn data(slot: &Slot, start: u32, length: u32) -> &'static [u8] {
    if length == 0 {
        // The template as it was compiled, without weights, or a module without a book.
        return &[];
    }
    // SAFETY: the exporter put the weights at this address, with this length and the book behind
    // them, in memory that nothing else uses.
    unsafe { std::slice::from_raw_parts((slot.address + start) as *const u8, length as usize) }
}
