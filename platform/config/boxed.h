// SPDX-License-Identifier: Apache-2.0
//
// A value in a struct whose readers do not all know its type.
#pragma once

#include <memory>

namespace ssdvp::platform {

/// Where only the part and those who look into it include the type, nobody else is built again when
/// it gets another member. The part's file makes the functions (boxed_value.h).
template <class T>
class boxed {
public:
    boxed();
    boxed(const boxed& from);
    boxed(boxed&& from) noexcept;
    ~boxed();
    boxed& operator=(const boxed& from);
    boxed& operator=(boxed&& from) noexcept;

    [[nodiscard]] T& operator*() { return *m_value; }
    [[nodiscard]] const T& operator*() const { return *m_value; }
    [[nodiscard]] T* operator->() { return m_value.get(); }
    [[nodiscard]] const T* operator->() const { return m_value.get(); }

private:
    std::unique_ptr<T> m_value; // never null: what is moved from keeps its value
};

} // namespace ssdvp::platform
