// A stack without locks keeps what it pops until it is destroyed itself.
#include <atomic>
#include <thread>

class Stack {
public:
    ~Stack() {
        while (pop()) {
        }
        while (popped_ != nullptr) {
            Node *node = popped_;
            popped_ = node->next_popped;
            delete node;
        }
    }
    void push(int value) {
        Node *node = new Node{value, top_, nullptr};
        while (!top_.compare_exchange_weak(node->next, node)) {
        }
    }
    bool pop() {
        Node *node = top_;
        while (node != nullptr) {
            if (top_.compare_exchange_strong(node, node->next)) {
                node->next_popped = popped_;
                while (!popped_.compare_exchange_weak(node->next_popped, node)) {
                }
                return true;
            }
        }
        return false;
    }

private:
    struct Node {
        int value;
        Node *next;
        Node *next_popped;
    };
    std::atomic<Node *> top_{nullptr};
    std::atomic<Node *> popped_{nullptr};
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
