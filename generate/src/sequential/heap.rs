//! Feature: the heap and typical data structures: lists, trees, growing arrays, tables, structs with flexible arrays;
//! sorting and searching with the library. All blocks are freed.

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
        r"static struct $s *${s}_push(struct $s *head, int value) {
            struct $s *node = malloc(sizeof *node);
            if (!node) abort();
            node->value = value;
            node->next = head;
            return node;
        }
        static struct $s *${s}_reverse(struct $s *head) {
            struct $s *done = NULL;
            while (head) {
                struct $s *next = head->next;
                head->next = done;
                done = head;
                head = next;
            }
            return done;
        }
        static void ${s}_insert(struct $s **at, int value) {
            while (*at && (*at)->value < value) at = &(*at)->next;
            *at = ${s}_push(*at, value);
        }
        static void ${s}_remove(struct $s **at, int divisor) {
            while (*at) {
                struct $s *node = *at;
                if (node->value % divisor == 0) {
                    *at = node->next;
                    free(node);
                } else at = &node->next;
            }
        }",
        s = stem
    ));
    c!(
        r#"struct $s *head = 0;
        for (int i = 0; i < $n; i++) {
            if (i & 1) ${s}_insert(&head, i * $k % 23);
            else head = ${s}_push(head, i * $m % 19);
        }
        ${s}_remove(&head, $d);
        head = ${s}_reverse(head);
        for (struct $s *p = head; p; p = p->next) mix((uint64_t)p->value);
        int length = 0;
        while (head) {
            struct $s *next = head->next;
            free(head);
            head = next;
            length++;
        }
        show("length", length);"#,
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
        r"static struct $s *${s}_add(struct $s *node, int key) {
            if (!node) {
                node = calloc(1, sizeof(struct $s));
                if (!node) abort();
                node->key = key;
            }
            if (key == node->key) node->count++;
            else node->child[key > node->key] = ${s}_add(node->child[key > node->key], key);
            return node;
        }
        static int ${s}_depth(const struct $s *node) {
            if (!node) return 0;
            int left = ${s}_depth(node->child[0]), right = ${s}_depth(node->child[1]);
            return 1 + (left > right ? left : right);
        }
        static void ${s}_free(struct $s *node) {
            if (!node) return;
            ${s}_free(node->child[0]);
            mix((uint64_t)(node->key * 100 + node->count));
            ${s}_free(node->child[1]);
            free(node);
        }",
        s = stem
    ));
    c!(
        r#"struct $s *root = NULL;
        unsigned key = $v;
        for (int i = 0; i < $n; i++) {
            key = key * 1103515245u + 12345u;
            root = ${s}_add(root, (int)(key >> 16) % 40);
        }
        show("depth", ${s}_depth(root));
        ${s}_free(root);"#,
        s = stem,
        v = program.random.below(100_000),
        n = 5 + program.random.below(30)
    )
}

fn growing(program: &mut Program) -> String {
    let ty = program.random.pick(&["int", "unsigned char", "long long", "double"]);
    c!(
        r#"size_t room = $r, used = 0;
        $t *items = malloc(room * sizeof *items);
        if (!items) abort();
        for (int i = 0; i < $n; i++) {
            if (used == room) {
                room = room * 3 / 2 + 1;
                $t *more = realloc(items, room * sizeof *more);
                if (!more) abort();
                items = more;
            }
            items[used++] = ($t)(i * i % $m);
        }
        items = realloc(items, used / 2 * sizeof *items);
        if (!items) abort();
        for (size_t i = 0; i < used / 2; i++) mix((uint64_t)items[i]);
        free(items);
        free(NULL);
        char *text = realloc(NULL, 6);
        if (!text) abort();
        memcpy(text, "grown", 6);
        puts(text);
        free(text);"#,
        r = 1 + program.random.below(3),
        t = ty,
        n = 4 + program.random.below(20),
        m = 2 + program.random.below(100)
    )
}

fn rows(program: &mut Program) -> String {
    c!(
        r#"int **rows = malloc($n * sizeof *rows);
        if (!rows) abort();
        for (int i = 0; i < $n; i++) {
            rows[i] = calloc((size_t)i + 1, sizeof **rows);
            if (!rows[i]) abort();
            rows[i][0] = 1;
            for (int j = 1; j <= i; j++) rows[i][j] = rows[i - 1][j - 1] + (j < i ? rows[i - 1][j] : 0);
        }
        for (int i = 0; i < $n; i++) {
            for (int j = 0; j <= i; j++) mix((uint64_t)rows[i][j]);
        }
        show("middle", rows[$n - 1][$n / 2]);
        for (int i = $n; i-- > 0; ) free(rows[i]);
        free(rows);"#,
        n = 2 + program.random.below(7)
    )
}

