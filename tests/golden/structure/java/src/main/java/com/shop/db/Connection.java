package com.shop.db;

import java.util.List;

public class Connection implements Sink {
    private final Codec codec = new Codec();

    @Override
    public void write(String item) {
        flush();
        codec.encode(item);
    }

    Connection flush() {
        this.codec.reset();
        return this;
    }

    public static Connection open(String url) {
        return new Connection();
    }
}
