require 'json'
require_relative "x"
# A thing.
module Mod
  class Thing < Base::Other
    include Comparable
    attr_reader :name, :age
    LIMIT = 5
    # Makes it.
    def initialize(name, age: 3, *rest, **opts, &block)
      @name = name
      return 1 if age && name
    end
    def self.build(x = 1) = new(x)
    def name?; end
    class << self
      def meta; end
    end
  end
end
$global = 1
def top(a); a ? 1 : 2; end
