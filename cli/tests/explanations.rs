//! `heddle explain` on programs whose explanation once failed, exhausted memory or was misleading; and the report
//! without an explanation.

mod command;

use command::{folder, heddle};
use serde_json::Value;

/// What `heddle explain` finds in a program that fails.
fn explained(file: &str, source: &str, options: &[&str]) -> Value {
    let folder = folder(&[(file, source)]);
    let standard = if file.ends_with(".cpp") { "-std=c++20" } else { "-std=c17" };
    let arguments = [&["explain", file, standard, "--format", "json"], options].concat();
    let found = heddle(folder.path(), &arguments).expect_status(1).json();
    assert_eq!(found["failing"]["replayed"], true);
    found
}

#[track_caller]
fn has_projection(found: &Value) {
    assert!(found["explanation_missing"].is_null(), "{:#}", found["explanation_missing"]);
    let operations = found["projection"]["metrics"]["operations"].as_u64();
    assert!(operations > Some(0), "nothing differs:\n{found:#}");
}

/// What is inserted into a text comes back into the program.
#[test]
fn threads_that_write_into_one_text() {
    let source = "\
#include <cassert>
#include <sstream>
#include <thread>
static std::ostringstream visits;
static void visit(char who)
{
    visits << who;
    visits << '.';
}
int main()
{
    std::thread one(visit, 'a'), two(visit, 'b');
    one.join();
    two.join();
    std::string text = visits.str();
    assert(text == \"a.b.\" || text == \"b.a.\");
}
";
    has_projection(&explained("a.cpp", source, &[]));
}

/// The same way through the library touches more bytes in one run than in the other.
#[test]
fn texts_of_different_lengths_that_are_removed_and_counted() {
    let source = "\
#include <cstdio>
#include <map>
#include <string>
#include <thread>
static std::map<std::string, std::string> places;
int main()
{
    for (const char *name : {\"ann\", \"bartholomew of the long road\", \"cy\", \"dorothea\"})
        places[name] = std::string(name) + \"'s place\";
    std::thread leaves([] { places.erase(\"cy\"); places.erase(\"ann\"); });
    std::thread counts([] {
        std::size_t letters = 0;
        for (auto &place : places)
            letters += place.second.size();
        std::printf(\"%zu\\n\", letters);
    });
    leaves.join();
    counts.join();
}
";
    has_projection(&explained("a.cpp", source, &[]));
}

/// Of a thousand accesses in an atomic section of the library only the last ones are visible to other threads, and an
/// unseeded generator needs no initialisation.
#[test]
fn generators_of_random_numbers_cost_little() {
    let source = "\
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static int tickets;
static void *sell(void *seed)
{
    SEED
    int sold = 1 + rand() % 1;
    int before = tickets;
    tickets = before + sold;
    return NULL;
}
int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, sell, (void *)3);
    pthread_create(&second, NULL, sell, (void *)5);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(tickets == 2);
}
";
    for (seed, most) in [("(void)seed;", 60), ("srand((unsigned)(long)seed);", 220)] {
        let found = explained("a.c", &source.replace("SEED", seed), &[]);
        has_projection(&found);
        let events = found["projection"]["metrics"]["events"].as_u64();
        assert!(events < Some(most), "{seed} {events:?} events");
        let lines = |end: &Value| end["at"]["line"].as_u64();
        let orders = found["causes"][0]["orders"].as_array().expect("a cause").clone();
        assert!(orders.iter().all(|order| lines(&order["before"]) > Some(8)), "{orders:#?}");
    }
}

/// Where nothing can be explained the failing run stands, and the report says why.
#[test]
fn a_failure_of_one_thread_has_no_explanation() {
    let source = "#include <assert.h>\nint main(void)\n{\n    assert(0);\n}\n";
    let found = explained("a.c", source, &[]);
    assert_eq!(found["explanation_missing"], "only one thread ever ran");
    let folder = folder(&[("a.c", source)]);
    let answer = heddle(folder.path(), &["explain", "a.c"]).expect_status(1);
    assert!(answer.stdout.contains("note  no explanation: only one thread ever ran\n"), "{}", answer.stdout);
    assert_eq!(answer.stderr.matches("one thread").count(), 0, "it is said once: {}", answer.stderr);
}
