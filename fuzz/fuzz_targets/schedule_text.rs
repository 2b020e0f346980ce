//! Every text is a schedule, a recorded run, or is refused, and the contents are unchanged by printing and parsing.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|source: &str| {
    if let Ok(schedule) = run::parse_schedule(source) {
        let text = schedule.to_string();
        assert_eq!(run::parse_schedule(&text).as_ref(), Ok(&schedule), "{text}");
    }
    if let Ok(recorded) = run::parse_recorded_run(source) {
        let text = recorded.to_string();
        assert_eq!(run::parse_recorded_run(&text).as_ref(), Ok(&recorded), "{text}");
    }
});
