// SPDX-License-Identifier: Apache-2.0
//
// Functions of a box, for the file of the part whose values it has:
// `template class boxed<boot_x>;`
#pragma once

#include "platform/config/boxed.h"

namespace ssdvp::platform {

template <class T>
boxed<T>::boxed() : m_value(std::make_unique<T>())
{}

template <class T>
boxed<T>::boxed(const boxed& from) : m_value(std::make_unique<T>(*from))
{}

template <class T>
boxed<T>::boxed(boxed&& from) noexcept : m_value(std::make_unique<T>(*from))
{}

template <class T>
boxed<T>::~boxed() = default;

template <class T>
boxed<T>& boxed<T>::operator=(const boxed& from)
{
    *m_value = *from;
    return *this;
}

template <class T>
boxed<T>& boxed<T>::operator=(boxed&& from) noexcept
{
    *m_value = *from;
    return *this;
}

} // namespace ssdvp::platform
