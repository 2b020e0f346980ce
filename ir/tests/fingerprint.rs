//! The fingerprint changes with a program's behaviour, and only with it.

const PROGRAM: &str = "\
heddle ir 1
program \"p\"
entry @main
file \"p.c\"
span !0 0:0:0
span !1 0:1:1
text \"x\"
layout #0 signed \"int\" 4
global $x size 4 align 4 layout #0 !1 {
  bytes 01000000
}
function @main -> (i32) !1 {
b0:
  v0 \"x\": i32 = load $x \"x\" !1
  v1: i32 = add v0, i32 1
  return v1
}
";

fn fingerprint(source: &str) -> String {
    ir::fingerprint(&ir::parse(source).expect("it is a program"))
}

#[test]
fn it_is_the_same_everywhere() {
    assert_eq!(fingerprint(PROGRAM), "03087b68b4691f7b7d003dcc415af442");
}

#[test]
fn names_and_places_leave_it_as_it_is() {
    for (old, new) in [
        ("\"p\"", "\"q\""),
        ("\"p.c\"", "\"elsewhere/p.c\""),
        ("0:1:1", "0:2:3"),
        ("text \"x\"", "text \"y\""),
        ("v0 \"x\"", "v0"),
        ("$x \"x\"", "$x"),
        ("\"int\"", "\"long\""),
        ("layout #0 !1", "library"),
        ("(i32) !1", "(i32) library display \"m\""),
        ("$x \"x\" !1", "$x \"x\""),
    ] {
        let changed = PROGRAM.replacen(old, new, 1);
        assert_ne!(changed, PROGRAM, "{old}");
        assert_eq!(fingerprint(&changed), fingerprint(PROGRAM), "{old} -> {new}");
    }
}

#[test]
fn behaviour_changes_it() {
    for (old, new) in [
        ("01000000", "02000000"),
        ("01000000", "0100000000"),
        ("size 4", "size 8"),
        ("align 4", "align 8"),
        ("align 4", "align 4 constant"),
        ("i32 1", "i32 2"),
        ("add v0", "sub v0"),
        ("load $x", "load $x acquire"),
        ("load $x", "load $x + 1"),
        ("return v1", "return v0"),
        ("@main -> (i32)", "@main -> (i32) atomic"),
        ("entry @main", "entry @main\nconstructor @main"),
        ("function @main", "function @other\nfunction @main"),
    ] {
        let changed = PROGRAM.replacen(old, new, 1);
        assert_ne!(changed, PROGRAM, "{old}");
        assert_ne!(fingerprint(&changed), fingerprint(PROGRAM), "{old} -> {new}");
    }
}
