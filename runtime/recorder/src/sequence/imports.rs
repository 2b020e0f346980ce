//! Perturbation of programs that are built without hooks: before their calls of functions that synchronise threads.
//!
//! Such a program must have no overhead when it is not perturbed, so no function is interposed. To perturb it, its
//! entries for those functions in the global offset table (System V ABI for x86-64) are set at start to stubs of ours,
//! which delay the caller and then jump to the real function with all its arguments. Shared libraries keep their own
//! entries: calls inside of them are not perturbed.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use crate::c_library::{self, LoadedObject};
use crate::slot::Slot;
use crate::system;

use super::perturb;

/// How many functions can have a stub.
const STUBS: usize = 64;

/// The size of a stub.
const STUB_BYTES: usize = 16;

/// Prefixes of functions that wait for other threads, or let them proceed.
const BEGINNINGS: &[&[u8]] = &[
    b"pthread_mutex_",
    b"pthread_cond_",
    b"pthread_rwlock_",
    b"pthread_spin_",
    b"pthread_barrier_wait",
    b"pthread_join",
    b"pthread_once",
    b"sem_",
    b"mtx_",
    b"cnd_",
    b"thrd_join",
    b"_ZNSt18condition_variable",
    b"_ZNSt22condition_variable_any",
    b"_ZNSt6thread4joinEv",
    b"_ZNSt6thread15_M_start_thread",
];

core::arch::global_asm!(
    ".pushsection .text.heddle_stubs, \"ax\", @progbits",
    ".balign 16",
    "heddle_stubs:",
    ".set heddle_stub_number, 0",
    ".rept 64",
    ".balign 16",
    "pushq $heddle_stub_number",
    "jmp heddle_stub",
    ".set heddle_stub_number, heddle_stub_number + 1",
    ".endr",
    ".balign 16",
    "heddle_stub:",
    // All registers that hold arguments, and the one that counts those of a variadic call.
    "pushq %rdi",
    "pushq %rsi",
    "pushq %rdx",
    "pushq %rcx",
    "pushq %r8",
    "pushq %r9",
    "pushq %rax",
    "subq $8, %rsp",
    "movq 64(%rsp), %rdi",
    "call {hold_up}",
    "movq %rax, %r11",
    "addq $8, %rsp",
    "popq %rax",
    "popq %r9",
    "popq %r8",
    "popq %rcx",
    "popq %rdx",
    "popq %rsi",
    "popq %rdi",
    "addq $8, %rsp",
    "jmpq *%r11",
    ".popsection",
    hold_up = sym hold_up,
    options(att_syntax),
);

// SAFETY: the symbol is the beginning of the stubs.
unsafe extern "C" {
    static heddle_stubs: u8;
}

/// The real functions of the stubs.
static REAL: [AtomicPtr<c_void>; STUBS] = [const { AtomicPtr::new(null_mut()) }; STUBS];
static USED: AtomicUsize = AtomicUsize::new(0);

/// Perturbs the calling thread, and returns the function that it called.
extern "C" fn hold_up(stub: usize) -> *mut c_void {
    if let Some(slot) = Slot::own() {
        perturb::disturb(slot);
    }
    REAL.get(stub).map_or(null_mut(), |real| real.load(Ordering::Relaxed))
}

/// `Elf64_Phdr`
#[repr(C)]
struct Header {
    kind: u32,
    flags: u32,
    offset: u64,
    address: usize,
    physical: u64,
    file_size: u64,
    size: usize,
    alignment: u64,
}

const DYNAMIC: u32 = 2;

/// `Elf64_Dyn`
#[repr(C)]
struct Entry {
    tag: usize,
    value: usize,
}

const END: usize = 0;
const JUMPS_SIZE: usize = 2;
const STRINGS: usize = 5;
const SYMBOLS: usize = 6;
const OTHERS: usize = 7;
const OTHERS_SIZE: usize = 8;
const JUMPS: usize = 23;

/// `Elf64_Rela`
#[repr(C)]
struct Relocation {
    offset: usize,
    info: u64,
    addend: i64,
}

