import { a } from './a';
export * from './b';
const fs = require('fs');
/** Docs of Foo. */
@Component({x: 1})
export class Foo<T> extends Bar<T> implements Baz, Qux {
  private readonly x: number = 1;
  static y?: string;
  constructor(private readonly dep: Dep, public z = 3) { super(); }
  @Input() handler = async (e: Event): Promise<void> => { const loc = 1; };
  get value(): number { return this.x ?? 1; }
  async load<K>(id: string, { a, b }: Opts = {}, ...rest: any[]): Promise<K> { if (a && b) {} return null; }
}
export interface I extends J { m(a: number): void; p?: string; q: { r: number } }
type Alias = { u: string } | null;
enum Color { Red, Green = 2 }
export const arrow = (a: number, b = 2): number => a + b;
export default function named(x?: number) { let local = () => 1; function inner() {} }
namespace N { export const c = 1; export function nf() {} }
abstract class Abs { abstract m(): void; }
declare function dec(a: string): void;
const { p, q } = obj;
function* gen() {}
