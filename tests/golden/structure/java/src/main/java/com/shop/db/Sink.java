package com.shop.db;

public interface Sink {
    void write(String item);
}
