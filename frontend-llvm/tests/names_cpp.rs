//! Names in reports of C++ programs: functions with their classes, a library's accesses by the user's calls.

mod snippet;

use std::collections::BTreeSet;
use std::rc::Rc;

use snippet::{Folder, load_files};

const SOURCE: &str = "
    #include <deque>
    #include <memory>
    #include <mutex>
    #include <thread>
    namespace bank {
    template <typename Number> struct Account {
        std::mutex lock;
        std::deque<int> entries;
        Number balance = 0;
        void set(Number amount) {
            std::lock_guard<std::mutex> guard(lock);
            entries.push_back(1);
            balance = amount;
        }
    };
    }
    std::deque<int> queue;
    int main() {
        auto account = std::make_shared<bank::Account<long>>();
        std::thread other([account] { account->set(5); queue.push_back(2); });
        account->set(7);
        other.join();
        return queue.size() == 1 ? 0 : 1;
    }";

#[test]
fn functions_have_their_classes_and_library_calls_their_objects() {
    let folder = Folder::new();
    let loaded = load_files(&[folder.write("bank.cpp", SOURCE)], &[]);
    let displayed: BTreeSet<&str> = loaded.program.functions.iter().map(|function| function.display.as_str()).collect();
    for name in ["bank::Account::set", "lambda in main", "std::deque::push_back", "std::thread::join", "main"] {
        assert!(displayed.contains(name), "no function is called `{name}`: {displayed:?}");
    }
    let code = Rc::new(vm::Code::new(&loaded.program));
    let options = vm::Options { events: true, ..vm::Options::default() };
    let execution = vm::execute(&code, &options, &mut vm::strategy::Random::new(1));
    assert_eq!(execution.outcome, vm::Outcome::Passed { status: 0 });
    let touched: BTreeSet<&str> = execution.events.iter().map(|event| event.object.as_str()).collect();
    for name in ["this->entries.push_back()", "queue.push_back()", "queue.size()", "this->lock", "this->balance"] {
        assert!(touched.contains(name), "no event is about `{name}`: {touched:?}");
    }
}
