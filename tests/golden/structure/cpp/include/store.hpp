#pragma once
#include <string>

namespace shop {

class Base {
public:
    void log(const std::string &item);
};

class Codec {
public:
    std::string encode(const std::string &item) { return item; }
};

class Store : public Base {
public:
    explicit Store(const std::string &path);
    void put(const std::string &item);
    static Store open(const std::string &path);
private:
    void flush();
    Codec codec;
};

void helper(int size);

}
