#!/bin/bash
# Script docs.
source ./lib.sh
NAME=x
export PATH=$PATH:/x
# Does it.
do_it() { local a=1; b=2; if [ -n "$a" ] && true; then :; fi; }
function other { :; }
readonly LIMIT=5
