/* The classes behind type infos, as the C++ ABI lays them out. The compiler writes their objects; only the layout and the
 * names are the ABI's, what they can do is the models' own. */
#ifndef CXX_TYPES_H
#define CXX_TYPES_H

#include <typeinfo>

namespace __cxxabiv1 {

class __class_type_info;

/* A base of one class, and where it lies in an object of that class. */
struct __model_base {
    const __class_type_info *type;
    long offset;
    bool is_virtual;
    bool is_public;
};

class __class_type_info : public std::type_info {
public:
    virtual ~__class_type_info();
    bool __do_catch(const std::type_info *thrown, void **object, unsigned outer) const override;
    bool __do_upcast(const __class_type_info *target, void **object) const override;
    virtual int __model_bases() const;
    virtual __model_base __model_base_at(int index) const;
};

/* One base, public, not virtual, at the begin. */
class __si_class_type_info : public __class_type_info {
public:
    const __class_type_info *__base_type;
    ~__si_class_type_info() override;
    int __model_bases() const override;
    __model_base __model_base_at(int index) const override;
};

class __base_class_type_info {
public:
    const __class_type_info *__base_type;
    long __offset_flags;
};

class __vmi_class_type_info : public __class_type_info {
public:
    unsigned __flags;
    unsigned __base_count;
    __base_class_type_info __base_info[1];
    ~__vmi_class_type_info() override;
    int __model_bases() const override;
    __model_base __model_base_at(int index) const override;
};

class __pbase_type_info : public std::type_info {
public:
    unsigned __flags;
    const std::type_info *__pointee;
    ~__pbase_type_info() override;
    bool __do_catch(const std::type_info *thrown, void **object, unsigned outer) const override;
    virtual bool __model_catches_pointee(const __pbase_type_info *thrown, void **object, unsigned outer) const;
};

class __pointer_type_info : public __pbase_type_info {
public:
    ~__pointer_type_info() override;
    bool __is_pointer_p() const override;
    bool __model_catches_pointee(const __pbase_type_info *thrown, void **object, unsigned outer) const override;
};

class __pointer_to_member_type_info : public __pbase_type_info {
public:
    const __class_type_info *__context;
    ~__pointer_to_member_type_info() override;
};

class __fundamental_type_info : public std::type_info {
public:
    ~__fundamental_type_info() override;
};

class __array_type_info : public std::type_info {
public:
    ~__array_type_info() override;
};

class __function_type_info : public std::type_info {
public:
    ~__function_type_info() override;
    bool __is_function_p() const override;
};

class __enum_type_info : public std::type_info {
public:
    ~__enum_type_info() override;
};

} // namespace __cxxabiv1

#endif
