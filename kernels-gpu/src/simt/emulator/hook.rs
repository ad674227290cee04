//! What happens when a kernel panics or overflows its stack.
use super::block;
use super::fault::Site;
use std::any::Any;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::{Mutex, Once, PoisonError};

thread_local! {
    /// Where the kernel that this OS thread runs panicked.
    static PANIC_SITE: Cell<Option<Site>> = const { Cell::new(None) };
}

/// Takes the place of the last panic of a kernel on this OS thread.
pub(super) fn take_panic_site() -> Option<Site> {
    PANIC_SITE.take()
}

/// The text of a panic.
pub(super) fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or(payload.downcast_ref::<&str>().copied()).unwrap_or("panicked").to_string()
}

/// The same file name, for the life of the process: a panic's location lives no longer than the hook.
fn keep(file: &str) -> &'static str {
    static FILES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = files.get(file) {
        return known;
    }
    let kept: &'static str = Box::leak(file.into());
    files.insert(kept);
    kept
}

/// Installs the hooks, once in a process.
pub(super) fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if block::current().is_null() {
                return before(info);
            }
            // A kernel's panic becomes a fault: nothing is printed, only the place kept.
            let site = info.location().map(|l| Site { file: keep(l.file()), line: l.line(), column: l.column() });
            PANIC_SITE.set(site);
        }));
        #[cfg(unix)]
        overflow::install();
    });
}

/// A stack overflow hits the guard page of the thread's stack; the process ends, and this says which kernel it was.
#[cfg(unix)]
mod overflow {
    use super::block;
    use std::io::Write;
    use std::sync::OnceLock;

    /// The signals of a hit guard page: SIGBUS on some systems.
    const SIGNALS: [libc::c_int; 2] = [libc::SIGSEGV, libc::SIGBUS];
    static BEFORE: [OnceLock<libc::sigaction>; 2] = [OnceLock::new(), OnceLock::new()];

    pub(super) fn install() {
        for (signal, before) in SIGNALS.into_iter().zip(&BEFORE) {
            // SAFETY: zeroes are a valid sigaction, and the old one is kept before ours can run. The handler runs on the
            // alternate stack that std gives its threads.
            unsafe {
                let mut old: libc::sigaction = core::mem::zeroed();
                if libc::sigaction(signal, core::ptr::null(), &mut old) != 0 {
                    continue;
                }
                let _ = before.set(old);
                let mut new: libc::sigaction = core::mem::zeroed();
                new.sa_sigaction = on_signal as *const () as usize;
                new.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                libc::sigaction(signal, &new, core::ptr::null_mut());
            }
        }
    }

    extern "C" fn on_signal(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
        // SAFETY: the system passes a valid info; only functions that are allowed in a signal handler are called.
        unsafe {
            let thread = block::current();
            let address = (*info).si_addr() as usize;
            if !thread.is_null() {
                let page = libc::sysconf(libc::_SC_PAGESIZE).max(4096) as usize;
                if address.wrapping_sub((*thread).guard.get()) < page {
                    say(&*thread);
                }
            }
            let before = SIGNALS.iter().position(|&s| s == signal).and_then(|i| BEFORE[i].get());
            match before {
                Some(old) if old.sa_sigaction != libc::SIG_DFL && old.sa_sigaction != libc::SIG_IGN => {
                    if old.sa_flags & libc::SA_SIGINFO != 0 {
                        let f: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) =
                            core::mem::transmute(old.sa_sigaction);
                        f(signal, info, context);
                    } else {
                        let f: extern "C" fn(libc::c_int) = core::mem::transmute(old.sa_sigaction);
                        f(signal);
                    }
                }
                // The fault happens again when the handler returns, and ends the process.
                _ => {
                    libc::signal(signal, libc::SIG_DFL);
                }
            }
        }
    }

    /// Prints who overflowed, without allocating, and ends the process.
    fn say(thread: &block::Thread) -> ! {
        let block = thread.block();
        let mut text = [0u8; 512];
        let mut cursor = std::io::Cursor::new(&mut text[..]);
        let _ = writeln!(
            cursor,
            "stack overflow in kernel {}, block {}, thread {}: raise Config::stack_bytes ({})",
            block.context().kernel,
            block.index.get(),
            thread.id,
            block.context().config.stack_bytes
        );
        let len = cursor.position() as usize;
        // SAFETY: writes what was just formatted; abort does not return.
        unsafe {
            libc::write(2, text.as_ptr().cast(), len);
            libc::signal(libc::SIGABRT, libc::SIG_DFL);
            libc::abort()
        }
    }
}
