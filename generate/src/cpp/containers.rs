//! Operations on containers, and their contents afterwards.

use super::Part;
use crate::random::Random;

pub fn draw(random: &mut Random) -> Part {
    let mut statements = String::new();
    let kinds: [fn(&mut Random) -> String; 6] = [sequence, list, ordered, hashed, text, algorithms];
    for kind in random.some_of(&kinds, 2, 4) {
        statements.push_str(&format!("{{\n{}}}\n", kind(random)));
    }
    Part { declarations: String::new(), statements }
}

const SHOW: &str =
    "for (const auto &item : items) {\nstd::cout << item << ' ';\n}\nstd::cout << items.size() << '\\n';\n";

fn sequence(random: &mut Random) -> String {
    let kind = random.pick(&["std::vector<int>", "std::deque<int>"]);
    let mut text = format!("{kind} items;\n");
    for _ in 0..4 + random.below(8) {
        let value = random.between(-50, 50);
        text.push_str(&match random.below(7) {
            0 | 1 => format!("items.push_back({value});\n"),
            2 => format!("items.insert(items.begin(), {value});\n"),
            3 => "if (!items.empty()) {\nitems.pop_back();\n}\n".to_owned(),
            4 => format!("items.insert(items.end(), {}, {value});\n", random.below(30)),
            5 => "if (items.size() > 2) {\nitems.erase(items.begin() + 1);\n}\n".to_owned(),
            _ => format!("try {{\nstd::cout << items.at({}) << ' ';\n}} catch (const std::out_of_range &) {{\nstd::cout << \"out \";\n}}\n", random.below(9)),
        });
    }
    text + SHOW
}

fn list(random: &mut Random) -> String {
    let mut text = String::from("std::list<std::string> items{\"m\", \"c\"};\n");
    for _ in 0..3 + random.below(6) {
        let value = random.pick(&["a", "zeta", "kappa", "m", "longer than the small buffer"]);
        text.push_str(&match random.below(6) {
            0 => format!("items.push_back(\"{value}\");\n"),
            1 => format!("items.push_front(\"{value}\");\n"),
            2 => "items.sort();\n".to_owned(),
            3 => "items.reverse();\n".to_owned(),
            4 => format!("items.remove(\"{value}\");\n"),
            _ => "items.unique();\n".to_owned(),
        });
    }
    text + SHOW
}

fn ordered(random: &mut Random) -> String {
    let (factor, modulus) = (random.pick(&[7, 11, 37, 53]), random.pick(&[29, 61, 101]));
    let count = 5 + random.below(40);
    let step = 2 + random.below(4);
    let from = random.below(modulus);
    format!(
        "std::map<int, std::string> items;\nfor (int i = 0; i < {count}; i++) {{\n\
         items[i * {factor} % {modulus}] += std::to_string(i);\n}}\n\
         for (int i = 0; i < {modulus}; i += {step}) {{\nitems.erase(i);\n}}\n\
         for (auto at = items.lower_bound({from}); at != items.end(); ++at) {{\n\
         std::cout << at->first << ':' << at->second << ' ';\n}}\n\
         for (auto at = items.rbegin(); at != items.rend(); ++at) {{\nstd::cout << at->first << ' ';\n}}\n\
         std::set<std::string, std::greater<std::string>> names;\nfor (auto &item : items) {{\nnames.insert(item.second);\n}}\n\
         std::cout << (names.empty() ? \"none\" : *names.begin()) << items.count({from}) << '\\n';\n"
    )
}

fn hashed(random: &mut Random) -> String {
    let count = 3 + random.below(40);
    let key = random.pick(&["\"key\" + std::to_string(i * 13)", "std::string(i % 17, 'k')"]);
    let gone = random.below(count);
    format!(
        "std::unordered_map<std::string, int> items;\nfor (int i = 0; i < {count}; i++) {{\nitems[{key}] += i;\n}}\n\
         items.erase(\"key{}\");\nfor (auto &item : items) {{\nstd::cout << item.first << '=' << item.second << ' ';\n}}\n\
         std::cout << items.bucket_count() << ' ' << items.size() << '\\n';\n\
         std::unordered_map<int, int> numbers;\nfor (int i = 0; i < {count}; i++) {{\nnumbers[i * i * 31] = i;\n}}\n\
         for (auto &item : numbers) {{\nstd::cout << item.first << ' ';\n}}\nstd::cout << '\\n';\n",
        gone * 13
    )
}

fn text(random: &mut Random) -> String {
    let mut text = String::from("std::string items = \"a heddle parts the warp\";\n");
    for _ in 0..4 + random.below(6) {
        let (at, length) = (random.below(12), random.below(6));
        text.push_str(&match random.below(8) {
            0 => format!("items.insert({at} % (items.size() + 1), \"<{at}>\");\n"),
            1 => format!("items.erase({at} % (items.size() + 1), {length});\n"),
            2 => format!("items.replace({at} % (items.size() + 1), {length}, \"weft and warp\");\n"),
            3 => "std::reverse(items.begin(), items.end());\n".to_owned(),
            4 => format!("items += std::string({length}, '#');\n"),
            5 => format!("std::cout << items.find(\"p\", {at}) % 1000 << ' ' << items.substr({at} % (items.size() + 1), {length}) << ' ';\n"),
            6 => format!("items.append(items, 0, {length}).push_back('!');\n"),
            _ => "std::cout << (items < \"b\") << items.rfind('a') % 1000 << ' ';\n".to_owned(),
        });
    }
    text + "std::cout << items << ' ' << items.size() << '\\n';\n"
}

fn algorithms(random: &mut Random) -> String {
    let (count, factor) = (5 + random.below(60), random.pick(&[17, 29, 31]));
    let mut text = format!(
        "std::vector<int> items({count});\nstd::iota(items.begin(), items.end(), 1);\n\
         for (int &item : items) {{\nitem = item * {factor} % 97;\n}}\n"
    );
    for _ in 0..2 + random.below(4) {
        text.push_str(random.pick(&[
            "std::sort(items.begin(), items.end());\n",
            "std::stable_sort(items.begin(), items.end(), [](int a, int b) { return a % 10 < b % 10; });\n",
            "items.erase(std::remove_if(items.begin(), items.end(), [](int n) { return n % 5 == 0; }), items.end());\n",
            "std::partial_sum(items.begin(), items.end(), items.begin(), [](int a, int b) { return (a + b) % 1000; });\n",
            "std::rotate(items.begin(), items.begin() + items.size() / 3, items.end());\n",
            "std::make_heap(items.begin(), items.end());\n",
            "std::cout << std::accumulate(items.begin(), items.end(), 0) << ' ';\n",
            "std::transform(items.begin(), items.end(), items.begin(), [](int n) { return n ^ 5; });\n",
        ]));
    }
    text + SHOW
}
