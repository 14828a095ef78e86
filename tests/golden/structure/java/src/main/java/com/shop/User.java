package com.shop;

import com.shop.db.Connection;
import com.shop.db.Sink;
import java.util.ArrayList;
import static com.shop.Checks.check;

public class User extends Model {
    private Sink sink;

    public User(Sink sink) {
        super("user");
        this.sink = sink;
    }

    public void close(Object other) {
        save();
        sink.write("a");
        Connection connection = Connection.open("x");
        connection.write("b");
        check(this);
        Checks.check(this);
        new ArrayList<String>().add("c");
        other.close();
    }
}
