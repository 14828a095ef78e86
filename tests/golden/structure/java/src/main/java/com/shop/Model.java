package com.shop;

abstract class Model {
    Model(String name) {}
    void save() { System.out.println("saved"); }
}