/// The kinds of those that are addresses of functions: of any object, and of one that is only called.
const ADDRESSES: [u32; 2] = [6, 7];

/// `Elf64_Sym`
#[repr(C)]
struct Symbol {
    name: u32,
    other: u32,
    value: u64,
    size: u64,
}

/// Sets the program's places. It has one thread.
pub fn begin() {
    c_library::visit_program(visit, null_mut());
}

unsafe extern "C" fn visit(object: *const LoadedObject, _bytes: usize, _data: *mut c_void) -> c_int {
    // SAFETY: the library describes an object that is loaded, with this many headers; its dynamic section has an end.
    unsafe {
        let Some(object) = object.as_ref() else { return 1 };
        let dynamic = (0..usize::from(object.count))
            .map(|index| &*object.headers.cast::<Header>().add(index))
            .find(|header| header.kind == DYNAMIC);
        if let Some(dynamic) = dynamic {
            set_places(object.base, core::ptr::with_exposed_provenance(object.base + dynamic.address));
        }
    }
    1
}

/// # Safety
/// The entries are the dynamic section of an object that is loaded at `base`.
unsafe fn set_places(base: usize, mut entry: *const Entry) {
    let (mut symbols, mut strings) = (0, 0);
    let mut tables = [(0, 0); 2];
    // SAFETY: the last entry says that it is the last.
    unsafe {
        while (*entry).tag != END {
            let Entry { tag, value } = *entry;
            match tag {
                JUMPS => tables[0].0 = value,
                JUMPS_SIZE => tables[0].1 = value,
                OTHERS => tables[1].0 = value,
                OTHERS_SIZE => tables[1].1 = value,
                SYMBOLS => symbols = value,
                STRINGS => strings = value,
                _ => {}
            }
            entry = entry.add(1);
        }
    }
    // The loader has turned these into addresses, or not.
    let at = |value: usize| if value < base { base + value } else { value };
    let symbols: *const Symbol = core::ptr::with_exposed_provenance(at(symbols));
    let strings: *const c_char = core::ptr::with_exposed_provenance(at(strings));
    for (table, bytes) in tables {
        let table: *const Relocation = core::ptr::with_exposed_provenance(at(table));
        for index in 0..bytes / size_of::<Relocation>() {
            // SAFETY: the tables are as large as they say, those that are empty are not read, and names end in zero.
            unsafe {
                let Relocation { offset, info, .. } = *table.add(index);
                if !ADDRESSES.contains(&(info as u32)) {
                    continue;
                }
                let symbol = &*symbols.add((info >> 32) as usize);
                let name = CStr::from_ptr(strings.add(symbol.name as usize));
                if BEGINNINGS.iter().any(|beginning| name.to_bytes().starts_with(beginning)) {
                    set_place(core::ptr::with_exposed_provenance_mut(base + offset), name);
                }
            }
        }
    }
}

/// # Safety
/// The place is the program's for the address of the function of that name.
unsafe fn set_place(place: *mut *const u8, name: &CStr) {
    let stub = USED.load(Ordering::Relaxed);
    let real = c_library::find(name);
    if real.is_null() || stub >= STUBS || !system::allow_writing(place.cast(), size_of::<*const u8>()) {
        return;
    }
    REAL[stub].store(real, Ordering::Relaxed);
    USED.store(stub + 1, Ordering::Relaxed);
    // SAFETY: the place is writable now, and no call goes through it meanwhile; the index is below the number of stubs.
    unsafe { place.write_volatile((&raw const heddle_stubs).add(stub * STUB_BYTES)) };
}

/// The same for functions of the C library that the recorder replaces.
pub fn disturb_own() {
    hold_up(usize::MAX);
}

/// The identification in records of a function whose address the program took: a stub counts as its real function.
pub fn real(function: *const c_void) -> *const c_void {
    let first = (&raw const heddle_stubs).addr();
    let stub = function.addr().wrapping_sub(first) / STUB_BYTES;
    REAL.get(stub).map_or(function, |real| real.load(Ordering::Relaxed))
}
