<?php

use Shop\Data\Store;
use Shop\Data\Sink as Target;
use function Shop\Data\helper;

function run(Target $target, $other)
{
    $store = new Store(null);
    $store->write('a')->write('b');
    $target->write('c');
    $other->encode('d');
    helper('e');
    Store::done();
}
