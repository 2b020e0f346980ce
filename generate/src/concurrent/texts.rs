//! Small concurrent programs that share strings and use the C library on them: one thread copies, appends or prints
//! into a buffer while another measures, compares or copies it. Strings have a few bytes, so that every interleaving of
//! the bytes can be explored.

use super::NAMES;
use crate::random::Random;
use crate::source::{Source, c};

const INCLUDES: &str = "\
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
";

const WORDS: [&str; 7] = ["", "a", "b", "ab", "bab", "7", "12"];

/// Operations that change a string.
const WRITES: [&str; 13] = [
    "strcpy($t, \"$w\");",
    "strcat($t, \"$w\");",
    "strncpy($t, \"$w\", $k);",
    "strncat($t, \"$w\", $k);",
    "$t[$k] = 0;",
    "$t[$k] = 'b';",
    "memcpy($t + $k, \"$w\", $l);",
    "memset($t, 'a', $k);",
    "snprintf($t, sizeof $t, \"%s\", \"$w\");",
    "snprintf($t, sizeof $t, \"%d\", $k);",
    "memcpy($u, $t, strlen($t));",
    "strcpy($u, $t);",
    "memset($t, 'b', strlen($u));",
];

/// Operations that read a string.
const QUESTIONS: [&str; 16] = [
    "$s = (int)strlen($t);",
    "$s = strcmp($t, \"$w\");",
    "$s = strncmp($t, \"$w\", $k);",
    "$s = memcmp($t, \"$w\", $l);",
    "$s = strchr($t, 'b') != NULL;",
    "$s = atoi($t);",
    "$s = (int)strnlen($t, $k);",
    "$s = (int)strcspn($t, \"b\");",
    "$s = strcmp($t, $u);",
    "$s = snprintf(own, sizeof own, \"%s$w\", $t);",
    "snprintf(own, sizeof own, \"$w%s\", $t); $s = strcmp(own, \"a\");",
    "snprintf(own, $k, \"%s\", $t); $s = (int)strlen(own);",
    "memcpy(own, $t, strlen($t) + 1); $s = strcmp(own, \"$w\");",
    "strcpy(own, $t); $s = own[0] - own[1];",
    "{ char *copy = strdup($t); $s = strcmp(copy, \"$w\"); free(copy); }",
    "memmove(own + 1, $t, strlen($t)); $s = own[$k];",
];

/// Conditions that may hold at the end.
const GUESSES: [&str; 6] = [
    "seen_0 != $k",
    "!(seen_0 == $k && seen_1 == $l)",
    "strlen(one) != $k",
    "strcmp(one, \"$w\") != 0",
    "seen_0 <= $k || seen_1 == 0",
    "one[$k] != 'b'",
];

/// GNU C17, linked with `-pthread`. It may fail an assertion or misuse memory in some interleavings or in all.
pub fn concurrent_c_with_texts(seed: u64) -> String {
    let mut random = Random::new(seed);
    let workers = random.pick(&[1, 1, 1, 2]);
    let locks = random.chance(30);
    let size = if workers == 1 { 2 + random.below(2) } else { 1 + random.below(2) };
    let mut text = Source::new();
    for name in ["one", "two"] {
        text.add(format!("static char {name}[8] = \"{}\";", random.pick(&WORDS)));
    }
    text.add("static int seen_0, seen_1, seen_2;\nstatic pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;");
    for (index, name) in NAMES.iter().enumerate().take(workers) {
        text.add(c!("static void *$n(void *argument) {\nchar own[16] = \"\";", n = name));
        body(&mut random, &mut text, size, index, locks);
        text.add("(void)own;\nreturn NULL;\n}");
    }
    text.add(format!("int main(void) {{\nchar own[16] = \"\";\npthread_t threads[{workers}];"));
    for (index, name) in NAMES.iter().enumerate().take(workers) {
        text.add(c!("pthread_create(&threads[$i], NULL, $n, NULL);", i = index, n = name));
    }
    body(&mut random, &mut text, size, workers, locks);
    for index in 0..workers {
        text.add(format!("pthread_join(threads[{index}], NULL);"));
    }
    for _ in 0..1 + random.below(2) {
        let guess = random.pick(&GUESSES);
        text.add(format!("assert({});", filled(&mut random, guess, 0)));
    }
    text.add("(void)own;\nreturn 0;\n}");
    format!("// seed {seed}\n{INCLUDES}\n{}", text.text())
}

/// The body of one thread. At least one thread has to write for races to exist.
fn body(random: &mut Random, text: &mut Source, size: usize, index: usize, locks: bool) {
    for number in 0..size {
        let writes = if index == 0 && number == 0 { 85 } else { 40 };
        let statement = if random.chance(writes) { random.pick(&WRITES) } else { random.pick(&QUESTIONS) };
        let statement = filled(random, statement, index);
        let alone = locks && random.chance(80);
        if alone {
            text.add("pthread_mutex_lock(&lock);");
        }
        text.add(statement);
        if alone {
            text.add("pthread_mutex_unlock(&lock);");
        }
    }
}

fn filled(random: &mut Random, template: &str, index: usize) -> String {
    let word = random.pick(&WORDS);
    let (one, two) = if random.chance(75) { ("one", "two") } else { ("two", "one") };
    let replaced = template.replace("$t", one).replace("$u", two).replace("$w", word);
    let replaced = replaced.replace("$l", &(word.len() + random.below(2)).to_string());
    replaced.replace("$k", &(1 + random.below(3)).to_string()).replace("$s", &format!("seen_{index}"))
}
