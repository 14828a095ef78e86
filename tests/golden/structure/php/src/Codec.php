<?php

namespace Shop\Support;

class Codec
{
    public function encode(string $item): string { return trim($item); }
}
