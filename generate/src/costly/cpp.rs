//! Costly programs in C++, with the containers and threads of the standard library.

use super::size;
use crate::random::Random;
use crate::source::c;

const QUEUE: &str = r#"
#include <cassert>
#include <condition_variable>
#include <deque>
#include <list>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

template <class T> class Channel {
    std::queue<T, std::$container<T>> items;
    std::mutex mutex;
    std::condition_variable filled, drained;
    std::size_t capacity;
    bool closed = false;

public:
    explicit Channel(std::size_t capacity) : capacity(capacity) {}

    void push(T item)
    {
        std::unique_lock<std::mutex> guard(mutex);
        drained.wait(guard, [&] { return items.size() < capacity; });
        items.push(std::move(item));
        filled.notify_$wake();
    }

    bool pop(T &item)
    {
        std::unique_lock<std::mutex> guard(mutex);
        $wait
        if (items.empty())
            return false;
        item = std::move(items.front());
        items.pop();
        drained.notify_one();
        return true;
    }

    void close()
    {
        $close
        closed = true;
        filled.notify_all();
    }
};

int main()
{
    Channel<$type> channel($capacity);
    int popped[$consumers] = {};
    std::vector<std::thread> producers, consumers;
    for (int p = 0; p < $producers; p++)
        producers.emplace_back([&] {
            for (int i = 0; i < $items; i++)
                channel.push($value);
        });
    for (int c = 0; c < $consumers; c++)
        consumers.emplace_back([&, c] {
            $type item;
            while (channel.pop(item))
                popped[c]++;
        });
    for (auto &thread : producers)
        thread.join();
    channel.close();
    for (auto &thread : consumers)
        thread.join();
    int all = 0;
    for (int count : popped)
        all += count;
    assert(all == $producers * $items);
}
"#;

/// A bounded queue over a standard container.
pub fn queue(random: &mut Random) -> String {
    let (producers, consumers) = (size(random, &[1, 2, 3]), size(random, &[1, 2, 2]));
    let (kind, value) = random.pick(&[("int", "i"), ("std::vector<int>", "std::vector<int>(3, i)")]);
    c!(
        QUEUE,
        container = random.pick(&["deque", "list"]),
        wake = random.pick(&["one", "one", "all"]),
        wait = random.pick(&[
            "filled.wait(guard, [&] { return closed || !items.empty(); });",
            "if (items.empty() && !closed)\n            filled.wait(guard);",
        ]),
        close = random.pick(&["std::lock_guard<std::mutex> guard(mutex);", ""]),
        capacity = random.between(1, 3),
        items = size(random, &[1, 2, 2, 5]),
        producers = producers,
        consumers = consumers,
        type = kind,
        value = value
    )
}

/// A cache over a map that several threads fill.
pub fn cache(random: &mut Random) -> String {
    let text = r#"
#include <cassert>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <unordered_map>
#include <vector>

class Cache {
    std::$map<int, $value> entries;
    std::$mutex mutex;
    int loads = 0;

    $value load(int key)
    {
        loads++;
        return $value(key * 2);
    }

public:
    $value get(int key)
    {
        {
            $reader
            auto found = entries.find(key);
            if (found != entries.end())
                return found->second;
        }
        $writer
        entries[key] = load(key);
        if (entries.size() > $capacity)
            entries.erase(entries.begin());
        return entries[key];
    }

    int loaded() const { return loads; }
};

int main()
{
    Cache cache;
    std::vector<std::thread> threads;
    for (int t = 0; t < $threads; t++)
        threads.emplace_back([&, t] {
            for (int i = 0; i < $rounds; i++)
                assert(cache.get((t + i) % $keys) == ((t + i) % $keys) * 2);
        });
    for (auto &thread : threads)
        thread.join();
    assert(cache.loaded() <= $threads * $rounds);
}
"#;
    let shared = random.chance(30);
    let locks = random.chance(70);
    let writer = if shared {
        "std::unique_lock<std::shared_mutex> guard(mutex);"
    } else {
        "std::lock_guard<std::mutex> guard(mutex);"
    };
    let reader = if shared { "std::shared_lock<std::shared_mutex> guard(mutex);" } else { writer };
    c!(
        text,
        map = random.pick(&["map", "unordered_map"]),
        mutex = if shared { "shared_mutex" } else { "mutex" },
        value = random.pick(&["int", "long"]),
        reader = if locks { reader } else { "" },
        writer = writer,
        capacity = size(random, &[1, 2, 100]),
        threads = size(random, &[2, 2, 3]),
        rounds = size(random, &[1, 2, 4, 20]),
        keys = size(random, &[1, 2, 10])
    )
}

/// Promises, futures and asynchronous calls.
pub fn futures(random: &mut Random) -> String {
    let text = r#"
#include <atomic>
#include <cassert>
#include <chrono>
#include <future>
#include <stdexcept>
#include <thread>
#include <vector>

static $counter started;

static int work(int number)
{
    started++;
    if (number == $throws)
        throw std::runtime_error("no");
    return number;
}

int main()
{
    std::vector<std::future<int>> results;
    for (int i = 0; i < $tasks; i++)
        results.push_back(std::async($policy, work, i));
    std::promise<int> promise;
    std::thread setter([&] { promise.set_value(7); });
    std::future<int> seven = promise.get_future();
    int sum = 0;
    for (auto &result : results) {
        try {
            sum += result.get();
        } catch (const std::runtime_error &) {
            sum -= 1;
        }
    }
    if (seven.wait_for(std::chrono::milliseconds($patience)) == std::future_status::ready)
        sum += seven.get();
    setter.join();
    assert(started == $tasks && sum >= 0);
}
"#;
    c!(
        text,
        counter = random.pick(&["std::atomic<int>", "int"]),
        tasks = size(random, &[1, 2, 3, 6]),
        throws = random.between(-1, 2),
        policy = random.pick(&["std::launch::async", "std::launch::deferred"]),
        patience = size(random, &[0, 10])
    )
}

