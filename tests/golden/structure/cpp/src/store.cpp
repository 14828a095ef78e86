#include "store.hpp"
#include <cstring>

namespace shop {

void Base::log(const std::string &item)
{
    helper(item.size());
}

Store::Store(const std::string &path)
{
    flush();
}

void Store::put(const std::string &item)
{
    this->flush();
    codec.encode(item);
    log(item);
    std::strlen("x");
}

void Store::flush()
{
}

Store Store::open(const std::string &path)
{
    return Store(path);
}

void helper(int size)
{
}

}