fn table(program: &mut Program) -> String {
    let stem = program.fresh("table");
    program.functions.add(c!(
        r"struct ${s} {
            struct ${s}_entry {
                struct ${s}_entry *next;
                char key[8];
                int value;
            } *slots[$n];
        };
        static int *${s}_at(struct $s *table, const char *key) {
            unsigned hash = 0;
            for (const char *p = key; *p; p++) hash = hash * 31 + (unsigned char)*p;
            struct ${s}_entry **slot = &table->slots[hash % $n];
            while (*slot && strcmp((*slot)->key, key)) slot = &(*slot)->next;
            if (!*slot) {
                *slot = calloc(1, sizeof **slot);
                if (!*slot) abort();
                strncpy((*slot)->key, key, sizeof (*slot)->key - 1);
            }
            return &(*slot)->value;
        }",
        s = stem,
        n = 2 + program.random.below(6)
    ));
    c!(
        r#"struct $s table = {{0}};
        char key[8];
        for (int i = 0; i < 20; i++) {
            snprintf(key, sizeof key, "k%d", i * $k % $m);
            *${s}_at(&table, key) += i;
        }
        for (unsigned i = 0; i < sizeof table.slots / sizeof *table.slots; i++) {
            for (struct ${s}_entry *e = table.slots[i], *next; e; e = next) {
                next = e->next;
                mix_text(e->key);
                mix((uint64_t)e->value);
                free(e);
            }
        }"#,
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
        r#"$k *packet = malloc(sizeof *packet + $n * sizeof packet->data[0]);
        if (!packet) abort();
        packet->length = $n;
        packet->tag = 'p';
        for (unsigned i = 0; i < packet->length; i++) packet->data[i] = ($e)(i * $m);
        $e *last = packet->data + packet->length - 1;
        printf("%c %zu %zu\n", packet->tag, sizeof *packet, offsetof($k, data));
        show("last", (long long)*last);
        while (last >= packet->data + 1) mix((uint64_t)*last--);
        free(packet);"#,
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
        r"static int $f(const void *left, const void *right) {
            $t a = *(const $t *)left, b = *(const $t *)right;
            return $s;
        }",
        f = name,
        t = ty,
        s = sign
    ));
    c!(
        r#"$t numbers[$n], key = ($t)$k;
        for (int i = 0; i < $n; i++) numbers[i] = ($t)((i * $m + 7) % 53);
        qsort(numbers, $n, sizeof *numbers, $f);
        for (int i = 0; i < $n; i++) mix((uint64_t)numbers[i]);
        $t *found = bsearch(&key, numbers, $n, sizeof *numbers, $f);
        show("found", found ? (long long)*found : -1);
        show("first", (long long)numbers[0]);"#,
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
        r"static int ${s}_order(const void *left, const void *right) {
            const struct $s *a = left, *b = right;
            if (a->age != b->age) return a->age < b->age ? -1 : 1;
            return strcmp(a->name, b->name);
        }",
        s = stem
    ));
    c!(
        r#"struct $s people[$n];
        for (int i = 0; i < $n; i++) {
            people[i] = (struct $s){.age = i * $k % 5, .weight = (float)i / 4};
            sprintf(people[i].name, "p%02d", i);
        }
        qsort(people, $n, sizeof people[0], ${s}_order);
        for (int i = 0; i < $n; i++) {
            mix_text(people[i].name);
            mix_double(people[i].weight);
        }
        struct $s wanted = {"p01", $k % 5, 0}, *found = bsearch(&wanted, people, $n, sizeof *people, ${s}_order);
        show("at", found ? found - people : -1);"#,
        s = stem,
        n = 2 + program.random.below(12),
        k = 1 + program.random.below(9)
    )
}

fn sort_texts(program: &mut Program) -> String {
    let name = program.fresh("order");
    program.functions.add(c!(
        r"static int $f(const void *left, const void *right) {
            return strcmp(*(char *const *)left, *(char *const *)right);
        }",
        f = name
    ));
    let words = program.random.some_of(
        &["shed", "loom", "reed", "pick", "beam", "warp", "weft", "heald", "treadle", "lam"],
        3,
        9,
    );
    let list: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    c!(
        r#"const char *words[] = {$l}, *key = "loom";
        size_t count = sizeof words / sizeof *words;
        qsort(words, count, sizeof *words, $f);
        for (size_t i = 0; i < count; i++) printf("%s ", words[i]);
        const char **found = bsearch(&key, words, count, sizeof *words, $f);
        printf("%d\n", found ? (int)(found - words) : -1);"#,
        l = list.join(", "),
        f = name
    )
}
