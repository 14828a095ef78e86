<?php

declare(strict_types=1);

namespace App\Billing;

use App\Contracts\{Gateway, Ledger};
use Psr\Log\LoggerInterface as Logger;
use function App\Support\money;

require_once __DIR__ . '/bootstrap.php';

const RATE = 19;
define('BILLING_DEBUG', false);

/** Something that can be charged. */
interface Chargeable extends \Countable, Printable
{
    const CURRENCY = 'EUR';

    public function charge(int $amount): bool;
}

trait Audited
{
    protected array $trail = [], $seen = [];

    abstract protected function actor(): string;

    public static function boot(): void
    {
        static::creating(fn ($model) => $model->audit('boot'));
    }
}

enum Status: string implements HasLabel
{
    case Open = 'open';
    case Paid = 'paid';

    public function label(): string
    {
        return ucfirst(strtolower($this->value));
    }
}

/**
 * An invoice.
 */
#[Entity, Table('invoices')]
final class Invoice extends Document implements Chargeable, \JsonSerializable
{
    use Audited, SoftDeletes {
        boot as protected bootAudited;
    }

    public const A = 1, B = 2;
    private static ?self $last = null;

    public function __construct(private readonly Gateway $gateway, public int $total = 0)
    {
        parent::__construct();
    }

    #[Override]
    public function charge(int $amount): bool
    {
        $line = new Line($amount, Status::from('open'));
        $this->lines->push($line)->sort();

        return $this->gateway?->submit($line) && \in_array($line, self::all(), true);
    }
}

abstract class Document
{
    public string $title { get => trim($this->title); }
}

function &helper(array $rows): array
{
    function nested(): void {}
    $listener = new class ($rows) extends Listener {
        public function handle(): void
        {
            money(1);
        }
    };

    return array_map($listener, $rows);
}

use App\Support\{Clock, Timer as Stopwatch};

final class Bound
{
    private ?Clock $clock;
    private int|string $mixed;

    public function __construct(private readonly Client $client, Clock|null $given, $untyped)
    {
        $this->clock = new Clock();
        $made = new \App\Line($untyped);
        $other = make();
    }

    public function chain(Stopwatch $watch): static
    {
        try {
            return $this;
        } catch (Failure $failure) {
            $failure->log();
        }
    }
}
