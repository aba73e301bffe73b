const fs = require('fs');
import path, { join } from "path";

/** A queue. */
export class Queue extends Base {
  #items = [];
  static limit = 10;
  constructor(items = []) { super(); }
  push = (item) => { this.#items.push(item); };
  get size() { return this.#items.length; }
  async *drain({ batch = 1 } = {}, ...rest) { for (const x of rest) if (x && batch) yield x; }
}

function outer(a, b = 2) {
  const local = () => a;
  return function () { const hidden = 1; };
}

const arrow = async x => x ? 1 : 2;
let counter = 0, other;
var handlers = { start() {}, stop: function (event) {} };
exports.helper = function (x) { return x || 1; };
Queue.prototype.peek = function () {};
(function () { var scoped = 1; function inside() {} })();
for (let i = 0; i < 3; i++) {}
wrap((base) => function Made(x) { const hidden = 1; if (x) return function piped(y) { let z; }; }, function named() {});
