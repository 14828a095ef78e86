package com.shop;

public final class Checks {
    public static void check(User user) { user.save(); new User(null).close(user); }
}
