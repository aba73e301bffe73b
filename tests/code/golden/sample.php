<?php
namespace App\Models;
use Foo\Bar;
require_once 'x.php';
/** Doc. */
#[Attr(1)]
abstract class User extends Model implements A, B {
  use SomeTrait;
  const MAX = 5;
  private ?string $name = null;
  public function __construct(private int $id, protected string $x = 'a') {}
  public static function find(int $id, ...$rest): ?self { if ($id && $x) { $local = 1; } return null; }
}
interface I extends J {}
trait T { function t() {} }
enum Suit: string { case Hearts = 'H'; }
function helper($a, $b = []) { $f = function($x) { $y = 1; }; }
$global = 1;
