//! Feature: the heap and what programs build there: lists, trees, growing arrays, tables, structs with flexible arrays;
//! sorting and searching with the library. Everything is freed.

use super::program::Program;
use crate::source::{Source, c};

const TOPICS: [fn(&mut Program) -> String; 9] =
    [list, tree, growing, rows, table, flexible, sort_numbers, sort_records, sort_texts];

pub fn emit(program: &mut Program) {
    let mut body = Source::new();
    for topic in program.random.some_of(&TOPICS, 1, 3) {
        let text = topic(program);
        body.add(format!("{{\n{text}\n}}"));
    }
    program.test("heap", &body);
}

fn list(program: &mut Program) -> String {
    let stem = program.fresh("list");
    program.types.add(c!(
        "struct $s {\n$t value;\nstruct $s *next;\n};",
        s = stem,
        t = program.random.pick(&["int", "long", "short"])
    ));
    program.functions.add(c!(
        "static struct $s *${s}_push(struct $s *head, int value) {\nstruct $s *node = malloc(sizeof *node);\nif (!node) abort();\n\
         node->value = value;\nnode->next = head;\nreturn node;\n}\n\
         static struct $s *${s}_reverse(struct $s *head) {\nstruct $s *done = NULL;\nwhile (head) {\nstruct $s *next = head->next;\nhead->next = done;\ndone = head;\nhead = next;\n}\nreturn done;\n}\n\
         static void ${s}_insert(struct $s **at, int value) {\nwhile (*at && (*at)->value < value) at = &(*at)->next;\n*at = ${s}_push(*at, value);\n}\n\
         static void ${s}_remove(struct $s **at, int divisor) {\nwhile (*at) {\nstruct $s *node = *at;\nif (node->value % divisor == 0) {\n*at = node->next;\nfree(node);\n} else at = &node->next;\n}\n}",
        s = stem
    ));
    c!(
        "struct $s *head = 0;\nfor (int i = 0; i < $n; i++) {\nif (i & 1) ${s}_insert(&head, i * $k % 23);\nelse head = ${s}_push(head, i * $m % 19);\n}\n\
         ${s}_remove(&head, $d);\nhead = ${s}_reverse(head);\nfor (struct $s *p = head; p; p = p->next) mix((uint64_t)p->value);\n\
         int length = 0;\nwhile (head) {\nstruct $s *next = head->next;\nfree(head);\nhead = next;\nlength++;\n}\nshow(\"length\", length);",
        s = stem,
        n = 3 + program.random.below(12),
        k = 1 + program.random.below(20),
        m = 1 + program.random.below(20),
        d = 2 + program.random.below(4)
    )
}

fn tree(program: &mut Program) -> String {
    let stem = program.fresh("tree");
    program.types.add(c!("struct $s {\nstruct $s *child[2];\nint key, count;\n};", s = stem));
    program.functions.add(c!(
        "static struct $s *${s}_add(struct $s *node, int key) {\nif (!node) {\nnode = calloc(1, sizeof(struct $s));\nif (!node) abort();\nnode->key = key;\n}\n\
         if (key == node->key) node->count++;\nelse node->child[key > node->key] = ${s}_add(node->child[key > node->key], key);\nreturn node;\n}\n\
         static int ${s}_depth(const struct $s *node) {\nif (!node) return 0;\nint left = ${s}_depth(node->child[0]), right = ${s}_depth(node->child[1]);\nreturn 1 + (left > right ? left : right);\n}\n\
         static void ${s}_free(struct $s *node) {\nif (!node) return;\n${s}_free(node->child[0]);\nmix((uint64_t)(node->key * 100 + node->count));\n${s}_free(node->child[1]);\nfree(node);\n}",
        s = stem
    ));
    c!(
        "struct $s *root = NULL;\nunsigned key = $v;\nfor (int i = 0; i < $n; i++) {\nkey = key * 1103515245u + 12345u;\nroot = ${s}_add(root, (int)(key >> 16) % 40);\n}\nshow(\"depth\", ${s}_depth(root));\n${s}_free(root);",
        s = stem,
        v = program.random.below(100_000),
        n = 5 + program.random.below(30)
    )
}

