/* What the containers of the C++ library keep outside of their templates: balanced trees, the links of lists, hashes of
 * bytes and how many buckets a hash table has. Hashes and numbers of buckets are the library's, for they decide the order
 * in which a program sees its elements. */
#include <functional>
#include <list>
#include <map>
#include <stdint.h>
#include <string.h>
#include <unordered_map>

#include "cxx_model.h"
#include "heddle.h"

extern "C" [[noreturn]] void __model_hash_table_with_more_than_four_billion_buckets();

namespace std {

typedef _Rb_tree_node_base Node;

Node *_Rb_tree_increment(Node *node) noexcept {
    if (node->_M_right != nullptr) {
        node = node->_M_right;
        while (node->_M_left != nullptr) {
            node = node->_M_left;
        }
        return node;
    }
    Node *parent = node->_M_parent;
    while (node == parent->_M_right) {
        node = parent;
        parent = parent->_M_parent;
    }
    /* From the root without right child the way leads to the header, which is the end. */
    return node->_M_right != parent ? parent : node;
}

const Node *_Rb_tree_increment(const Node *node) noexcept { return _Rb_tree_increment(const_cast<Node *>(node)); }

Node *_Rb_tree_decrement(Node *node) noexcept {
    if (node->_M_color == _S_red && node->_M_parent->_M_parent == node) {
        return node->_M_right;
    }
    if (node->_M_left != nullptr) {
        node = node->_M_left;
        while (node->_M_right != nullptr) {
            node = node->_M_right;
        }
        return node;
    }
    Node *parent = node->_M_parent;
    while (node == parent->_M_left) {
        node = parent;
        parent = parent->_M_parent;
    }
    return parent;
}

const Node *_Rb_tree_decrement(const Node *node) noexcept { return _Rb_tree_decrement(const_cast<Node *>(node)); }

/* The link that leads to a node from above. */
static Node *&link_to(Node *node, Node &header) {
    Node *parent = node->_M_parent;
    if (parent == &header) {
        return header._M_parent;
    }
    return parent->_M_left == node ? parent->_M_left : parent->_M_right;
}

/* Lifts the right child over a node, or the left one. */
static void rotate(Node *node, bool to_left, Node &header) {
    Node *child = to_left ? node->_M_right : node->_M_left;
    Node *moved = to_left ? child->_M_left : child->_M_right;
    link_to(node, header) = child;
    child->_M_parent = node->_M_parent;
    node->_M_parent = child;
    (to_left ? child->_M_left : child->_M_right) = node;
    (to_left ? node->_M_right : node->_M_left) = moved;
    if (moved != nullptr) {
        moved->_M_parent = node;
    }
}

void _Rb_tree_insert_and_rebalance(const bool to_left, Node *node, Node *parent, Node &header) noexcept {
    node->_M_parent = parent;
    node->_M_left = nullptr;
    node->_M_right = nullptr;
    node->_M_color = _S_red;
    if (parent == &header) {
        header._M_parent = node;
        header._M_left = node;
        header._M_right = node;
    } else if (to_left) {
        parent->_M_left = node;
        if (header._M_left == parent) {
            header._M_left = node;
        }
    } else {
        parent->_M_right = node;
        if (header._M_right == parent) {
            header._M_right = node;
        }
    }
    while (node != header._M_parent && node->_M_parent->_M_color == _S_red) {
        Node *above = node->_M_parent;
        Node *grandparent = above->_M_parent;
        bool is_left = above == grandparent->_M_left;
        Node *uncle = is_left ? grandparent->_M_right : grandparent->_M_left;
        if (uncle != nullptr && uncle->_M_color == _S_red) {
            above->_M_color = _S_black;
            uncle->_M_color = _S_black;
            grandparent->_M_color = _S_red;
            node = grandparent;
            continue;
        }
        if (node == (is_left ? above->_M_right : above->_M_left)) {
            rotate(above, is_left, header);
            above = node;
        }
        above->_M_color = _S_black;
        grandparent->_M_color = _S_red;
        rotate(grandparent, !is_left, header);
        break;
    }
    header._M_parent->_M_color = _S_black;
}

/* The child of a removed black node carries one black too much; it goes up until a red node takes it. */
static void repair(Node *node, Node *parent, Node &header) {
    while (node != header._M_parent && (node == nullptr || node->_M_color == _S_black)) {
        bool is_left = node == parent->_M_left;
        Node *sibling = is_left ? parent->_M_right : parent->_M_left;
        if (sibling->_M_color == _S_red) {
            sibling->_M_color = _S_black;
            parent->_M_color = _S_red;
            rotate(parent, is_left, header);
            sibling = is_left ? parent->_M_right : parent->_M_left;
        }
        Node *near = is_left ? sibling->_M_left : sibling->_M_right;
        Node *far = is_left ? sibling->_M_right : sibling->_M_left;
        bool near_is_red = near != nullptr && near->_M_color == _S_red;
        bool far_is_red = far != nullptr && far->_M_color == _S_red;
        if (!near_is_red && !far_is_red) {
            sibling->_M_color = _S_red;
            node = parent;
            parent = parent->_M_parent;
            continue;
        }
        if (!far_is_red) {
            near->_M_color = _S_black;
            sibling->_M_color = _S_red;
            rotate(sibling, !is_left, header);
            far = sibling;
            sibling = near;
        }
        sibling->_M_color = parent->_M_color;
        parent->_M_color = _S_black;
        far->_M_color = _S_black;
        rotate(parent, is_left, header);
        break;
    }
    if (node != nullptr) {
        node->_M_color = _S_black;
    }
}

Node *_Rb_tree_rebalance_for_erase(Node *const gone, Node &header) noexcept {
    if (header._M_left == gone) {
        header._M_left = _Rb_tree_increment(gone);
    }
    if (header._M_right == gone) {
        header._M_right = _Rb_tree_decrement(gone);
    }
    Node *child;
    Node *parent;
    _Rb_tree_color color = gone->_M_color;
    if (gone->_M_left != nullptr && gone->_M_right != nullptr) {
        /* The next node takes the place and the colour of the one that goes. */
        Node *heir = gone->_M_right;
        while (heir->_M_left != nullptr) {
            heir = heir->_M_left;
        }
        color = heir->_M_color;
        child = heir->_M_right;
        parent = heir->_M_parent;
        if (parent == gone) {
            parent = heir;
        } else {
            parent->_M_left = child;
            if (child != nullptr) {
                child->_M_parent = parent;
            }
            heir->_M_right = gone->_M_right;
            heir->_M_right->_M_parent = heir;
        }
        link_to(gone, header) = heir;
        heir->_M_parent = gone->_M_parent;
        heir->_M_left = gone->_M_left;
        heir->_M_left->_M_parent = heir;
        heir->_M_color = gone->_M_color;
    } else {
        child = gone->_M_left != nullptr ? gone->_M_left : gone->_M_right;
        parent = gone->_M_parent;
        link_to(gone, header) = child;
        if (child != nullptr) {
            child->_M_parent = parent;
        }
    }
    if (header._M_parent == nullptr) {
        header._M_left = &header;
        header._M_right = &header;
    } else if (color == _S_black) {
        repair(child, parent, header);
    }
    return gone;
}

namespace __detail {

void _List_node_base::_M_hook(_List_node_base *const position) noexcept {
    _M_next = position;
    _M_prev = position->_M_prev;
    position->_M_prev->_M_next = this;
    position->_M_prev = this;
}

void _List_node_base::_M_unhook() noexcept {
    _List_node_base *next = _M_next;
    _List_node_base *previous = _M_prev;
    previous->_M_next = next;
    next->_M_prev = previous;
}

void _List_node_base::_M_transfer(_List_node_base *const first, _List_node_base *const last) noexcept {
    if (this == last) {
        return;
    }
    last->_M_prev->_M_next = this;
    first->_M_prev->_M_next = last;
    _M_prev->_M_next = first;
    _List_node_base *before = _M_prev;
    _M_prev = last->_M_prev;
    last->_M_prev = first->_M_prev;
    first->_M_prev = before;
}

void _List_node_base::_M_reverse() noexcept {
    _List_node_base *node = this;
    do {
        _List_node_base *next = node->_M_next;
        node->_M_next = node->_M_prev;
        node->_M_prev = next;
        node = next;
    } while (node != this);
}

void _List_node_base::swap(_List_node_base &left, _List_node_base &right) noexcept {
    bool left_is_empty = left._M_next == &left;
    bool right_is_empty = right._M_next == &right;
    _List_node_base old = left;
    if (right_is_empty) {
        left._M_next = left._M_prev = &left;
    } else {
        left = right;
        left._M_next->_M_prev = left._M_prev->_M_next = &left;
    }
    if (left_is_empty) {
        right._M_next = right._M_prev = &right;
    } else {
        right = old;
        right._M_next->_M_prev = right._M_prev->_M_next = &right;
    }
}

static const uint32_t few_buckets[] = {1, 2, 2, 3, 5, 5, 7, 7, 11, 11, 11, 11, 13, 13};

static const uint32_t many_buckets[] = {
    17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 103, 109, 113, 127, 137, 139,
    149, 157, 167, 179, 193, 199, 211, 227, 241, 257, 277, 293, 313, 337, 359, 383, 409, 439, 467, 503, 541,
    577, 619, 661, 709, 761, 823, 887, 953, 1031, 1109, 1193, 1289, 1381, 1493, 1613, 1741, 1879, 2029, 2179,
    2357, 2549, 2753, 2971, 3209, 3469, 3739, 4027, 4349, 4703, 5087, 5503, 5953, 6427, 6949, 7517, 8123, 8783,
    9497, 10273, 11113, 12011, 12983, 14033, 15173, 16411, 17749, 19183, 20753, 22447, 24281, 26267, 28411,
    30727, 33223, 35933, 38873, 42043, 45481, 49201, 53201, 57557, 62233, 67307, 72817, 78779, 85229, 92203,
    99733, 107897, 116731, 126271, 136607, 147793, 159871, 172933, 187091, 202409, 218971, 236897, 256279,
    277261, 299951, 324503, 351061, 379787, 410857, 444487, 480881, 520241, 562841, 608903, 658753, 712697,
    771049, 834181, 902483, 976369, 1056323, 1142821, 1236397, 1337629, 1447153, 1565659, 1693859, 1832561,
    1982627, 2144977, 2320627, 2510653, 2716249, 2938679, 3179303, 3439651, 3721303, 4026031, 4355707, 4712381,
    5098259, 5515729, 5967347, 6456007, 6984629, 7556579, 8175383, 8844859, 9569143, 10352717, 11200489,
    12117689, 13109983, 14183539, 15345007, 16601593, 17961079, 19431899, 21023161, 22744717, 24607243,
    26622317, 28802401, 31160981, 33712729, 36473443, 39460231, 42691603, 46187573, 49969847, 54061849,
    58488943, 63278561, 68460391, 74066549, 80131819, 86693767, 93793069, 101473717, 109783337, 118773397,
    128499677, 139022417, 150406843, 162723577, 176048909, 190465427, 206062531, 222936881, 241193053,
    260944219, 282312799, 305431229, 330442829, 357502601, 386778277, 418451333, 452718089, 489790921,
    529899637, 573292817, 620239453, 671030513, 725980837, 785430967, 849749479, 919334987, 994618837,
    1076067617, 1164186217, 1259520799, 1362662261, 1474249943, 1594975441, 1725587117, 1866894511, 2019773507,
    2185171673, 2364114217, 2557710269, 2767159799, 2993761039, 3238918481, 3504151727, 3791104843, 4101556399,
    4294967291,
};

size_t _Prime_rehash_policy::_M_next_bkt(size_t least) const {
    const size_t few = sizeof few_buckets / sizeof *few_buckets;
    if (least < few) {
        if (least != 0) {
            _M_next_resize = static_cast<size_t>(
                __builtin_floor(few_buckets[least] * static_cast<double>(_M_max_load_factor)));
        }
        return few_buckets[least];
    }
    size_t low = 0;
    size_t high = sizeof many_buckets / sizeof *many_buckets;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (many_buckets[middle] < least) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == sizeof many_buckets / sizeof *many_buckets) {
        __model_hash_table_with_more_than_four_billion_buckets();
    }
    _M_next_resize =
        static_cast<size_t>(__builtin_floor(many_buckets[low] * static_cast<double>(_M_max_load_factor)));
    return many_buckets[low];
}

pair<bool, size_t> _Prime_rehash_policy::_M_need_rehash(size_t buckets, size_t elements, size_t inserted) const {
    if (elements + inserted <= _M_next_resize) {
        return {false, 0};
    }
    /* A table's first buckets are eleven at least. */
    size_t wanted = elements + inserted;
    if (_M_next_resize == 0 && wanted < 11) {
        wanted = 11;
    }
    double least = static_cast<double>(wanted) / static_cast<double>(_M_max_load_factor);
    if (least >= static_cast<double>(buckets)) {
        size_t next = static_cast<size_t>(__builtin_floor(least)) + 1;
        return {true, _M_next_bkt(next > buckets * 2 ? next : buckets * 2)};
    }
    _M_next_resize =
        static_cast<size_t>(__builtin_floor(static_cast<double>(buckets) * static_cast<double>(_M_max_load_factor)));
    return {false, 0};
}

} // namespace __detail

/* A. Appleby's MurmurHash2 for 64 bits, as the library uses it. */
size_t _Hash_bytes(const void *bytes, size_t length, size_t seed) {
    const uint64_t factor = 0xc6a4a7935bd1e995u;
    const unsigned char *at = static_cast<const unsigned char *>(bytes);
    const unsigned char *end = at + (length & ~static_cast<size_t>(7));
    uint64_t hash = seed ^ (length * factor);
    for (; at != end; at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        word *= factor;
        word ^= word >> 47;
        word *= factor;
        hash ^= word;
        hash *= factor;
    }
    if ((length & 7) != 0) {
        uint64_t rest = 0;
        for (int index = static_cast<int>(length & 7) - 1; index >= 0; index--) {
            rest = rest << 8 | at[index];
        }
        hash ^= rest;
        hash *= factor;
    }
    hash ^= hash >> 47;
    hash *= factor;
    hash ^= hash >> 47;
    return hash;
}

size_t _Fnv_hash_bytes(const void *bytes, size_t length, size_t hash) {
    const unsigned char *at = static_cast<const unsigned char *>(bytes);
    for (size_t index = 0; index < length; index++) {
        hash ^= at[index];
        hash *= 1099511628211u;
    }
    return hash;
}

} // namespace std
