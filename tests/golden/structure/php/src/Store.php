<?php

namespace Shop\Data;

use Shop\Support\Codec;
use Psr\Log\LoggerInterface;

class Store extends Base implements Sink
{
    private Codec $codec;

    public function __construct(private LoggerInterface $logger)
    {
        parent::__construct('x');
        $this->codec = new Codec();
    }

    public function write(string $item): self
    {
        $this->flush();
        $this->codec->encode($item);
        $this->logger->info($item);
        self::check($item);
        return $this;
    }

    private static function check(string $item): void { strlen($item); helper($item); }
}