fn growing(program: &mut Program) -> String {
    let ty = program.random.pick(&["int", "unsigned char", "long long", "double"]);
    c!(
        "size_t room = $r, used = 0;\n$t *items = malloc(room * sizeof *items);\nif (!items) abort();\nfor (int i = 0; i < $n; i++) {\nif (used == room) {\nroom = room * 3 / 2 + 1;\n\
         $t *more = realloc(items, room * sizeof *more);\nif (!more) abort();\nitems = more;\n}\nitems[used++] = ($t)(i * i % $m);\n}\n\
         items = realloc(items, used / 2 * sizeof *items);\nif (!items) abort();\nfor (size_t i = 0; i < used / 2; i++) mix((uint64_t)items[i]);\nfree(items);\nfree(NULL);\n\
         char *text = realloc(NULL, 6);\nif (!text) abort();\nmemcpy(text, \"grown\", 6);\nputs(text);\nfree(text);",
        r = 1 + program.random.below(3),
        t = ty,
        n = 4 + program.random.below(20),
        m = 2 + program.random.below(100)
    )
}

fn rows(program: &mut Program) -> String {
    c!(
        "int **rows = malloc($n * sizeof *rows);\nif (!rows) abort();\nfor (int i = 0; i < $n; i++) {\nrows[i] = calloc((size_t)i + 1, sizeof **rows);\nif (!rows[i]) abort();\nrows[i][0] = 1;\n\
         for (int j = 1; j <= i; j++) rows[i][j] = rows[i - 1][j - 1] + (j < i ? rows[i - 1][j] : 0);\n}\n\
         for (int i = 0; i < $n; i++) {\nfor (int j = 0; j <= i; j++) mix((uint64_t)rows[i][j]);\n}\nshow(\"middle\", rows[$n - 1][$n / 2]);\nfor (int i = $n; i-- > 0; ) free(rows[i]);\nfree(rows);",
        n = 2 + program.random.below(7)
    )
}

fn table(program: &mut Program) -> String {
    let stem = program.fresh("table");
    program.functions.add(c!(
        "struct ${s} {\nstruct ${s}_entry {\nstruct ${s}_entry *next;\nchar key[8];\nint value;\n} *slots[$n];\n};\n\
         static int *${s}_at(struct $s *table, const char *key) {\nunsigned hash = 0;\nfor (const char *p = key; *p; p++) hash = hash * 31 + (unsigned char)*p;\n\
         struct ${s}_entry **slot = &table->slots[hash % $n];\nwhile (*slot && strcmp((*slot)->key, key)) slot = &(*slot)->next;\n\
         if (!*slot) {\n*slot = calloc(1, sizeof **slot);\nif (!*slot) abort();\nstrncpy((*slot)->key, key, sizeof (*slot)->key - 1);\n}\nreturn &(*slot)->value;\n}",
        s = stem, n = 2 + program.random.below(6)
    ));
    c!(
        "struct $s table = {{0}};\nchar key[8];\nfor (int i = 0; i < 20; i++) {\nsnprintf(key, sizeof key, \"k%d\", i * $k % $m);\n*${s}_at(&table, key) += i;\n}\n\
         for (unsigned i = 0; i < sizeof table.slots / sizeof *table.slots; i++) {\nfor (struct ${s}_entry *e = table.slots[i], *next; e; e = next) {\nnext = e->next;\nmix_text(e->key);\nmix((uint64_t)e->value);\nfree(e);\n}\n}",
        s = stem,
        k = 1 + program.random.below(9),
        m = 3 + program.random.below(9)
    )
}

