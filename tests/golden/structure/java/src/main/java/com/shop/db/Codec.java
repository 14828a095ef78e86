package com.shop.db;

class Codec {
    String encode(String item) { return item.trim(); }
    void reset() {}
}