/// Strings and streams that are shared.
pub fn texts(random: &mut Random) -> String {
    let text = r#"
#include <cassert>
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

static std::string journal;
static std::mutex mutex;

static void note(int thread, int round)
{
    std::ostringstream line;
    line << "thread " << thread << " round " << round << '\n';
    $lock
    journal += line.str();
}

int main()
{
    std::vector<std::thread> threads;
    for (int t = 0; t < $threads; t++)
        threads.emplace_back([t] {
            for (int i = 0; i < $rounds; i++)
                note(t, i);
        });
    for (auto &thread : threads)
        thread.join();
    std::istringstream lines(journal);
    std::string line;
    std::map<std::string, int> seen;
    while (std::getline(lines, line))
        seen[line]++;
    std::cout << seen.size() << std::endl;
    assert(seen.size() == $threads * $rounds);
}
"#;
    c!(
        text,
        lock = random.pick(&["std::lock_guard<std::mutex> guard(mutex);", ""]),
        threads = size(random, &[2, 3]),
        rounds = size(random, &[1, 2, 8])
    )
}

const POOL: &str = r#"
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

class Pool {
    std::vector<std::thread> workers;
    std::deque<std::function<void()>> tasks;
    std::mutex mutex;
    std::condition_variable ready;
    $flag stopping{false};

    void run()
    {
        for (;;) {
            std::function<void()> task;
            {
                std::unique_lock<std::mutex> guard(mutex);
                ready.wait(guard, [this] { return stopping || !tasks.empty(); });
                if (tasks.empty())
                    return;
                task = std::move(tasks.front());
                tasks.pop_front();
            }
            task();
        }
    }

public:
    explicit Pool(int size)
    {
        for (int i = 0; i < size; i++)
            workers.emplace_back([this] { run(); });
    }

    void post(std::function<void()> task)
    {
        {
            std::lock_guard<std::mutex> guard(mutex);
            tasks.push_back(std::move(task));
        }
        ready.notify_one();
    }

    ~Pool()
    {
        $stop
        ready.notify_all();
        for (auto &worker : workers)
            worker.join();
    }
};

int main()
{
    $counter done{0};
    {
        Pool pool($workers);
        for (int i = 0; i < $tasks; i++)
            pool.post([&done] { done++; });
    }
    assert(done == $tasks);
}
"#;

/// A pool of workers with tasks as functions.
pub fn pool(random: &mut Random) -> String {
    let stop = random.pick(&[
        "{\n            std::lock_guard<std::mutex> guard(mutex);\n            stopping = true;\n        }",
        "stopping = true;",
    ]);
    c!(
        POOL,
        flag = random.pick(&["bool", "std::atomic<bool>"]),
        counter = random.pick(&["std::atomic<int>", "int"]),
        stop = stop,
        workers = size(random, &[1, 2, 3]),
        tasks = size(random, &[1, 2, 3, 10])
    )
}

/// Shared pointers to a tree that is replaced while it is read.
pub fn pointers(random: &mut Random) -> String {
    let text = r#"
#include <atomic>
#include <cassert>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

struct Node {
    int value;
    std::$pointer<Node> left, right;
    explicit Node(int value) : value(value) {}
};

static std::shared_ptr<Node> root;
static std::mutex mutex;

static std::$pointer<Node> build(int depth)
{
    auto node = std::make_$make<Node>(depth);
    if (depth > 0) {
        node->left = build(depth - 1);
        node->right = build(depth - 1);
    }
    return node;
}

static int sum(const Node *node)
{
    return node ? node->value + sum(node->left.get()) + sum(node->right.get()) : 0;
}

int main()
{
    root = std::shared_ptr<Node>(build($depth));
    const int expected = sum(root.get());
    std::vector<std::thread> readers;
    std::thread writer([] {
        for (int i = 0; i < $rounds; i++) {
            std::shared_ptr<Node> fresh(build($depth));
            std::lock_guard<std::mutex> guard(mutex);
            root = fresh;
        }
    });
    for (int r = 0; r < $readers; r++)
        readers.emplace_back([expected] {
            std::shared_ptr<Node> seen;
            {
                $lock
                seen = root;
            }
            assert(sum(seen.get()) == expected);
        });
    writer.join();
    for (auto &reader : readers)
        reader.join();
}
"#;
    let (pointer, make) = random.pick(&[("unique_ptr", "unique"), ("shared_ptr", "shared")]);
    c!(
        text,
        pointer = pointer,
        make = make,
        depth = size(random, &[0, 1, 2, 6]),
        rounds = size(random, &[1, 2, 5]),
        readers = size(random, &[1, 2]),
        lock = random.pick(&["std::lock_guard<std::mutex> guard(mutex);", ""])
    )
}
