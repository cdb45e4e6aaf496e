//! The ABI of the WebAssembly module. It imports nothing. It exports `memory` and
//!
//! * `alloc(length: u32) -> u32`: memory for an observation's text, to be called anew for each;
//! * `act(address: u32, length: u32) -> u64`: the action for the text there, which is used up: the answer's address in
//!   the upper half, its length in the lower. It stays until the next call;
//! * `ask(address: u32, length: u32) -> u64`: the same for a question of a page that shows a game (see [`QueryApi`]).
//!
//! What the arena asks of a module is not published: this file alone knows of an ABI, and all that would change.

use std::hint::black_box;

use super::slot::{SLOT_MARK, Slot};
use super::{QueryApi, Submission};
use crate::net::Isa;
use crate::search::Budget;

/// Where the exporter leaves the weights' place and the budget.
static SLOT: Slot = Slot { mark: SLOT_MARK, address: 0, length: 0, simulations: 0, nodes: 0 };

/// What lives from call to call.
struct Module {
    bot: Option<Submission>,
    api: Option<QueryApi>,
    answer: String,
}

/// The one thread's state.
static mut MODULE: Module = Module { bot: None, api: None, answer: String::new() };

/// Memory for `length` bytes.
#[unsafe(no_mangle)]
extern "C" fn alloc(length: usize) -> *mut u8 {
    Box::leak(vec![0u8; length].into_boxed_slice()).as_mut_ptr()
}

/// Answers the observation at `address`, which came from [`alloc`] with the same length.
///
/// # Safety
/// The host must pass what it got from `alloc`, once.
#[unsafe(no_mangle)]
unsafe extern "C" fn act(address: *mut u8, length: usize) -> u64 {
    // SAFETY: as the host promises.
    unsafe { answer(address, length, action) }
}

/// Answers the question at `address`, which came from [`alloc`] with the same length.
///
/// # Safety
/// The host must pass what it got from `alloc`, once.
#[unsafe(no_mangle)]
unsafe extern "C" fn ask(address: *mut u8, length: usize) -> u64 {
    // SAFETY: as the host promises.
    unsafe { answer(address, length, query) }
}

/// # Safety
/// As [`act`].
unsafe fn answer(address: *mut u8, length: usize, answer: fn(&mut Module, &[u8]) -> String) -> u64 {
    // SAFETY: the host passes a block of `alloc`, which gave it away, and there is one thread.
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
        module.bot = Submission::new(weights(slot), budget, Isa::fastest()).ok();
    }
    match &mut module.bot {
        Some(bot) => bot.act(observation),
        // Weights that cannot be used: the first undrawn edge is still a legal action.
        None => crate::protocol::respond(observation, |position, _| {
            position.undrawn().lowest().unwrap_or(crate::board::Edge::new(0))
        }),
    }
}

fn query(module: &mut Module, question: &[u8]) -> String {
    if module.api.is_none() {
        module.api = QueryApi::new(weights(slot()), Isa::fastest()).ok();
    }
    match &mut module.api {
        Some(api) => api.ask(question),
        None => "{\"error\":\"the module's weights cannot be used\"}".into(),
    }
}

/// What the exporter wrote, read at run time.
fn slot() -> &'static Slot {
    black_box(&SLOT)
}

fn weights(slot: &Slot) -> &'static [u8] {
    if slot.length == 0 {
        // The template's own, into which nothing was written yet.
        return &[];
    }
    // SAFETY: the exporter put so many bytes of weights at this address, which nothing else uses.
    unsafe { std::slice::from_raw_parts(slot.address as *const u8, slot.length as usize) }
}
