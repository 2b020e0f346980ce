/* Type infos: which thrown type a handler catches, and dynamic_cast. Both walk over the bases of a class and look for the
 * one subobject that is meant; a base that is there twice or is not public is not found. */
#include <string.h>

#include "cxx_types.h"

namespace std {

type_info::~type_info() {}
bool type_info::__is_pointer_p() const { return false; }
bool type_info::__is_function_p() const { return false; }
bool type_info::__do_catch(const type_info *thrown, void **, unsigned) const { return *this == *thrown; }
bool type_info::__do_upcast(const __cxxabiv1::__class_type_info *, void **) const { return false; }

} // namespace std

namespace __cxxabiv1 {

__fundamental_type_info::~__fundamental_type_info() {}
__array_type_info::~__array_type_info() {}
__function_type_info::~__function_type_info() {}
bool __function_type_info::__is_function_p() const { return true; }
__enum_type_info::~__enum_type_info() {}
__class_type_info::~__class_type_info() {}
__si_class_type_info::~__si_class_type_info() {}
__vmi_class_type_info::~__vmi_class_type_info() {}
__pbase_type_info::~__pbase_type_info() {}
__pointer_type_info::~__pointer_type_info() {}
__pointer_to_member_type_info::~__pointer_to_member_type_info() {}

int __class_type_info::__model_bases() const { return 0; }
__model_base __class_type_info::__model_base_at(int) const { return {nullptr, 0, false, false}; }

int __si_class_type_info::__model_bases() const { return 1; }
__model_base __si_class_type_info::__model_base_at(int) const { return {__base_type, 0, false, true}; }

enum { BASE_IS_VIRTUAL = 1, BASE_IS_PUBLIC = 2, BASE_OFFSET_SHIFT = 8 };

int __vmi_class_type_info::__model_bases() const { return static_cast<int>(__base_count); }

__model_base __vmi_class_type_info::__model_base_at(int index) const {
    const __base_class_type_info *base = &__base_info[0] + index;
    long flags = base->__offset_flags;
    return {base->__base_type, flags >> BASE_OFFSET_SHIFT, (flags & BASE_IS_VIRTUAL) != 0,
            (flags & BASE_IS_PUBLIC) != 0};
}

/* What a walk over the bases has found of the type that it looks for. */
struct Found {
    const void *address;
    bool is_public;
    bool is_ambiguous;
};

static const char *base_address(const char *object, const __model_base &base) {
    if (!base.is_virtual) {
        return object + base.offset;
    }
    /* The offset is where the vtable holds the real one. */
    const char *table = *reinterpret_cast<const char *const *>(object);
    return object + *reinterpret_cast<const long *>(table + base.offset);
}

static void note(Found &found, const void *address, bool is_public) {
    if (found.address == nullptr) {
        found = {address, is_public, false};
    } else if (found.address == address) {
        found.is_public = found.is_public || is_public;
    } else {
        found.is_ambiguous = true;
    }
}

/* A null object has bases too, as long as none of them is virtual: addresses are then counted from 1. */
static void find_base(const __class_type_info *type, const char *object, const __class_type_info *target,
                      bool is_public, bool is_null, Found &found) {
    if (*type == *target) {
        note(found, object, is_public);
        return;
    }
    int count = type->__model_bases();
    for (int index = 0; index < count; index++) {
        __model_base base = type->__model_base_at(index);
        const char *at = is_null ? object + (base.is_virtual ? 0 : base.offset) : base_address(object, base);
        find_base(base.type, at, target, is_public && base.is_public, is_null, found);
    }
}

bool __class_type_info::__do_upcast(const __class_type_info *target, void **object) const {
    Found found = {nullptr, false, false};
    bool is_null = *object == nullptr;
    const char *begin = is_null ? reinterpret_cast<const char *>(1) : static_cast<const char *>(*object);
    find_base(this, begin, target, true, is_null, found);
    if (found.address == nullptr || found.is_ambiguous || !found.is_public) {
        return false;
    }
    if (!is_null) {
        *object = const_cast<void *>(found.address);
    }
    return true;
}

enum { OUTER_IS_CONST = 1, OUTER_STEP = 2 };

bool __class_type_info::__do_catch(const std::type_info *thrown, void **object, unsigned outer) const {
    if (*this == *thrown) {
        return true;
    }
    /* A pointer to a pointer to a derived class does not become one to its base. */
    if (outer >= 2 * OUTER_STEP) {
        return false;
    }
    return thrown->__do_upcast(this, object);
}

enum { POINTER_CONST = 1, POINTER_VOLATILE = 2, POINTER_RESTRICT = 4, POINTER_QUALIFIERS = 7, POINTER_NOEXCEPT = 64 };

bool __pbase_type_info::__do_catch(const std::type_info *thrown, void **object, unsigned outer) const {
    if (*this == *thrown) {
        return true;
    }
    if (*thrown == typeid(decltype(nullptr)) && outer <= OUTER_IS_CONST) {
        static const void *const nothing = nullptr;
        *object = const_cast<void *>(static_cast<const void *>(&nothing));
        if (__is_pointer_p()) {
            *object = nullptr;
        }
        return true;
    }
    /* The dynamic types of the infos must be the same: both pointers, or both pointers to members. */
    if (strcmp(typeid(*this).name(), typeid(*thrown).name()) != 0) {
        return false;
    }
    /* Qualifiers may be added below only where everything above is const. */
    if ((outer & OUTER_IS_CONST) == 0) {
        return false;
    }
    const __pbase_type_info *pointer = static_cast<const __pbase_type_info *>(thrown);
    if (pointer->__flags & ~__flags & POINTER_QUALIFIERS) {
        return false;
    }
    if (__flags & ~pointer->__flags & POINTER_NOEXCEPT) {
        return false;
    }
    unsigned next = (__flags & POINTER_CONST) ? outer : outer & ~static_cast<unsigned>(OUTER_IS_CONST);
    return __model_catches_pointee(pointer, object, next);
}

bool __pbase_type_info::__model_catches_pointee(const __pbase_type_info *thrown, void **object, unsigned outer) const {
    return __pointee->__do_catch(thrown->__pointee, object, outer);
}

bool __pointer_type_info::__is_pointer_p() const { return true; }

bool __pointer_type_info::__model_catches_pointee(const __pbase_type_info *thrown, void **object,
                                                  unsigned outer) const {
    if (outer < OUTER_STEP && *__pointee == typeid(void)) {
        return !thrown->__pointee->__is_function_p();
    }
    return __pointee->__do_catch(thrown->__pointee, object, outer + OUTER_STEP);
}

/* The two words before a vtable's first function. */
struct Prefix {
    long offset_to_top;
    const __class_type_info *type;
};

/* Looks in a whole object for subobjects of the target that contain the source. */
struct Search {
    const __class_type_info *source;
    const void *source_address;
    const __class_type_info *target;
    Found containing;
    Found any;
};

/* Whether one of the public bases of that type lies at the address. */
static bool contains(const __class_type_info *type, const char *object, const __class_type_info *target,
                     const void *address) {
    if (*type == *target) {
        return object == address;
    }
    int count = type->__model_bases();
    for (int index = 0; index < count; index++) {
        __model_base base = type->__model_base_at(index);
        if (base.is_public && contains(base.type, base_address(object, base), target, address)) {
            return true;
        }
    }
    return false;
}

static void search(Search &search_for, const __class_type_info *type, const char *object, bool is_public) {
    if (*type == *search_for.target) {
        if (contains(type, object, search_for.source, search_for.source_address)) {
            note(search_for.containing, object, true);
        }
        note(search_for.any, object, is_public);
        return;
    }
    int count = type->__model_bases();
    for (int index = 0; index < count; index++) {
        __model_base base = type->__model_base_at(index);
        search(search_for, base.type, base_address(object, base), is_public && base.is_public);
    }
}

extern "C" void *__dynamic_cast(const void *object, const __class_type_info *source, const __class_type_info *target,
                                long) {
    const char *table = *static_cast<const char *const *>(object);
    const Prefix *prefix = reinterpret_cast<const Prefix *>(table - sizeof(Prefix));
    const char *whole = static_cast<const char *>(object) + prefix->offset_to_top;
    Search search_for = {source, object, target, {nullptr, false, false}, {nullptr, false, false}};
    search(search_for, prefix->type, whole, true);
    if (search_for.containing.address != nullptr && !search_for.containing.is_ambiguous) {
        return const_cast<void *>(search_for.containing.address);
    }
    /* Sideways: the source must be a public base of the whole, and the target its only one. */
    Found source_of_whole = {nullptr, false, false};
    find_base(prefix->type, whole, source, true, false, source_of_whole);
    bool is_reachable =
        source_of_whole.address != nullptr && (source_of_whole.is_public || source_of_whole.is_ambiguous);
    if (!is_reachable || search_for.any.address == nullptr || search_for.any.is_ambiguous ||
        !search_for.any.is_public) {
        return nullptr;
    }
    return const_cast<void *>(search_for.any.address);
}

} // namespace __cxxabiv1
