//! Guarantees of the C++ generator, checked without a compiler: one text per seed, and every feature within a hundred.

use generate::sequential_cpp;

const FEATURES: &[&str] = &[
    "catch (...)",
    "catch (Worse &worse)",
    "throw;",
    "throw Other();",
    "std::uncaught_exceptions()",
    "catch (int) {",
    "public virtual C",
    "public C",
    " override",
    "dynamic_cast<",
    "std::vector<int>",
    "std::deque<int>",
    "std::list<",
    "std::map<",
    "std::set<",
    "std::unordered_map<",
    "std::string items",
    "std::stable_sort(",
    "std::function<",
    "std::bind(",
    "mutable {",
    "template <typename",
    "std::shared_ptr<",
    "std::weak_ptr<",
    "std::unique_ptr<",
    "std::optional<",
    "std::ostringstream",
    "std::istringstream",
    "std::setw(",
];

#[test]
fn a_seed_stands_for_one_program() {
    assert_eq!(sequential_cpp(3..5), sequential_cpp(3..5));
    assert_ne!(sequential_cpp(3..4), sequential_cpp(4..5));
    let (one, both) = (sequential_cpp(4..5), sequential_cpp(3..5));
    let program = |text: &str| {
        let begin = text.find("namespace program_4 {").expect("it is there");
        text[begin..text.find("int main()").expect("it is there")].to_owned()
    };
    assert_eq!(program(&one), program(&both), "its neighbours have no influence on a program");
}

#[test]
fn every_feature_occurs() {
    let programs = sequential_cpp(0..100);
    let missing: Vec<&&str> = FEATURES.iter().filter(|feature| !programs.contains(**feature)).collect();
    assert!(missing.is_empty(), "no program has {missing:?}");
}
