<?php

namespace Shop\Data;

abstract class Base
{
    public function __construct(string $name) {}
    protected function flush(): void { static::done(); }
    public static function done(): void {}
}

interface Sink
{
    public function write(string $item): self;
}

function helper(string $item): void {}
