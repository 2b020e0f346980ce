// A stack without locks deletes what it pops. Another pop that has seen the same top reads its next pointer afterwards.
#include <atomic>
#include <thread>

class Stack {
public:
    ~Stack() {
        while (pop()) {
        }
    }
    void push(int value) {
        Node *node = new Node{value, top_};
        while (!top_.compare_exchange_weak(node->next, node)) {
        }
    }
    bool pop() {
        Node *node = top_;
        while (node != nullptr) {
            Node *next = node->next;
            if (top_.compare_exchange_strong(node, next)) {
                delete node;
                return true;
            }
        }
        return false;
    }

private:
    struct Node {
        int value;
        Node *next;
    };
    std::atomic<Node *> top_{nullptr};
};

int main() {
    Stack stack;
    stack.push(1);
    stack.push(2);
    std::thread other([&stack] { stack.pop(); });
    stack.pop();
    other.join();
    return 0;
}
