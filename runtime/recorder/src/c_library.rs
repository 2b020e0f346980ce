//! The C library's functions: those that the recorder calls, and the real ones behind those that it interposes.

use core::ffi::{CStr, c_char, c_int, c_long, c_uint, c_void};
use core::mem::transmute;
use core::ptr::{null_mut, without_provenance_mut};
use core::sync::atomic::{AtomicPtr, Ordering};

pub type Destructor = unsafe extern "C" fn(*mut c_void);
pub type Start = unsafe extern "C" fn(*mut c_void) -> *mut c_void;

/// The beginning of `struct dl_phdr_info`.
#[repr(C)]
pub struct LoadedObject {
    pub base: usize,
    name: *const c_char,
    /// The program headers, and how many there are.
    pub headers: *const c_void,
    pub count: u16,
}

// SAFETY: the signatures are those of the GNU C library.
unsafe extern "C" {
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    fn __errno_location() -> *mut c_int;
    fn secure_getenv(name: *const c_char) -> *mut c_char;
    fn dl_iterate_phdr(
        visit: unsafe extern "C" fn(*const LoadedObject, usize, *mut c_void) -> c_int,
        data: *mut c_void,
    ) -> c_int;
    fn on_exit(run: unsafe extern "C" fn(c_int, *mut c_void), data: *mut c_void) -> c_int;
    fn pthread_atfork(
        before: Option<unsafe extern "C" fn()>,
        parent: Option<unsafe extern "C" fn()>,
        child: Option<unsafe extern "C" fn()>,
    ) -> c_int;
    fn pthread_key_create(key: *mut c_uint, destructor: Option<Destructor>) -> c_int;
    fn pthread_setspecific(key: c_uint, value: *const c_void) -> c_int;
}

/// A variable of the environment; none if it is empty, or if the program runs with rights that its caller does not have.
pub fn variable(name: &CStr) -> Option<&'static CStr> {
    // SAFETY: the name is a string of C; the environment has strings of C, which live on.
    let value = unsafe {
        let value = secure_getenv(name.as_ptr());
        if value.is_null() { None } else { Some(CStr::from_ptr(value)) }
    };
    value.filter(|value| !value.is_empty())
}

/// How far the program's own code was moved from the addresses that its file gives.
pub fn program_base() -> u64 {
    unsafe extern "C" fn first(object: *const LoadedObject, _bytes: usize, base: *mut c_void) -> c_int {
        // SAFETY: the library gives us an object; `base` is the variable below.
        unsafe { base.cast::<u64>().write((*object).base as u64) };
        1
    }
    let mut base = 0_u64;
    visit_program(first, (&raw mut base).cast());
    base
}

/// Calls a function with the loaded program, which is the first object. It must return 1.
pub fn visit_program(visit: unsafe extern "C" fn(*const LoadedObject, usize, *mut c_void) -> c_int, data: *mut c_void) {
    // SAFETY: the library calls it for the program and then never again.
    unsafe { dl_iterate_phdr(visit, data) };
}

/// The program's symbol of this name; null if there is none.
pub fn find(name: &CStr) -> *mut c_void {
    // SAFETY: the handle is RTLD_DEFAULT, the name a string of C.
    unsafe { dlsym(null_mut(), name.as_ptr()) }
}

pub fn at_exit(run: unsafe extern "C" fn(c_int, *mut c_void)) {
    // SAFETY: the function lives as long as the program.
    unsafe { on_exit(run, null_mut()) };
}

pub fn at_fork(parent: unsafe extern "C" fn(), child: unsafe extern "C" fn()) {
    // SAFETY: the functions live as long as the program.
    unsafe { pthread_atfork(None, Some(parent), Some(child)) };
}

/// A thread-local key whose value is passed to `destructor` when the thread ends.
pub fn thread_key(destructor: Destructor) -> Option<u32> {
    let mut key = 0;
    // SAFETY: the key is written; the function lives as long as the program.
    (unsafe { pthread_key_create(&raw mut key, Some(destructor)) } == 0).then_some(key)
}

pub fn set_thread_key(key: u32, value: *const c_void) {
    // SAFETY: keys are never deleted.
    unsafe { pthread_setspecific(key, value) };
}