fn flexible(program: &mut Program) -> String {
    let kind = program.fresh("struct packet");
    let element = program.random.pick(&["unsigned char", "int", "double", "short"]);
    program.types.add(c!("$k {\nunsigned length;\nchar tag;\n$e data[];\n};", k = kind, e = element));
    c!(
        "$k *packet = malloc(sizeof *packet + $n * sizeof packet->data[0]);\nif (!packet) abort();\npacket->length = $n;\npacket->tag = 'p';\n\
         for (unsigned i = 0; i < packet->length; i++) packet->data[i] = ($e)(i * $m);\n$e *last = packet->data + packet->length - 1;\n\
         printf(\"%c %zu %zu\\n\", packet->tag, sizeof *packet, offsetof($k, data));\nshow(\"last\", (long long)*last);\nwhile (last >= packet->data + 1) mix((uint64_t)*last--);\nfree(packet);",
        k = kind,
        n = 1 + program.random.below(12),
        e = element,
        m = 1 + program.random.below(20)
    )
}

fn sort_numbers(program: &mut Program) -> String {
    let ty = program.random.pick(&["int", "unsigned char", "short", "long long", "double", "float", "uint64_t"]);
    let name = program.fresh("order");
    let sign = program.random.pick(&["(a > b) - (a < b)", "a < b ? 1 : a > b ? -1 : 0"]);
    program.functions.add(c!(
        "static int $f(const void *left, const void *right) {\n$t a = *(const $t *)left, b = *(const $t *)right;\nreturn $s;\n}",
        f = name, t = ty, s = sign
    ));
    c!(
        "$t numbers[$n], key = ($t)$k;\nfor (int i = 0; i < $n; i++) numbers[i] = ($t)((i * $m + 7) % 53);\nqsort(numbers, $n, sizeof *numbers, $f);\n\
         for (int i = 0; i < $n; i++) mix((uint64_t)numbers[i]);\n$t *found = bsearch(&key, numbers, $n, sizeof *numbers, $f);\nshow(\"found\", found ? (long long)*found : -1);\nshow(\"first\", (long long)numbers[0]);",
        t = ty,
        n = 1 + program.random.below(20),
        k = program.random.below(53),
        m = 1 + program.random.below(50),
        f = name
    )
}

fn sort_records(program: &mut Program) -> String {
    let stem = program.fresh("record");
    program.types.add(c!("struct $s {\nchar name[6];\nint age;\nfloat weight;\n};", s = stem));
    program.functions.add(c!(
        "static int ${s}_order(const void *left, const void *right) {\nconst struct $s *a = left, *b = right;\nif (a->age != b->age) return a->age < b->age ? -1 : 1;\nreturn strcmp(a->name, b->name);\n}",
        s = stem
    ));
    c!(
        "struct $s people[$n];\nfor (int i = 0; i < $n; i++) {\npeople[i] = (struct $s){.age = i * $k % 5, .weight = (float)i / 4};\nsprintf(people[i].name, \"p%02d\", i);\n}\n\
         qsort(people, $n, sizeof people[0], ${s}_order);\nfor (int i = 0; i < $n; i++) {\nmix_text(people[i].name);\nmix_double(people[i].weight);\n}\n\
         struct $s wanted = {\"p01\", $k % 5, 0}, *found = bsearch(&wanted, people, $n, sizeof *people, ${s}_order);\nshow(\"at\", found ? found - people : -1);",
        s = stem,
        n = 2 + program.random.below(12),
        k = 1 + program.random.below(9)
    )
}

fn sort_texts(program: &mut Program) -> String {
    let name = program.fresh("order");
    program.functions.add(c!("static int $f(const void *left, const void *right) {\nreturn strcmp(*(char *const *)left, *(char *const *)right);\n}", f = name));
    let words = program.random.some_of(
        &["shed", "loom", "reed", "pick", "beam", "warp", "weft", "heald", "treadle", "lam"],
        3,
        9,
    );
    let list: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    c!(
        "const char *words[] = {$l}, *key = \"loom\";\nsize_t count = sizeof words / sizeof *words;\nqsort(words, count, sizeof *words, $f);\nfor (size_t i = 0; i < count; i++) printf(\"%s \", words[i]);\n\
         const char **found = bsearch(&key, words, count, sizeof *words, $f);\nprintf(\"%d\\n\", found ? (int)(found - words) : -1);",
        l = list.join(", "),
        f = name
    )
}
