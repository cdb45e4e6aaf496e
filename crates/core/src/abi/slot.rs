//! The slot of the compiled WebAssembly module into which the exporter writes each bot's values.

/// The bytes by which the exporter finds the slot in the compiled module.
pub const SLOT_MARK: [u8; 16] = *b"DOUBLECROSS SLOT";

/// The values that differ from bot to bot, little-endian.
#[repr(C)]
#[cfg(target_arch = "wasm32")]
pub(super) struct Slot {
    pub mark: [u8; 16],
    /// The address of the weights file in the module's memory.
    pub address: u32,
    /// The length of the weights file in bytes. The book follows it.
    pub length: u32,
    /// Simulations of each move.
    pub simulations: u32,
    /// The solver's budget for each move, in nodes.
    pub nodes: u32,
    /// The length of the book's binary form in bytes, or 0 if there is none.
    pub book: u32,
}