pub fn errno() -> i32 {
    // SAFETY: the library gives the calling thread's variable.
    unsafe { *__errno_location() }
}

pub fn set_errno(number: i32) {
    // SAFETY: the library gives the calling thread's variable.
    unsafe { *__errno_location() = number };
}

/// The definition that would be used if the recorder had none.
struct Real {
    name: &'static CStr,
    at: AtomicPtr<c_void>,
}

impl Real {
    const fn new(name: &'static CStr) -> Real {
        Real { name, at: AtomicPtr::new(null_mut()) }
    }

    fn find(&self) -> *mut c_void {
        let known = self.at.load(Ordering::Relaxed);
        if !known.is_null() {
            return known;
        }
        let next = without_provenance_mut(usize::MAX);
        // SAFETY: the handle is RTLD_NEXT, the name a string of C.
        let found = unsafe { dlsym(next, self.name.as_ptr()) };
        self.at.store(found, Ordering::Relaxed);
        found
    }
}

/// The C library tells whether a process has threads, and the C++ library omits atomic operations while it has none. A
/// replay does not, so a recorded program always counts as multithreaded.
pub fn deny_being_single_threaded() {
    let single = find(c"__libc_single_threaded").cast::<u8>();
    if !single.is_null() {
        // SAFETY: the variable is a byte that programs only read, and none has started yet.
        unsafe { single.write_volatile(0) };
    }
}

/// One function per name: it gives the real one, if there is one.
macro_rules! real {
    ($($name:ident $symbol:literal ($($argument:ty),*) $(-> $result:ty)?;)*) => {
        pub mod real {
            use super::*;
            $(
                #[inline]
                pub fn $name() -> Option<unsafe extern "C" fn($($argument),*) $(-> $result)?> {
                    static REAL: Real = Real::new($symbol);
                    // SAFETY: the library's function has this signature; no function is null.
                    unsafe { transmute(REAL.find()) }
                }
            )*

            /// Symbol lookup is not safe in signal handlers, so all are resolved in advance.
            pub fn find_all() {
                $($name();)*
            }
        }
    };
}

pub type Strings = *const *const c_char;
pub type Handler = usize;

real! {
    pthread_create c"pthread_create" (*mut c_void, *const c_void, Start, *mut c_void) -> c_int;
    thrd_create c"thrd_create" (*mut c_void, Start, *mut c_void) -> c_int;
    assert_fail c"__assert_fail" (*const c_char, *const c_char, c_uint, *const c_char) -> !;
    abort c"abort" () -> !;
    exit_at_once c"_exit" (c_int) -> !;
    quick_exit c"quick_exit" (c_int) -> !;
    execve c"execve" (*const c_char, Strings, Strings) -> c_int;
    execv c"execv" (*const c_char, Strings) -> c_int;
    execvp c"execvp" (*const c_char, Strings) -> c_int;
    execvpe c"execvpe" (*const c_char, Strings, Strings) -> c_int;
    fexecve c"fexecve" (c_int, Strings, Strings) -> c_int;
    execveat c"execveat" (c_int, *const c_char, Strings, Strings, c_int) -> c_int;
    dlopen c"dlopen" (*const c_char, c_int) -> *mut c_void;
    dlmopen c"dlmopen" (c_long, *const c_char, c_int) -> *mut c_void;
    fopen c"fopen" (*const c_char, *const c_char) -> *mut c_void;
    fopen64 c"fopen64" (*const c_char, *const c_char) -> *mut c_void;
    open c"open" (*const c_char, c_int, c_uint) -> c_int;
    open64 c"open64" (*const c_char, c_int, c_uint) -> c_int;
    fork c"fork" () -> c_int;
    fork_only c"_Fork" () -> c_int;
    sigaction c"sigaction" (c_int, *const c_void, *mut c_void) -> c_int;
    signal c"signal" (c_int, Handler) -> Handler;
    sigset c"sigset" (c_int, Handler) -> Handler;
    longjmp c"longjmp" (*mut c_void, c_int) -> !;
    longjmp_checked c"__longjmp_chk" (*mut c_void, c_int) -> !;
}
