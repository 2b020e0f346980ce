//! Tickets: marks before every operation that other threads may observe or influence, in programs built with hooks.
//!
//! The stored module has a call of [`TICKET`] before each of them, so that an engine can follow a recorded order. In
//! the instrumented copy each operation is between taking the ticket and [`DONE`]; operations that may wait are
//! replaced by functions of the recorder that take their number when the wait succeeds.

use std::collections::HashMap;

use crate::llvm::{Module, Opcode, Value};

use super::known::Behaviour;
use super::position::Position;
use super::sharing::{Sharing, called, is_assembly, is_defined};

pub const TICKET: &str = "__heddle_order_ticket";
pub const DONE: &str = "__heddle_order_done";

const REPLACED: &[&str] = &[
    "pthread_mutex_lock",
    "pthread_mutex_trylock",
    "pthread_mutex_timedlock",
    "pthread_mutex_clocklock",
    "pthread_mutex_unlock",
    "pthread_cond_wait",
    "pthread_cond_timedwait",
    "pthread_cond_clockwait",
    "pthread_cond_signal",
    "pthread_cond_broadcast",
    "pthread_rwlock_rdlock",
    "pthread_rwlock_tryrdlock",
    "pthread_rwlock_timedrdlock",
    "pthread_rwlock_wrlock",
    "pthread_rwlock_trywrlock",
    "pthread_rwlock_timedwrlock",
    "pthread_rwlock_unlock",
    "pthread_spin_lock",
    "pthread_spin_trylock",
    "pthread_spin_unlock",
    "pthread_barrier_init",
    "pthread_barrier_wait",
    "sem_wait",
    "sem_trywait",
    "sem_timedwait",
    "sem_post",
    "mtx_lock",
    "mtx_trylock",
    "mtx_timedlock",
    "mtx_unlock",
    "cnd_wait",
    "cnd_timedwait",
    "cnd_signal",
    "cnd_broadcast",
    "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE",
    "_ZNSt18condition_variable10notify_oneEv",
    "_ZNSt18condition_variable10notify_allEv",
];

/// Functions that create threads, whose first operation comes afterwards.
const CREATES: &[&str] = &[
    "pthread_create",
    "thrd_create",
    "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE",
];

/// Functions that do not return, or return at any time.
const LEAVES: &[&str] = &[
    "abort",
    "exit",
    "_exit",
    "__assert_fail",
    "usleep",
    "sleep",
    "nanosleep",
    "sched_yield",
    "pthread_yield",
    "_ZSt9terminatev",
    "__stack_chk_fail",
    "__clang_call_terminate",
    "__cxa_pure_virtual",
];

/// The treatment of a ticket in the instrumented module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ticket {
    /// The operation excludes those of all other threads.
    Held,
    /// It is numbered before it starts.
    Before,
    /// It is numbered after its end.
    After,
    /// The recorder replaces the function.
    Replaced,
    /// The replacement of the call takes the number itself.
    Kept,
}

/// The positions of tickets, by function name.
pub fn positions<'m>(module: &'m Module<'_>, sharing: &mut Sharing<'m>) -> Vec<(String, Vec<Position>)> {
    let mut all = Vec::new();
    for function in module.functions().filter(|&function| is_defined(function)) {
        let mut positions = Vec::new();
        for (block, values) in function.blocks().into_iter().enumerate() {
            for (instruction, value) in values.instructions().enumerate() {
                if takes_ticket(sharing, value) {
                    positions.push(Position { block, instruction });
                }
            }
        }
        all.push((function.name(), positions));
    }
    all
}

fn takes_ticket<'m>(sharing: &mut Sharing<'m>, value: Value<'m>) -> bool {
    let mut visible = |operand| value.operand(operand).is_some_and(|address| sharing.is_visible(address));
    match value.opcode() {
        Some(Opcode::LLVMLoad) => visible(0),
        Some(Opcode::LLVMStore) => visible(1),
        Some(Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg) => true,
        Some(Opcode::LLVMCall | Opcode::LLVMInvoke) => {
            let Some(function) = called(value) else { return is_assembly(value) };
            if is_defined(function) {
                return false;
            }
            let name = function.name();
            if name.starts_with("llvm.") {
                return ["llvm.memcpy", "llvm.memmove", "llvm.memset"].iter().any(|copy| name.starts_with(copy))
                    && value.arguments().iter().take(2).any(|&address| sharing.is_visible(address));
            }
            !matches!(sharing.behaviour(function), Behaviour::Allocates | Behaviour::Records)
        }
        _ => false,
    }
}

/// The treatment of the ticket before an instruction.
pub fn ticket<'m>(sharing: &Sharing<'m>, value: Value<'m>) -> Ticket {
    let Some(function) = called(value) else { return Ticket::Held };
    let name = function.name();
    if name == "pthread_once" || name == "call_once" {
        return Ticket::Kept;
    }
    if REPLACED.contains(&name.as_str()) {
        return Ticket::Replaced;
    }
    if CREATES.contains(&name.as_str()) {
        return if value.opcode() == Some(Opcode::LLVMCall) { Ticket::Held } else { Ticket::Before };
    }
    let is_call = value.opcode() == Some(Opcode::LLVMCall);
    if LEAVES.contains(&name.as_str()) || name.starts_with("_ZSt") && name.contains("__throw_") {
        return Ticket::Before;
    }
    match sharing.behaviour(function) {
        Behaviour::Harmless | Behaviour::Copies | Behaviour::Reallocates | Behaviour::Synchronises if is_call => {
            Ticket::Held
        }
        Behaviour::Harmless | Behaviour::Copies | Behaviour::Reallocates | Behaviour::Synchronises => Ticket::Before,
        Behaviour::Answers(_) => Ticket::Before,
        _ if name.contains("join") || name == "__cxa_guard_acquire" => Ticket::After,
        _ => Ticket::Before,
    }
}

/// The tickets of a module that has them, by function: the position of the call, and its treatment.
pub fn tickets<'m>(module: &'m Module<'_>, sharing: &Sharing<'m>) -> HashMap<String, Vec<(Position, Ticket)>> {
    let mut all = HashMap::new();
    for function in module.functions().filter(|&function| is_defined(function)) {
        let mut found = Vec::new();
        for (block, values) in function.blocks().into_iter().enumerate() {
            let values: Vec<Value<'m>> = values.instructions().collect();
            for (instruction, pair) in values.windows(2).enumerate() {
                if called(pair[0]).is_some_and(|function| function.name() == TICKET) {
                    found.push((Position { block, instruction }, ticket(sharing, pair[1])));
                }
            }
        }
        all.insert(function.name(), found);
    }
    all
}
